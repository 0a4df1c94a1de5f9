"""Write what prices, sets and a tree prove: kind ``boxes`` of certificates."""

from itertools import zip_longest
from typing import Any

import numpy as np

from starmin.instances import Certificate, RowTypes, Run
from starmin.instances.tables.canonical import canonical_order
from starmin.models.boxes.master.box_tree import BoxNode
from starmin.models.boxes.master.exact import ExactDuals, ExactProgram
from starmin.models.boxes.master.joint import Joint
from starmin.models.boxes.master.row_sets import RowSets


class BoxWriter:
    """Numbers types and sets as the file does, sets as far as they occur.

    ``root`` are the duals at the root; ``program`` turns those of nodes, which refer to
    ``sets``, into exact ones; costs are multiplied by ``per_cost``. ``joint`` is what
    groups need in all sensitive columns, where the rule is that of one.
    """

    def __init__(
        self,
        run: Run,
        types: RowTypes,
        sets: RowSets,
        root: ExactDuals,
        program: ExactProgram,
        per_cost: int,
        joint: Joint | None = None,
    ) -> None:
        self._run, self._sets, self._root = run, sets, root
        self._program, self._per_cost, self._joint = program, per_cost, joint
        self._order = canonical_order(run.table, types)
        self._rank = np.empty_like(self._order)
        self._rank[self._order] = np.arange(len(self._order))
        self._places: dict[int, int] = {}
        self._written: list[list[Any]] = []

    def certificate(self, bound: int, tree: BoxNode | None = None) -> Certificate:
        """Return a certificate of a bound in units of the objective."""
        run = self._run
        data: dict[str, Any] = {
            "denominator": self._per_cost,
            "prices": [self._root.prices[t] for t in self._order.tolist()],
            "multipliers": self._multipliers(self._root.multipliers, []),
        }
        # A tree of one leaf may have better prices than those at the root.
        if tree is not None and (nodes := self._nodes(tree)) != [{}]:
            data["nodes"] = nodes
        data["sets"] = self._written
        if self._sets.pool.data.values > 1:
            data["sensitive"] = self._sensitive()
        problem = run.table, run.requirement, run.objective
        return Certificate.of(*problem, "boxes", bound, data)

    def _sensitive(self) -> str | list[str]:
        """Return the sensitive column; a list of all where groups are not cut.

        The first of these is that whose rule prices groups.
        """
        names = list(self._run.table.sensitive)
        if self._joint is None:
            return names[0]
        first = names.pop(self._joint.base)
        return [first, *names]

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
                duals = node.proof or self._program.duals(node.duals)
                written.append(self._leaf(duals))
        return written

    def _leaf(self, duals: ExactDuals) -> dict[str, Any]:
        entry: dict[str, Any] = {
            "prices": [
                number
                for place, t in enumerate(self._order.tolist())
                if duals.prices[t] != self._root.prices[t]
                for number in (place, duals.prices[t])
            ],
            "sets": self._multipliers(duals.multipliers, self._root.multipliers),
        }
        return {name: value for name, value in entry.items() if value}

    def _multipliers(self, own: list[int], before: list[int]) -> list[int]:
        """Return multipliers that are new, as the file writes them."""
        pairs = zip_longest(own, before, fillvalue=0)
        changed = [(s, m) for s, (m, old) in enumerate(pairs) if m != old]
        return [number for s, m in changed for number in (self._place(s), m)]

    def _place(self, s: int) -> int:
        """Return the place of a set in the file."""
        if s not in self._places:
            self._places[s] = len(self._written)
            types = np.sort(self._rank[self._sets.inside[s]]).tolist()
            if (tally := self._sets.tallies.get(s)) is not None:
                counted = np.sort(self._rank[tally.counted]).tolist()
                self._written.append([types, tally.kind, counted])
            else:
                self._written.append([types, int(self._sets.share[s])])
        return self._places[s]
