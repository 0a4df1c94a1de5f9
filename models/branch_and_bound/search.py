"""Best-first search of a tree of relaxations, strengthened by cuts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from instances import BoolArray, RowTypes, Run
from models.branch_and_bound.candidates import Candidates
from models.branch_and_bound.facts import Facts, Split
from models.branch_and_bound.multipliers import UNIT, Multipliers, Prover, most_price
from models.branch_and_bound.relaxation import Point, Relaxation
from models.branch_and_bound.tree import Node, OpenNodes
from models.patterns.decode import partition_of, partition_of_loads
from models.patterns.group_cuts import GroupCut
from models.patterns.pattern_program import PatternProgram
from models.solvers.mip_search import integral
from models.solvers.program import Floats

_LEAST_GAIN = 0.01  # Cuts go on as long as a round raises the bound by this.


@dataclass(frozen=True)
class TreeParams:
    """Constants that steer the search of a tree.

    Attributes
    ----------
    root_rounds, rounds
        Most rounds of cuts at the root, and at any other node.
    candidates, counts
        Splits of heights, and of counts, that are probed before one is chosen.
    most_nodes
        The tree has no more, so that its certificate can be read.
    most_incidences
        Where more are left at the root, it is not split.
    thin_share
        The program of the root is thinned and solved anew as long as what better
        releases may use of it is at most this share.
    """

    root_rounds: int = 20
    rounds: int = 3
    candidates: int = 6
    counts: int = 3
    most_nodes: int = 200_000
    most_incidences: float = math.inf
    thin_share: float = 0.8


DEFAULTS = TreeParams()


class TreeSearch:
    """Branch and bound on the linear relaxation; every bound is one of whole prices.

    Parameters
    ----------
    run
        It has an incumbent, learns better ones and the bound.
    program, types
        The pattern program and its row types.
    params
        Constants that steer the search.
    end
        When to stop at the latest, in seconds since the run began.
    cuts, start
        Cuts to begin with, and prices and multipliers of them.

    Attributes
    ----------
    root
        The tree.
    relaxation
        It has the cuts that the multipliers of the nodes refer to.
    nodes
        How many relaxations were solved.
    """

    def __init__(
        self,
        run: Run,
        program: PatternProgram,
        types: RowTypes,
        params: TreeParams,
        end: float = math.inf,
        cuts: Sequence[GroupCut] = (),
        start: Multipliers | None = None,
    ) -> None:
        assert run.value is not None
        self.run, self.program, self.types, self.params = run, program, types, params
        penalty = min(max(1, run.value), most_price(run))
        self.relaxation = Relaxation(program, float(penalty))
        self.relaxation.add(cuts)
        relaxation = self.relaxation
        self._prover = Prover(program, relaxation.cuts, relaxation.counts)
        self._candidates = Candidates(relaxation)
        start = start or Multipliers(np.zeros(len(types), np.int64), {})
        self.root = Node((), start, -math.inf)
        self.root.bound = self._proven(start, self._facts(self.root))
        self._open = OpenNodes()
        self._open.push(self.root)
        self._left = math.inf  # the least bound of leaves that were given up
        self._end = end
        self.nodes = 0

    @property
    def _remaining(self) -> float:
        return min(self.run.remaining, self._end - self.run.elapsed)

    @property
    def goal(self) -> int:
        """A bound from which on a leaf has no better release than the incumbent."""
        assert self.run.value is not None
        return (self.run.value - 1) * UNIT + 1

    @property
    def bound(self) -> int:
        """What the whole tree proves, in units of the objective."""
        assert self.run.value is not None
        least = min(self._open.least, self._left)
        if least >= self.goal:
            return self.run.value
        return max(0, -int(-least // UNIT)) if math.isfinite(least) else 0

    def search(self) -> bool:
        """Search until the tree proves the incumbent optimal; whether it does."""
        while (node := self._open.pop(self.goal)) is not None:
            expanded = False
            try:
                expanded = self._expand(node)
            finally:
                if not expanded:  # for whatever reason: its bound still counts
                    self._open.push(node)
            if not expanded:
                break
            self.run.raise_bound(self.bound, "branch_and_bound")
        return self.bound == self.run.value

    def useful_at_root(self) -> BoolArray:
        """Bound the root; mark what better releases may use of the incidences."""
        self._bound(self.root)
        return self._prover.useful(self.root.multipliers, self.goal)

    def _expand(self, node: Node) -> bool:
        """Solve a node and branch; False where there is no time or room left."""
        params = self.params
        if self._remaining <= 0 or self.nodes >= params.most_nodes:
            return False
        if self.program.incidences > params.most_incidences:
            return False
        self.nodes += 1
        point = self._bound(node)
        if point is None and self._remaining <= 0:
            return False
        if node.bound < self.goal:
            self._branch(node, point)
        return True

    def _bound(self, node: Node) -> Point | None:
        """Raise the bound of a node by its relaxation and cuts; its last point."""
        facts = self._facts(node)
        rounds = self.params.rounds if node.decisions else self.params.root_rounds
        point, last = None, -math.inf
        for _ in range(rounds + 1):
            solved = self.relaxation.solve(facts, self._remaining)
            if solved is None:
                break
            point = solved
            self._improve(node, point)
            gained, last = point.value - last, point.value
            if node.bound >= self.goal or gained < _LEAST_GAIN:
                break
            if not self.relaxation.separate(point):
                break
        return point

    def _improve(self, node: Node, point: Point) -> None:
        """Take the multipliers of a point where they prove more."""
        multipliers = self._prover.whole(point)
        if not multipliers.fit(self.run, max(self.program.k, self.program.l)):
            return
        proven = self._proven(multipliers, self._facts(node))
        if proven > node.bound:
            node.multipliers, node.bound = multipliers, proven

    def _facts(self, node: Node) -> Facts:
        return node.facts(len(self.program.patterns))

    def _proven(self, multipliers: Multipliers, facts: Facts) -> float:
        bound = self._prover.bound(multipliers, facts)
        return math.inf if bound is None else bound

    def _branch(self, node: Node, point: Point | None) -> None:
        splits = [] if point is None else self._splits(node, point)
        if point is None or not splits:
            self._left = min(self._left, node.bound)
            return
        if node.bound >= self.goal:  # a better release was offered
            return
        split = self._best_split(node, point, splits)
        children = []
        for decisions in node.sides(split):
            child = Node(decisions, node.multipliers, node.bound)
            child.bound = self._proven(node.multipliers, self._facts(child))
            children.append(child)
        node.split, node.children = split, tuple(children)
        for child in children:
            if child.bound < self.goal:
                self._open.push(child)

    def _splits(self, node: Node, point: Point) -> list[Split]:
        """Return the splits to choose from, none where the point is integral.

        Prices may prove less than the relaxation where groups are counted by some of
        their types. Then what the relaxation is without such counts is split.
        """
        splits = self._heights_or_rows(point)
        if splits and not splits[0].counted:
            return splits + self._candidates.counts(point.x, self.params.counts)
        facts, counts = self._facts(node), self.relaxation.counts
        by_types = {c for c in facts.limits if counts[c].by_types}
        if splits or not by_types or node.bound >= self.goal:
            return splits
        limits = {c: at for c, at in facts.limits.items() if c not in by_types}
        weaker = self.relaxation.solve(Facts(facts.heights, limits), self._remaining)
        if weaker is None:
            return []
        self._improve(node, weaker)
        return self._heights_or_rows(weaker)

    def _heights_or_rows(self, point: Point) -> list[Split]:
        """Return splits of heights; of rows where all are whole.

        Then the point may stand for a release, which is offered.
        """
        most = self.params.candidates
        splits = self._candidates.heights(point.x)[:most]
        if not splits:
            self._offer(point)
            splits = self._candidates.rows(point.x, most)
        return splits

    def _best_split(self, node: Node, point: Point, splits: list[Split]) -> Split:
        """Return the split whose sides gain most, by the product of their gains."""
        best, chosen = -1.0, splits[0]
        most = max(1e-3, self.goal / UNIT - point.value)
        for split in splits:
            gains = []
            for decisions in node.sides(split):
                side = self._facts(Node(decisions, node.multipliers, node.bound))
                value = self.relaxation.probe(side)
                gains.append(min(most, max(1e-6, value - point.value)))
            if gains[0] * gains[1] > best:
                best, chosen = gains[0] * gains[1], split
        return chosen

    def _offer(self, point: Point) -> None:
        """Offer an integral point as a release, if it is one."""
        program = self.program
        if program.distinct > 1 or program.sensitive.shape[1] > 1:
            self._offer_loads(np.rint(point.x[: program.incidences]))
            return
        whole = integral(self.program.program, point.x)
        if whole is not None:
            self.run.offer(partition_of(self.types, self.program, whole))

    def _offer_loads(self, x: Floats) -> None:
        """Offer what a point places in patterns, if that is a release."""
        patterns, run = self.program.patterns, self.run
        if (np.bincount(patterns.types, x) != patterns.counts).any():
            return
        release = partition_of_loads(self.types, patterns, x.astype(np.int64))
        if not release.violation(run.table, run.requirement, run.objective):
            run.offer(release)
