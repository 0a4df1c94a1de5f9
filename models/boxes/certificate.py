"""Write what prices, sets and a tree prove: kind ``boxes`` of certificates."""

from typing import Any

import numpy as np

from starmin.instances import Certificate, RowTypes, Run
from starmin.instances.arrays import Ints
from starmin.instances.tables.canonical import canonical_order
from starmin.models.boxes.relaxation import Duals
from starmin.models.boxes.row_sets import RowSets
from starmin.models.boxes.tree import BoxNode


class BoxWriter:
    """Numbers types and sets as the file does, sets as far as they occur.

    Parameters
    ----------
    run, types
        The problem.
    sets
        Those that nodes refer to.
    root
        The duals at the root.
    unit
        What costs are multiplied by.
    """

    def __init__(
        self, run: Run, types: RowTypes, sets: RowSets, root: Duals, unit: int
    ) -> None:
        self._run, self._sets, self._root, self._unit = run, sets, root, unit
        self._order = canonical_order(run.table, types)
        self._rank = np.empty_like(self._order)
        self._rank[self._order] = np.arange(len(self._order))
        self._places: dict[int, int] = {}
        self._written: list[list[Any]] = []

    def certificate(self, bound: int, tree: BoxNode | None = None) -> Certificate:
        """Return a certificate of a bound in units of the objective."""
        run = self._run
        data: dict[str, Any] = {
            "denominator": self._unit,
            "prices": self._root.prices[self._order].tolist(),
            "multipliers": self._multipliers(self._root.multipliers, {}),
        }
        # A tree of one leaf may have better prices than those at the root.
        if tree is not None and (nodes := self._nodes(tree)) != [{}]:
            data["nodes"] = nodes
        data["sets"] = self._written
        if self._sets.pool.data.spread:
            data["sensitive"] = run.table.sensitive[0]
        problem = run.table, run.requirement, run.objective
        return Certificate.of(*problem, "boxes", bound, data)

    def _nodes(self, root: BoxNode) -> list[dict[str, Any]]:
        """Return the nodes, each before its children; leaves as changes to the root."""
        written, waiting = [], [root]
        while waiting:
            node = waiting.pop()
            if node.split is not None:
                place, number = node.split
                written.append({"split": [self._place(place), number]})
                waiting += reversed(node.children)
            else:
                written.append(self._leaf(node.duals))
        return written

    def _leaf(self, duals: Duals) -> dict[str, Any]:
        changed = np.flatnonzero(duals.prices != self._root.prices)
        flat = np.stack([self._rank[changed], duals.prices[changed]], axis=1)
        entry: dict[str, Any] = {
            "prices": flat[np.argsort(flat[:, 0])].ravel().tolist()
        }
        held = {s: int(m) for s, m in enumerate(self._root.multipliers) if m}
        if multipliers := self._multipliers(duals.multipliers, held):
            entry["sets"] = multipliers
        return {name: value for name, value in entry.items() if value}

    def _multipliers(self, own: Ints, before: dict[int, int]) -> list[int]:
        """Return multipliers that are new, as the file writes them."""
        found = {s: int(m) for s, m in enumerate(own.tolist()) if m}
        changed = {
            s: found.get(s, 0)
            for s in sorted(found.keys() | before.keys())
            if found.get(s, 0) != before.get(s, 0)
        }
        return [number for s, m in changed.items() for number in (self._place(s), m)]

    def _place(self, s: int) -> int:
        """Return the place of a set in the file."""
        if s not in self._places:
            self._places[s] = len(self._written)
            types = np.sort(self._rank[self._sets.inside[s]]).tolist()
            self._written.append([types, int(self._sets.share[s])])
        return self._places[s]
