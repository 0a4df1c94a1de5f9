"""What the annealing on near patterns keeps in checkpoints."""

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from starmin.heuristics.orders.suppression import columns_by_entropy
from starmin.instances import (
    Objective,
    Partition,
    RowTypes,
    Run,
    Table,
    group_by,
    sorted_order,
)
from starmin.instances.arrays import Ints
from starmin.instances.runs.checkpoint import Checkpoint
from starmin.models.bounds.near_listing import NearPatterns, NearPrices
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import PriceUnit


def cut_in_parts(table: Table, objective: Objective, pieces: int, k: int) -> list[Ints]:
    """Cut the rows of a counted table into parts that are solved one by one.

    Rows are sorted by the columns to be kept, then by the others, those with the least
    entropy first: they are starred least. Then they are cut into parts of equal size. A
    group of a release of the whole may be in several parts, which is what this costs.

    There are ``pieces`` parts, if there are so many, and a part has ``k`` copies at
    least. The kept columns of the objective are never cut through: a group has one
    value in them.

    Examples
    --------
    >>> table = Table(("a", "b"), np.array([[0, 0, 1], [0, 1, 0]], np.int32),
    ...               (("x", "y"),) * 2, ("a", "b"), counts=np.array([3, 4, 5]))
    >>> [part.tolist() for part in cut_in_parts(table, Objective(), 2, 3)]
    [[0], [2, 1]]
    """
    rows, counts = table.codes.shape[1], table.counts
    assert counts is not None
    kept = [j for j, column in enumerate(table.qi) if column in objective.keep]
    by_entropy = columns_by_entropy(table, Objective())
    columns = kept + [j for j in by_entropy if j not in kept]
    sizes = [table.qi_cardinalities[j] for j in columns]
    order = sorted_order([table.codes[j] for j in columns], sizes)
    classes = np.zeros(rows, np.int32)
    if kept:
        classes = group_by([table.codes[j] for j in kept]).inverse
    ordered, copies = classes[order], np.cumsum(counts[order])
    wanted = np.linspace(0, rows, pieces + 1).astype(np.int64)[1:-1]
    cuts = [0]
    for place in wanted.tolist():
        if kept:  # the next place where a class begins
            later = np.flatnonzero(np.diff(ordered[place - 1 :]))
            if len(later) == 0:
                break
            place += int(later[0])
        before = copies[cuts[-1] - 1] if cuts[-1] else 0
        here, all_of_them = copies[place - 1], copies[-1]
        if place > cuts[-1] and here - before >= k and all_of_them - here >= k:
            cuts.append(place)
    return np.split(order, cuts[1:])


def joined(found: Iterable[tuple[Ints, Partition]], types: RowTypes) -> Partition:
    """Join the partitions of parts of the row types to one of the table."""
    groups, rows, copies, many = [], [], [], 0
    for part, partition in found:
        assert partition.rows is not None and partition.copies is not None
        groups.append(partition.groups.astype(np.int64) + many)
        rows.append(part[partition.rows])
        copies.append(partition.copies)
        many += partition.size
    return Partition.from_loads(
        types, np.concatenate(groups), np.concatenate(rows), np.concatenate(copies)
    )


class SearchMemory:
    """Release and prices, kept after each round and taken up again.

    The list of near patterns is kept beside them, some 250 bytes for each row type, for
    to make it again takes longer than to read it. They are kept in ``folder``, by the
    ``name`` of the search; None: nowhere. ``annealed`` tells of the release that was
    taken up, and ``used`` the seconds that the search had used when that was kept.
    """

    def __init__(
        self, run: Run, types: RowTypes, folder: Path | None, name: str
    ) -> None:
        self._types = types
        self._unit = PriceUnit.of(run.table, run.objective)
        self.annealed, self.used = False, 0.0
        problem = types, run.requirement, run.objective
        self._checkpoint = Checkpoint(folder, name, *problem)
        self._lists = Checkpoint(folder, f"{name}-patterns", *problem)

    def patterns(self, find: Callable[[], NearPatterns]) -> NearPatterns:
        """Return the near patterns that were kept; else find them and keep them."""
        if (kept := self._lists.load()) is not None:
            patterns = Patterns(
                *(kept["nodes"], kept["cost"], kept["starts"], kept["members"]),
                *(self._types, self._unit),
            )
            return NearPatterns(
                patterns, kept["own"], int(kept["slack"]), kept["outside"]
            )
        near = find()
        self._lists.save(
            {
                "nodes": near.patterns.nodes,
                "cost": near.patterns.cost,
                "starts": near.patterns.starts,
                "members": near.patterns.types,
                "own": near.own,
                "slack": np.array(near.slack),
                "outside": near.outside,
            }
        )
        return near

    def forget_patterns(self) -> None:
        """Remove the list, for the search is done."""
        if self._lists.path is not None:
            self._lists.path.unlink(missing_ok=True)

    def restore(self, run: Run) -> Ints | None:
        """Offer the release that was kept, and return its prices, or None."""
        if (kept := self._checkpoint.load()) is None:
            return None
        loads = (kept[name] for name in ("groups", "types", "copies"))
        run.offer(Partition.from_loads(self._types, *loads))
        self.used = float(kept["seconds"])
        self.annealed = bool(kept["annealed"])
        return kept["prices"]

    def keep(self, run: Run, prices: NearPrices, annealed: bool = True) -> None:
        """Keep the best release of a run, whether it was annealed, and the prices."""
        best = run.best
        if self._checkpoint.path is None or best is None:
            return
        types = best.of_rows(self._types.inverse)
        pairs = group_by([best.groups, types])
        self._checkpoint.save(
            {
                "groups": best.groups[pairs.first],
                "types": types[pairs.first],
                "copies": pairs.summed(best.copies),
                "prices": prices.prices,
                "annealed": np.array(annealed),
                "seconds": np.array(self.used + run.elapsed),
            }
        )
