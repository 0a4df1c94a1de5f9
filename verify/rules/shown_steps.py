"""What cells of a column show, step by step below the root, from their texts alone."""

from collections.abc import Iterable, Mapping

import numpy as np

from starmin.instances import Table, TableError
from starmin.instances.arrays import Ints
from starmin.verify.cells.cells import Cells, NumericCells, TaxonomyCells

Text = str | None


class Steps:
    """The nodes of the texts of a column.

    Each node stands for a set of values. Step 0 is the set of all, which shows nothing;
    the last step of a text is what it stands for itself, those before are the sets
    above, each larger than the next.

    ``cells`` says what texts stand for; None: for themselves. ``column`` is for errors.
    """

    def __init__(self, star: str, cells: Cells | None, column: str) -> None:
        self._star, self._tree = star, cells
        self._ids: dict[object, int] = {}
        if isinstance(cells, NumericCells):
            raise TableError(
                f"column {column!r}: rules over combinations read values, nodes of "
                "taxonomies and stars, no ranges of numbers"
            )
        self._paths: Mapping[str, tuple[frozenset[str], ...]] = {}
        if isinstance(cells, TaxonomyCells):
            below: dict[str, set[str]] = {}
            for path in cells.taxonomy.paths:
                for node in path:
                    below.setdefault(node, set()).add(path[0])
            sets = {node: frozenset(values) for node, values in below.items()}
            leaves = {path[0] for path in cells.taxonomy.paths}
            self._paths = {
                node: tuple(
                    dict.fromkeys(
                        sets[above]
                        for above in path[at:]
                        if len(sets[above]) < len(leaves) or above in leaves
                    )
                )
                for path in cells.taxonomy.paths
                for at, node in enumerate(path)
            }

    def of(self, texts: Iterable[Text]) -> Ints:
        """Return for each text its node at each step below the root, -1 for none."""
        found = list[list[int]]()
        for text in texts:
            sets: tuple[object, ...] = (text,)
            if text == self._star:
                sets = ()
            elif self._paths and (text or "") in self._paths:
                sets = self._paths[text or ""]
            ids = self._ids
            found.append([ids.setdefault(each, len(ids)) for each in reversed(sets)])
        most = max(map(len, found), default=0)
        wide = [row + [-1] * (most - len(row)) for row in found]
        return np.array(wide, np.int64).reshape(len(found), most)


def nodes_of(table: Table, column: str, steps: Steps, most: int = 0) -> Ints:
    """Return the nodes of all rows in a column: rows x steps, at least so many."""
    nodes = steps.of(table.dictionary(column))[table.column(column)]
    more = max(0, most - nodes.shape[1])
    return np.pad(nodes, ((0, 0), (0, more)), constant_values=-1)
