"""Write a tree as a certificate (``docs/certificate.md``, kind ``tree``)."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from instances import Certificate, RowTypes, Run
from instances.tables.canonical import canonical_order
from models.branch_and_bound.fills import Ints
from models.branch_and_bound.multipliers import UNIT, Multipliers, fits
from models.branch_and_bound.search import TreeSearch
from models.branch_and_bound.tree import Node
from models.patterns.group_cuts import GroupCut
from models.patterns.patterns import Patterns


def tree_certificate(
    run: Run, writer: "TreeWriter", rounds: Sequence[Multipliers], search: TreeSearch
) -> Certificate | None:
    """Return a certificate of what a tree proves; None if its numbers are too large.

    Parameters
    ----------
    run
        The problem.
    writer
        Numbers what occurs in it.
    rounds
        By which incidences were excluded before the search: prices, then prices and
        multipliers in turn.
    search
        Its tree.
    """
    prices, *further = rounds
    written = [
        writer.changes(own, above)
        for own, above in zip(further, [writer.nothing, *further], strict=False)
    ]
    nodes = writer.nodes(search.root)
    if not _fit(run, [*written, *nodes], search):
        return None
    data: dict[str, Any] = {
        "denominator": UNIT,
        "prices": prices.prices[writer.order].tolist(),
        "patterns": writer.patterns,
        "cuts": writer.cuts,
        "nodes": nodes,
    }
    if written:
        data["rounds"] = written
    if search.program.l > 1:
        data["sensitive"] = run.table.sensitive[0]
    return Certificate.of(
        run.table, run.requirement, run.objective, "tree", search.bound, data
    )


def _fit(run: Run, nodes: list[dict[str, Any]], search: TreeSearch) -> bool:
    """Check whether a checker that computes in 64 bits can read the numbers."""
    prices = max(
        (abs(p) for node in nodes for p in node.get("prices", [])[1::2]), default=0
    )
    most: dict[int, int] = {}
    for node in nodes:
        flat = node.get("cuts", [])
        for cut, multiplier in zip(flat[::2], flat[1::2], strict=True):
            most[cut] = max(multiplier, most.get(cut, 0))
    least = max(search.program.k, search.program.l)
    return fits(run, least, prices, sum(most.values()))


class TreeWriter:
    """Numbers types, patterns and cuts as the file does, as far as they occur.

    Parameters
    ----------
    run
        The problem.
    types
        The row types.
    patterns
        All patterns of the table.
    numbers
        Of each pattern of the search its number among ``patterns``.
    cuts
        Those of the search, by numbers among ``patterns``.
    """

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        patterns: Patterns,
        numbers: Ints,
        cuts: Sequence[GroupCut],
    ) -> None:
        self.order = canonical_order(run.table, types)
        self.nothing = Multipliers(np.zeros(len(types), np.int64), {})
        self._rank = np.empty_like(self.order)
        self._rank[self.order] = np.arange(len(self.order))
        scales = run.objective.scales_of(run.table)
        self._positions = scales.positions(types.codes)
        self._all, self._numbers, self._given = patterns, numbers, cuts
        self._pattern_places: dict[int, int] = {}
        self._cut_places: dict[int, int] = {}
        self.patterns: list[list[int]] = []
        self.cuts: list[list[list[int]]] = []

    def nodes(self, root: Node) -> list[dict[str, Any]]:
        """Return the nodes, each before its children, as changes to its parent."""
        written = []
        waiting: list[tuple[Node, Multipliers]] = [(root, self.nothing)]
        while waiting:
            node, above = waiting.pop()
            entry = self.changes(node.multipliers, above)
            if node.split is not None:
                p, g = node.split
                entry["split"] = [self._pattern(int(self._numbers[p])), g]
            waiting += [(child, node.multipliers) for child in reversed(node.children)]
            written.append(entry)
        return written

    def changes(self, own: Multipliers, above: Multipliers) -> dict[str, Any]:
        """Return what changes from one to the other, as an entry of the file."""
        if own is above:
            return {}
        changed = np.flatnonzero(own.prices != above.prices)
        entry: dict[str, Any] = {}
        if len(changed):
            pairs = np.stack([self._rank[changed], own.prices[changed]], axis=1)
            entry["prices"] = pairs[np.argsort(pairs[:, 0])].ravel().tolist()
        multipliers = [
            (self._cut(c), own.cuts.get(c, 0))
            for c in sorted(own.cuts.keys() | above.cuts.keys())
            if own.cuts.get(c, 0) != above.cuts.get(c, 0)
        ]
        if multipliers:
            entry["cuts"] = [number for pair in sorted(multipliers) for number in pair]
        return entry

    def _cut(self, number: int) -> int:
        """Return the place of a cut in the file."""
        if number not in self._cut_places:
            cut = self._given[number]
            self._cut_places[number] = len(self.cuts)
            types = sorted(self._rank[cut.types].tolist())
            self.cuts.append([types, [self._pattern(int(p)) for p in cut.patterns]])
        return self._cut_places[number]

    def _pattern(self, number: int) -> int:
        """Return the place of a pattern in the file."""
        if number not in self._pattern_places:
            self._pattern_places[number] = len(self.patterns)
            self.patterns.append(self._cover(number))
        return self._pattern_places[number]

    def _cover(self, number: int) -> list[int]:
        """Return types whose smallest common pattern is this one.

        Those with the least and the greatest position in each column.
        """
        first, last = self._all.starts[number], self._all.starts[number + 1]
        members = self._all.types[first:last]
        positions = self._positions[members]
        chosen = {
            *positions.argmin(axis=0).tolist(),
            *positions.argmax(axis=0).tolist(),
        }
        return sorted(self._rank[members[sorted(chosen)]].tolist())
