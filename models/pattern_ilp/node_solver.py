"""A worker of a tree search: bounds nodes and splits them."""

import math
from collections.abc import Iterator

import numpy as np

from starmin.instances import Partition, Run
from starmin.instances.arrays import Bools, Floats
from starmin.models.pattern_ilp.multipliers import Multipliers, Node, Prover, TreeUnit
from starmin.models.pattern_ilp.split_counts import Count, Facts, Split, TreeParams
from starmin.models.pattern_ilp.tree_relaxation import Point, Relaxation
from starmin.models.pattern_program.pattern_program import (
    partition_of,
    partition_of_loads,
)
from starmin.models.solvers.mip_search import integral

# Splits by which a point of the relaxation falls.

_INTEGRAL = 1e-6  # A value so near to a whole number is one.
_LEAST_AWAY = 0.1  # A count is split where it is so far from a whole number.
_PAIRS = 2  # Pairs of types that are looked at.


class Candidates:
    """Finds splits of heights and of counts, at points of a relaxation.

    Counts that are offered are added to the relaxation.
    """

    def __init__(self, relaxation: Relaxation) -> None:
        self.relaxation = relaxation
        self._numbers: dict[str, int] = {}

    def heights(self, x: Floats) -> list[Split]:
        """Return splits of heights of patterns, the most fractional first."""
        program = self.relaxation.program
        count = len(program.patterns)
        found = []
        if program.k > 1:
            y = x[program.first_y : program.first_y + count]
            found = [Split(p, 0) for p in _fractional(y)]
        if program.l > 1 and not found:
            height = x[program.incidences : program.incidences + count]
            found = [Split(p, math.floor(height[p])) for p in _fractional(height)]
        return found

    def rows(self, x: Floats, most: int) -> list[Split]:
        """Return splits of the rows of a type in a pattern, the most fractional first.

        They are what is left to decide where all heights are whole.
        """
        patterns, found = self.relaxation.program.patterns, list[Split]()
        for e in _fractional(x[: len(patterns.types)])[:most]:
            of_one = np.array([patterns.types[e]]), np.array([patterns.pattern[e]])
            number = self._number(Count(False, *of_one))
            found.append(Split(number, math.floor(x[e]), True))
        return found

    def counts(self, x: Floats, most: int) -> list[Split]:
        """Return splits of counts that are fractional, the most fractional first.

        Of rows and groups with a star in a column, of all groups, of the groups of
        cuts, and of groups with either of two types.
        """
        if most == 0:
            return []
        rated = list[tuple[float, int, int, Count]]()
        for count in self._offered(x):
            value = self._value(count, x)
            away = abs(value - round(value))
            if away > _LEAST_AWAY:
                rated.append((-away, len(rated), math.floor(value), count))
        return [
            Split(self._number(count), g, True)
            for _, _, g, count in sorted(rated, key=lambda each: each[:2])[:most]
        ]

    def _offered(self, x: Floats) -> Iterator[Count]:
        relaxation, program = self.relaxation, self.relaxation.program
        patterns = program.patterns
        for starred in patterns.starred.T:
            some = np.flatnonzero(starred)
            yield Count(False, None, some)
            if program.k > 1:
                yield Count(True, None, some)
        if program.k > 1:
            yield Count(True)
            for cut in relaxation.cuts:
                yield Count(True, None, cut.patterns)
        yield from self._pairs(x)

    def _pairs(self, x: Floats) -> Iterator[Count]:
        """Visit pairs of types that share the most fractional patterns."""
        patterns = self.relaxation.program.patterns
        part = x[: len(patterns.types)] / patterns.counts[patterns.types]
        away = np.minimum(part, 1 - part)
        order = np.argsort(-np.bincount(patterns.pattern, away), kind="stable")
        for p in order[:_PAIRS]:
            first, last = patterns.starts[p], patterns.starts[p + 1]
            if last - first > 1:
                both = first + np.argsort(-away[first:last], kind="stable")[:2]
                yield Count(True, np.sort(patterns.types[both]).astype(np.int64))

    def _value(self, count: Count, x: Floats) -> float:
        """Return what the relaxation counts at a point at least."""
        program = self.relaxation.program
        patterns = program.patterns
        if count.groups and count.types is None:
            y = x[program.first_y : program.first_y + len(patterns)]
            return float((y if count.patterns is None else y[count.patterns]).sum())
        members = count.members(patterns)
        copies = x[: program.incidences][members]
        if not count.groups:
            return float(copies.sum())
        most = np.zeros(len(patterns))
        share = copies / patterns.counts[patterns.types[members]]
        np.maximum.at(most, patterns.pattern[members], share)
        return float(most.sum())

    def _number(self, count: Count) -> int:
        """Return the number of a count in the relaxation, added once."""
        key = repr([count.groups, *(a is None or a.tolist() for a in count[1:])])
        if key not in self._numbers:
            self._numbers[key] = self.relaxation.count(count)
        return self._numbers[key]


def _fractional(values: Floats) -> list[int]:
    away = np.abs(values - np.rint(values))
    places = np.flatnonzero(away > _INTEGRAL)
    return [int(p) for p in places[np.argsort(-away[places], kind="stable")]]


_LEAST_GAIN = 0.01  # Cuts go on as long as a round raises the bound by this.


class NodeSolver:
    """Bounds nodes by relaxation and cuts, and splits them.

    Nothing is shared with other solvers but the nodes that it is given, and the cuts
    and counts that are ``known``, to which it only adds. ``releases`` are those that it
    came across.
    """

    def __init__(self, run: Run, relaxation: Relaxation, params: TreeParams) -> None:
        self.run, self.relaxation, self.params = run, relaxation, params
        self.program, self.known = relaxation.program, relaxation.known
        self._unit = TreeUnit.of(run).per_cost
        self._prover = Prover(self.program, self.known, self._unit)
        self._candidates = Candidates(relaxation)
        self._goal, self._end = math.inf, math.inf
        self.releases: list[Partition] = []

    @property
    def _remaining(self) -> float:
        return min(self.run.remaining, self._end - self.run.elapsed)

    def expand(self, node: Node, goal: float, end: float) -> bool:
        """Raise the bound of a node; split it unless it reaches the goal.

        The node is a leaf; its bound, multipliers, split and children are set. From the
        bound ``goal`` on it has no better release. Returns False where the time was up
        before: ``end``, in seconds since the run began, is when to stop at the latest.
        """
        self._goal, self._end = goal, end
        point = self._bound(node)
        if point is None and self._remaining <= 0:
            return False
        if point is not None and node.bound < self._goal:
            self._split(node, point)
        return True

    def proven(self, multipliers: Multipliers, facts: Facts) -> float:
        """Return what multipliers prove; infinite if there is no such release."""
        bound = self._prover.bound(multipliers, facts)
        return math.inf if bound is None else bound

    def useful(self, root: Node, goal: int, end: float) -> Bools:
        """Bound the root; mark what better releases may use of the incidences."""
        self._goal, self._end = goal, end
        self._bound(root)
        return self._prover.useful(root.multipliers, goal)

    def _facts(self, node: Node) -> Facts:
        return node.facts(len(self.program.patterns))

    def _bound(self, node: Node) -> Point | None:
        """Raise the bound of a node by its relaxation and cuts; its last point."""
        facts = self._facts(node)
        rounds = self.params.rounds if node.decisions else self.params.root_rounds
        self.relaxation.add(sorted(node.multipliers.cuts))
        point, last = None, -math.inf
        for _ in range(rounds + 1):
            solved = self.relaxation.solve(facts, self._remaining)
            if solved is None:
                break
            point = solved
            self._improve(node, point)
            gained, last = point.value - last, point.value
            if node.bound >= self._goal or gained < _LEAST_GAIN:
                break
            if not self.relaxation.separate(point):
                break
        return point

    def _improve(self, node: Node, point: Point) -> None:
        """Take the multipliers of a point where they prove more."""
        multipliers = self._prover.whole(point)
        if not multipliers.fit(self.run, self.program.least_size):
            return
        proven = self.proven(multipliers, self._facts(node))
        if proven > node.bound:
            node.multipliers, node.bound = multipliers, proven

    def _split(self, node: Node, point: Point) -> None:
        """Split a node; it is left as it is where nothing is left to split."""
        splits = self._splits(node, point)
        if not splits or node.bound >= self._goal:
            return
        split = self._best_split(node, point, splits)
        children = []
        for decisions in node.sides(split):
            child = Node(decisions, node.multipliers, node.bound)
            child.bound = self.proven(node.multipliers, self._facts(child))
            children.append(child)
        node.split, node.children = split, tuple(children)

    def _splits(self, node: Node, point: Point) -> list[Split]:
        """Return the splits to choose from, none where the point is integral.

        Prices may prove less than the relaxation where groups are counted by some of
        their types. Then what the relaxation is without such counts is split.
        """
        splits = self._heights_or_rows(point)
        if splits and not splits[0].counted:
            few = self.program.incidences <= self.params.counted_incidences
            most = self.params.counts if few else 0
            return splits + self._candidates.counts(point.x, most)
        facts, counts = self._facts(node), self.known.counts
        by_types = {c for c in facts.limits if counts[c].by_types}
        if splits or not by_types or node.bound >= self._goal:
            return splits
        limits = {c: at for c, at in facts.limits.items() if c not in by_types}
        weaker = self.relaxation.solve(Facts(facts.heights, limits), self._remaining)
        if weaker is None:
            return []
        self._improve(node, weaker)
        return self._heights_or_rows(weaker)

    def _heights_or_rows(self, point: Point) -> list[Split]:
        """Return splits of heights; of rows where all are whole.

        Then the point may stand for a release, which is kept.
        """
        most = self.params.candidates
        splits = self._candidates.heights(point.x)[:most]
        if not splits:
            self._keep_release(point.x)
            splits = self._candidates.rows(point.x, most)
        return splits

    def _best_split(self, node: Node, point: Point, splits: list[Split]) -> Split:
        """Return the split whose sides gain most, by the product of their gains."""
        best, chosen = -1.0, splits[0]
        most = max(1e-3, self._goal / self._unit - point.value)
        for split in splits:
            gains = []
            for decisions in node.sides(split):
                side = self._facts(Node(decisions, node.multipliers, node.bound))
                value = self.relaxation.probe(side)
                gains.append(min(most, max(1e-6, value - point.value)))
            if gains[0] * gains[1] > best:
                best, chosen = gains[0] * gains[1], split
        return chosen

    def _keep_release(self, x: Floats) -> None:
        """Keep the release that an integral point stands for, if it is a valid one.

        What costs as much is not looked for.
        """
        program, patterns = self.program, self.program.patterns
        if program.distinct == 1 and program.sensitive.shape[1] <= 1:
            if (whole := integral(program.program, x)) is None:
                return
            release = partition_of(program, whole)
        else:
            loads = np.rint(x[: program.incidences]).astype(np.int64)
            if (np.bincount(patterns.types, loads) != patterns.counts).any():
                return
            release = partition_of_loads(patterns, loads)
        if release.violation(*self.run.asked):
            return
        self.releases.append(release)
        value = release.value(self.run.table, self.run.objective)
        self._goal = min(self._goal, (value - 1) * self._unit + 1)
