"""Write a tree as a certificate (``docs/reference/certificate.md``, kind ``tree``)."""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from starmin.instances import Certificate, Run
from starmin.instances.arrays import Bools, Ints
from starmin.instances.runs.cores import Threads, cores
from starmin.instances.tables.row_types import canonical_order
from starmin.models.best_first import BestFirst, Listed
from starmin.models.pattern_ilp.multipliers import Multipliers, Node, TreeUnit, fits
from starmin.models.pattern_ilp.node_solver import NodeSolver
from starmin.models.pattern_ilp.split_counts import Count, Known, TreeParams
from starmin.models.pattern_ilp.tree_relaxation import Relaxation
from starmin.models.pattern_program.pattern_program import GroupCut, PatternProgram
from starmin.models.patterns.patterns import cover

# Best-first search of a tree of relaxations, strengthened by cuts.


class TreeSearch:
    """Branch and bound on the linear relaxation; every bound is one of whole prices.

    The run has an incumbent, and learns better ones and the bound. The search stops at
    ``end``, in seconds since the run began, at the latest; it begins with the cuts in
    ``known``, and with ``start``, prices and multipliers of them. Afterwards ``root``
    is the tree, ``known`` has the cuts and counts that the multipliers of its nodes
    refer to, and ``nodes`` says how many relaxations were solved.
    """

    def __init__(
        self,
        run: Run,
        program: PatternProgram,
        params: TreeParams,
        end: float = math.inf,
        known: Known | None = None,
        start: Multipliers | None = None,
    ) -> None:
        self.run, self.program, self.params = run, program, params
        self.known = known or Known()
        self._first = max([-1, *self.known.cuts]) + 1
        self._unit, most_price = TreeUnit.of(run)
        self._penalty = float(min(max(1, run.cost), most_price))
        self._solvers = [self._solver(0)]
        self._solvers[0].relaxation.add(sorted(self.known.cuts))
        start = start or Multipliers(np.zeros(len(program.types), np.int64), {})
        self.root = Node((), start, -math.inf)
        facts = self.root.facts(len(program.patterns))
        self.root.bound = self._solvers[0].proven(start, facts)
        # Of equal ones the latest, so that the search dives.
        self._leaves = BestFirst[Node](lambda node: node.bound, latest=True)
        self._leaves.open(self.root)
        self._end = end
        self.nodes = 0

    def _solver(self, place: int) -> NodeSolver:
        numbers = itertools.count(self._first + place, self.params.workers)
        given = self.program, self._penalty, self.known, numbers
        return NodeSolver(self.run, Relaxation(*given), self.params)

    @property
    def _remaining(self) -> float:
        return min(self.run.remaining, self._end - self.run.elapsed)

    @property
    def goal(self) -> int:
        """A bound from which on a leaf has no better release than the incumbent."""
        return (self.run.cost - 1) * self._unit + 1

    @property
    def bound(self) -> int:
        """What the whole tree proves, in units of the objective."""
        lowest = self._leaves.lowest
        if lowest is None or lowest[0] >= self.goal:
            return self.run.cost
        least = lowest[0]
        return max(0, -int(-least // self._unit)) if math.isfinite(least) else 0

    def search(self) -> bool:
        """Search until the tree proves the incumbent optimal; whether it does.

        Some nodes are expanded at a time, those with the lowest bounds: how many does
        not depend on the cores, so that the tree does not.
        """
        with Threads(min(self.params.workers, cores())) as threads:

            def branch(nodes: list[Node]) -> list[Node] | None:
                return self._expand(nodes, threads)

            while not self._is_done():
                if not self._leaves.expand(branch, self.goal, self.params.workers):
                    break
                self.run.raise_bound(self.bound, "branch_and_bound")
        return self._is_done()

    def _is_done(self) -> bool:
        return self.run.is_enough(self.bound)

    def useful_at_root(self) -> Bools:
        """Bound the root; mark what better releases may use of the incidences."""
        useful = self._solvers[0].useful
        with Threads(1) as one:  # HiGHS keeps the number of threads of who calls it
            return one.submit(useful, self.root, self.goal, self._end).result()

    def _expand(self, nodes: list[Node], threads: Threads) -> list[Node] | None:
        """Solve nodes and split them; None where there is no time or room left."""
        params = self.params
        if self._remaining <= 0 or self.nodes >= params.most_nodes:
            return None
        if self.program.incidences > params.most_incidences:
            return None
        self.nodes += len(nodes)
        self.run.hear()
        while len(self._solvers) < len(nodes):
            self._solvers.append(self._solver(len(self._solvers)))
        solvers = self._solvers[: len(nodes)]
        goal = self.goal
        calls = [
            threads.submit(solver.expand, node, goal, self._end)
            for solver, node in zip(solvers, nodes, strict=True)
        ]
        done = [call.result() for call in calls]
        for solver in solvers:
            for release in solver.releases:
                self.run.offer(release)
            solver.releases.clear()
        found = list[Node]()
        for node, expanded in zip(nodes, done, strict=True):
            if expanded and not node.children:
                self._leaves.settled.append(node)
            else:
                found += node.children if expanded else [node]
        return found


def tree_certificate(
    run: Run, writer: "TreeWriter", rounds: Sequence[Multipliers], search: TreeSearch
) -> Certificate | None:
    """Return a certificate of what a tree proves; None if its numbers are too large.

    Parameters
    ----------
    run, writer, rounds, search
        By ``rounds`` pairs were excluded before the search: prices, then prices and
        multipliers in turn.
    """
    prices, *further = rounds
    written = [
        writer.changes(own, above)
        for own, above in zip(further, [writer.nothing, *further], strict=False)
    ]
    nodes = writer.nodes(search.root, search.known.counts)
    if not _fit(run, [*written, *nodes], search):
        return None
    data: dict[str, Any] = {
        "denominator": TreeUnit.of(run).per_cost,
        "prices": prices.prices[writer.order].tolist(),
        "patterns": writer.patterns.written,
        "cuts": writer.cuts.written,
        "nodes": nodes,
    }
    if written:
        data["rounds"] = written
    if writer.counts:
        data["counts"] = writer.counts.written
    columns = list(run.table.sensitive)
    if search.program.distinct > 1 or (search.program.l > 1 and len(columns) > 1):
        data["sensitive"] = columns
    elif search.program.l > 1:
        data["sensitive"] = columns[0]
    return Certificate.of(*run.asked, "tree", search.bound, data)


def _fit(run: Run, nodes: list[dict[str, Any]], search: TreeSearch) -> bool:
    """Check whether a checker that computes in 64 bits can read the numbers."""
    prices = max(
        (abs(p) for node in nodes for p in node.get("prices", [])[1::2]), default=0
    )
    most: dict[tuple[str, int], int] = {}
    for node in nodes:
        for name in ("cuts", "counts"):
            flat = node.get(name, [])
            for number, multiplier in zip(flat[::2], flat[1::2], strict=True):
                key = name, number
                most[key] = max(abs(multiplier), most.get(key, 0))
    least = max(search.program.k, search.program.l)
    return fits(run, least, prices, sum(most.values()))


class TreeWriter:
    """Numbers types, patterns and cuts as the file does, as far as they occur.

    ``program`` has all patterns of the table, and ``numbers`` for each pattern of the
    search its number among them. The ``cuts`` of the search refer to patterns by
    these numbers, too.
    """

    def __init__(
        self,
        run: Run,
        program: PatternProgram,
        numbers: Ints,
        cuts: Mapping[int, GroupCut],
    ) -> None:
        types = program.types
        self.order = canonical_order(run.table, types)
        self.nothing = Multipliers(np.zeros(len(types), np.int64), {})
        self._rank = np.argsort(self.order)
        scales = run.objective.scales_of(run.table)
        self._positions = scales.positions(types.codes)
        self._all, self._numbers, self._given = program.patterns, numbers, cuts
        self.patterns = Listed(self._pattern)
        self.cuts, self.counts = Listed(self._cut), Listed(self._count)
        self._counted: Mapping[int, Count] = {}

    def nodes(self, root: Node, counts: Mapping[int, Count]) -> list[dict[str, Any]]:
        """Return the nodes, each before its children, as changes to its parent.

        ``counts`` are those of the search, by its patterns.
        """
        self._counted = counts
        written = []
        waiting: list[tuple[Node, Multipliers]] = [(root, self.nothing)]
        while waiting:
            node, above = waiting.pop()
            entry = self.changes(node.multipliers, above)
            if node.split is not None:
                p, g, counted = node.split
                if counted:
                    entry["count_split"] = [self.counts[p], g]
                else:
                    entry["split"] = [self.patterns[int(self._numbers[p])], g]
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
        for name, place, new, old in (
            ("cuts", self.cuts, own.cuts, above.cuts),
            ("counts", self.counts, own.counts, above.counts),
        ):
            multipliers = [
                (place[c], new.get(c, 0))
                for c in sorted(new.keys() | old.keys())
                if new.get(c, 0) != old.get(c, 0)
            ]
            if multipliers:
                entry[name] = [
                    number for pair in sorted(multipliers) for number in pair
                ]
        return entry

    def _count(self, number: int) -> dict[str, Any]:
        """Return a count as an entry of the file."""
        count = self._counted[number]
        entry: dict[str, Any] = {"of": "groups" if count.groups else "rows"}
        if count.types is not None:
            entry["types"] = sorted(self._rank[count.types].tolist())
        if count.patterns is not None:
            numbers = self._numbers[count.patterns].tolist()
            entry["patterns"] = [self.patterns[p] for p in numbers]
        return entry

    def _cut(self, number: int) -> list[list[int]]:
        """Return a cut as an entry of the file."""
        cut = self._given[number]
        types = sorted(self._rank[cut.types].tolist())
        return [types, [self.patterns[int(p)] for p in cut.patterns]]

    def _pattern(self, number: int) -> list[int]:
        """Return types that only a pattern and larger ones cover."""
        first, last = self._all.starts[number], self._all.starts[number + 1]
        chosen = cover(self._positions, self._all.types[first:last])
        return sorted(self._rank[chosen].tolist())
