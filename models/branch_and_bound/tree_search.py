"""Best-first search of a tree of relaxations, strengthened by cuts."""

import itertools
import math

import numpy as np

from starmin.instances import RowTypes, Run
from starmin.instances.arrays import Bools
from starmin.instances.runs.workers.cores import cores
from starmin.instances.runs.workers.threads import Threads
from starmin.models.branch_and_bound.known_cuts import Known
from starmin.models.branch_and_bound.multipliers import Multipliers, TreeUnit
from starmin.models.branch_and_bound.node_solver import NodeSolver
from starmin.models.branch_and_bound.open_nodes import Node, OpenNodes
from starmin.models.branch_and_bound.tree_params import TreeParams
from starmin.models.pattern_program.pattern_program import PatternProgram


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
        types: RowTypes,
        params: TreeParams,
        end: float = math.inf,
        known: Known | None = None,
        start: Multipliers | None = None,
    ) -> None:
        assert run.value is not None
        self.run, self.program, self.types, self.params = run, program, types, params
        self.known = known or Known()
        self._first = max([-1, *self.known.cuts]) + 1
        self._unit, most_price = TreeUnit.of(run)
        self._penalty = float(min(max(1, run.value), most_price))
        self._solvers = [self._solver(0)]
        self._solvers[0].relaxation.add(sorted(self.known.cuts))
        start = start or Multipliers(np.zeros(len(types), np.int64), {})
        self.root = Node((), start, -math.inf)
        facts = self.root.facts(len(program.patterns))
        self.root.bound = self._solvers[0].proven(start, facts)
        self._open = OpenNodes()
        self._open.push(self.root)
        self._left = math.inf  # the least bound of leaves that were given up
        self._end = end
        self.nodes = 0

    def _solver(self, place: int) -> NodeSolver:
        numbers = itertools.count(self._first + place, self.params.workers)
        return NodeSolver(
            *(self.run, self.program, self.types, self.params),
            *(self.known, self._penalty, numbers),
        )

    @property
    def _remaining(self) -> float:
        return min(self.run.remaining, self._end - self.run.elapsed)

    @property
    def goal(self) -> int:
        """A bound from which on a leaf has no better release than the incumbent."""
        assert self.run.value is not None
        return (self.run.value - 1) * self._unit + 1

    @property
    def bound(self) -> int:
        """What the whole tree proves, in units of the objective."""
        assert self.run.value is not None
        least = min(self._open.least, self._left)
        if least >= self.goal:
            return self.run.value
        return max(0, -int(-least // self._unit)) if math.isfinite(least) else 0

    def search(self) -> bool:
        """Search until the tree proves the incumbent optimal; whether it does.

        Some nodes are expanded at a time, those with the lowest bounds: how many does
        not depend on the cores, so that the tree does not.
        """
        with Threads(min(self.params.workers, cores())) as threads:
            while nodes := self._next_nodes():
                expanded = False
                try:
                    expanded = self._expand(nodes, threads)
                finally:
                    if not expanded:  # for whatever reason: their bounds still count
                        for node in nodes:
                            self._open.push(node)
                if not expanded:
                    break
                self.run.raise_bound(self.bound, "branch_and_bound")
        return self.bound == self.run.value

    def useful_at_root(self) -> Bools:
        """Bound the root; mark what better releases may use of the incidences."""
        useful = self._solvers[0].useful
        with Threads(1) as one:  # HiGHS keeps the number of threads of who calls it
            return one.submit(useful, self.root, self.goal, self._end).result()

    def _next_nodes(self) -> list[Node]:
        """Take the next nodes to expand, one for each worker at most."""
        nodes = list[Node]()
        while len(nodes) < self.params.workers:
            node = self._open.pop(self.goal)
            if node is None:
                break
            nodes.append(node)
        return nodes

    def _expand(self, nodes: list[Node], threads: Threads) -> bool:
        """Solve nodes and split them; False where there is no time or room left."""
        params = self.params
        if self._remaining <= 0 or self.nodes >= params.most_nodes:
            return False
        if self.program.incidences > params.most_incidences:
            return False
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
        for node, expanded in zip(nodes, done, strict=True):
            self._file(node, expanded)
        return True

    def _file(self, node: Node, expanded: bool) -> None:
        """Put the children of a node among the open ones, or note that it has none."""
        if not expanded:
            self._open.push(node)
            return
        for child in node.children:
            if child.bound < self.goal:
                self._open.push(child)
        if not node.children:
            self._left = min(self._left, node.bound)
