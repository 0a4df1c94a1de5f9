"""Branch and bound over the boxes that are left, by numbers of groups in sets."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from starmin.instances.arrays import Bools, Floats
from starmin.models.best_first import BestFirst
from starmin.models.boxes.master.exact import BoxParams, ExactDuals, ExactProgram
from starmin.models.boxes.master.master import Counted, Duals, Point, Relaxation
from starmin.models.boxes.master.separation import (
    boxes_inside,
    candidate_sets,
    find_sets,
    full_sets,
    numbers_of,
)
from starmin.models.boxes.master.side_constraints import (
    PILES,
    TALLY,
    Joint,
    Tally,
    fractional_rows,
)
from starmin.models.boxes.walk.box_data import CAPPED

# Splits of a node: sets of rows with a fractional number of groups inside.

_SOME = 1e-9  # of a group: what floating point leaves of none
_NEAR = 0.02  # numbers of groups so near to a whole one are not split on


def best_split(
    relaxation: Relaxation, point: Point, tried: int, joint: Joint | None = None
) -> tuple[Counted, int] | None:
    """Return a set, and a number of groups, less and more than are inside.

    Where numbers of groups are whole, numbers of piles are looked at, if groups have
    several; or, with several sensitive columns, numbers of rows in a box. None where
    all are whole. Of the sets whose number is least near to a whole one, up to
    ``tried`` are tried for a few steps of the simplex method (strong branching). Sets
    are half-spaces, values, boxes of the point and unions of two.
    """
    data, pool = relaxation.data, relaxation.pool
    y = relaxation.master.in_boxes(point.x, len(pool))
    support = np.flatnonzero(y > 1e-7)
    members, share = pool.members(support), data.least
    candidates = candidate_sets(data, members)
    sets, numbers = _fractional(candidates, members, y[support], tried)
    if len(sets) == 0 and joint is not None:
        return _split_rows(relaxation, point, joint)
    if len(sets) == 0 and data.kind == CAPPED:
        groups, share = relaxation.master.groups(), PILES
        x = point.x * (groups.sizes[: len(point.x)] // data.share)
        y = relaxation.master.in_boxes(x, len(pool))
        sets, numbers = _fractional(candidates, members, y[support], tried)
    if len(sets) == 0:
        return None
    known = len(relaxation.sets)
    places = relaxation.add_sets([(inside, share) for inside in sets])
    scores = []
    for place, number in zip(places, numbers, strict=True):
        relaxation.run.check_time()
        low, high = relaxation.least[place], relaxation.most[place]
        below = relaxation.master.try_sides(place, (float(low), math.floor(number)))
        above = relaxation.master.try_sides(place, (math.ceil(number), float(high)))
        gains = [max(each - point.value, 1e-9) for each in (below, above)]
        scores.append(min(gains) * 5 + max(gains))
    if len(relaxation.sets) > known:
        relaxation.drop_sets(len(relaxation.sets) - known)
    best = int(np.argmax(scores))
    return (sets[best], share), math.floor(numbers[best])


def rows_in_boxes(relaxation: Relaxation, x: Floats) -> dict[int, Floats]:
    """Return how many rows of each type a point publishes as each of its boxes."""
    groups, m = relaxation.master.groups(), len(relaxation.data.counts)
    found: dict[int, Floats] = {}
    for g in np.flatnonzero(x > _SOME).tolist():
        own = slice(int(groups.starts[g]), int(groups.starts[g + 1]))
        rows = found.setdefault(int(groups.box[g]), np.zeros(m))
        rows[groups.types[own]] += x[g] * groups.copies[own]
    return found


def _split_rows(
    relaxation: Relaxation, point: Point, joint: Joint
) -> tuple[Counted, int] | None:
    """Return a box with rows of some types, and a number less than these and more."""
    best, far = None, 1e-6
    for box, rows in rows_in_boxes(relaxation, point.x).items():
        (members,) = relaxation.pool.members(np.array([box]))
        distance, counted, number = fractional_rows(joint, members, rows)
        if distance > far:
            far = distance
            best = (members, TALLY, Tally.rows(counted)), math.floor(number)
    return best


def _fractional(
    sets: Bools, members: Bools, y: Floats, most: int
) -> tuple[Bools, Floats]:
    """Select the sets whose numbers of groups are least near to whole ones."""
    inside = boxes_inside(sets, members)
    numbers = numbers_of(inside, y)
    far = np.abs(numbers - np.rint(numbers))
    order = np.argsort(-far, kind="stable")
    order = order[far[order] > (_NEAR if (far > _NEAR).any() else 1e-6)]
    chosen: list[int] = []
    seen: set[bytes] = set()
    for s in order:
        key = inside[s].tobytes()
        if key not in seen and len(chosen) < most:
            seen.add(key)
            chosen.append(int(s))
    return sets[chosen], np.asarray(numbers[chosen])


# The bound at the root: prices of rows and multipliers of box cuts.

_SHARES = 0.7, 0.3, 0.0  # of the best duals in those at which boxes are looked for
_FAR = 0.5  # of the gap: where less is to be gained, the last duals come first


class Root:
    """Column generation with exact pricing, and rounds of cuts.

    The relaxation has groups with which it is feasible, and boxes that are near to
    them. ``start`` are the duals to begin with; ``goal`` returns what bound ends the
    search. ``best`` are the duals that prove most, and ``bound`` is what they prove.
    """

    def __init__(
        self,
        relaxation: Relaxation,
        start: Duals,
        goal: Callable[[], int],
        params: BoxParams,
    ) -> None:
        self.relaxation, self.goal, self.params = relaxation, goal, params
        self.best, self.bound = start, -(2**62)

    def solve(self, between: Callable[["Root", Point], bool]) -> None:
        """Raise the bound as far as cuts are found.

        ``between`` is called with this and the point before each round of cuts, and
        says whether the bound is enough.
        TimeoutError where the time is up.
        """
        self._begin()
        left = self.params.patience
        while left > 0:
            before = self.bound
            point = self._converge()
            if between(self, point) or self.bound >= self.goal():
                return
            if not add_cuts(self.relaxation, point, self.params.cuts):
                return
            enough = self.params.little * (self.goal() - before)
            left = self.params.patience if self.bound - before > enough else left - 1

    def _begin(self) -> None:
        """Prove what the first prices do; add the boxes that are cheapest at them."""
        relaxation, start = self.relaxation, self.best
        gap = max(0, self.goal() - relaxation.base(start))
        found = relaxation.find(start, gap, self.params.boxes)
        self.bound = relaxation.proven(start, found.least)
        places = relaxation.pool.add(found.lows, found.highs)
        relaxation.add_groups(relaxation.fills(start, places))

    def _converge(self) -> Point:
        """Solve with all groups in all boxes."""
        while True:
            point, duals, _ = self.relaxation.converge()
            far = self.relaxation.base(duals) - self.bound
            near = far < _FAR * (self.goal() - self.bound)
            shares = _SHARES[-1:] if near else _SHARES
            if not any(self._grow(duals, share) for share in shares):
                return point
            if self.bound >= self.goal():
                return point

    def _grow(self, duals: Duals, share: float) -> bool:
        """Look for boxes between the best duals and the last ones.

        Those join, too, that may be in a better release by what is proven.

        Returns whether some joined that are worth less than 0 at the last ones.
        """
        relaxation = self.relaxation
        mean = duals.mixed(self.best, share)
        gap = max(0, self.goal() - self.bound) if self.bound > 0 else 0
        found = relaxation.find(mean, gap, self.params.boxes)
        bound = relaxation.proven(mean, found.least)
        if bound > self.bound:
            self.best, self.bound = mean, bound
        new = len(relaxation.pool)
        relaxation.pool.add(found.lows, found.highs)
        if len(relaxation.pool) == new:
            return False
        return bool(relaxation.worth(duals)[new:].min() < -relaxation.eps)


def add_cuts(relaxation: Relaxation, point: Point, most: int) -> bool:
    """Add so many cuts at most that a point violates; whether there are any."""
    data, pool = relaxation.data, relaxation.pool
    y = relaxation.master.in_boxes(point.x, len(pool))
    support = np.flatnonzero(y > 1e-6)
    given = data, pool.bits[support], y[support], most
    sets = find_sets(*given, relaxation.run.check_time)
    if not sets and most:
        sets = full_sets(data, pool.members(support), y[support], most)
    relaxation.add_sets([(inside, data.least) for inside in sets])
    return bool(sets)


_ARTIFICIAL = 1e-9
_DEARER = 3  # times that artificial columns may become dearer
_BOX_TREE_NEAR = 1e-7  # of what all groups may lose: what floating point may leave open


@dataclass(eq=False)
class BoxNode:
    """A node: what sets have on the path to it, and what was proven of it."""

    # by place of a set: how many groups lie in it at least and at most
    sides: dict[int, tuple[int, int]]
    bound: int  # bound, duals: what loops found, and by what
    duals: Duals
    # exact, proof: what was proven exactly, and by what; None where that is what loops
    # found
    exact: int
    proof: ExactDuals | None = None
    # place of a set and the most groups of the first child
    split: tuple[int, int] | None = None
    children: list["BoxNode"] = field(default_factory=list)  # the nodes below


class BoxTree:
    """Best-first branch and bound.

    ``program`` is over all boxes that a better release may use, and ``bound`` is what
    ``duals`` prove at the root. ``found`` is called with each point, and may find a
    better release. ``joint`` is what groups need in all sensitive columns, where the
    rule is that of one.
    """

    def __init__(
        self,
        program: ExactProgram,
        duals: Duals,
        bound: int,
        found: Callable[[Point], None],
        params: BoxParams,
        joint: Joint | None,
    ) -> None:
        self.program, self.unit = program, program.unit
        self.relaxation = program.relaxation
        self.found, self.params, self.joint = found, params, joint
        self.root = BoxNode({}, bound, duals, self.unit.exact(bound))
        self._leaves = BestFirst[BoxNode](lambda node: node.bound)
        self._leaves.open(self.root)
        self.nodes = 1

    @property
    def proven(self) -> int:
        """What the tree proves exactly: the least of its leaves, or the goal."""
        return min([self._goal, *(node.exact for node in self._leaves)])

    @property
    def _goal(self) -> int:
        return self.unit.exact_goal(self.relaxation.run.cost)

    def search(self) -> None:
        """Split nodes until that is enough; TimeoutError where the time is up."""
        is_enough = self.relaxation.run.is_enough
        while not is_enough(self.unit.bound(self.proven)):
            if not self._leaves.expand(self._visit):
                break

    def _is_done(self, node: BoxNode) -> bool:
        return node.exact >= self._goal

    def _visit(self, nodes: list[BoxNode]) -> list[BoxNode]:
        """Solve a node, and split it unless it reaches the goal."""
        (node,) = nodes
        if self._is_done(node):
            return []
        point = self._solve(node)
        for _ in range(self.params.tree_rounds):
            if self._is_done(node):
                return []
            if not add_cuts(self.relaxation, point, self.params.cuts):
                break
            point = self._solve(node)
        while not self._is_done(node) and self._add_tallies(point):
            point = self._solve(node)
        if self._is_done(node):
            return []
        split = best_split(self.relaxation, point, self.params.tried, self.joint)
        if split is None:
            self._refine(node)
            if not self._is_done(node):
                self._leaves.settled.append(node)
            return []
        counted, number = split
        (place,) = self.relaxation.add_sets([counted])
        node.split = place, number
        low, high = node.sides.get(place, (0, int(self.relaxation.most[place])))
        for side in ((low, min(high, number)), (max(low, number + 1), high)):
            sides = node.sides | {place: side}
            child = BoxNode(sides, node.bound, node.duals, node.exact, node.proof)
            node.children.append(child)
        self.nodes += len(node.children)
        return node.children

    def _add_tallies(self, point: Point) -> bool:
        """Add what groups need in all columns and lack; whether a point lacks any."""
        relaxation, known = self.relaxation, len(self.relaxation.sets)
        if self.joint is None or point.artificial > _ARTIFICIAL:
            return False
        y = relaxation.master.in_boxes(point.x, len(relaxation.pool))
        for box, rows in rows_in_boxes(relaxation, point.x).items():
            (members,) = relaxation.pool.members(np.array([box]))
            short = self.joint.short(members, rows, float(y[box]))
            relaxation.add_sets([(members, TALLY, tally) for tally in short])
        return len(relaxation.sets) > known

    def _solve(self, node: BoxNode) -> Point:
        """Solve the relaxation of a node; its bound may rise."""
        relaxation = self.relaxation
        for tried in range(_DEARER + 1):
            self._restrict(node)
            point, duals, worth = relaxation.converge()
            bound = relaxation.proven(duals, int(worth.min(initial=0)))
            if bound > node.bound:
                node.bound, node.duals = bound, duals
                if self.unit.exact(bound) > node.exact:
                    node.exact, node.proof = self.unit.exact(bound), None
            if point.artificial < _ARTIFICIAL or self._is_done(node):
                break
            if tried < _DEARER:
                relaxation.master.dearer()
        if point.artificial < _ARTIFICIAL:
            self.found(point)
            near = int(_BOX_TREE_NEAR * relaxation.whole * relaxation.most_groups)
            goal = self.unit.goal(relaxation.run.cost) - near
            if node.bound >= goal and not self._is_done(node):
                self._refine(node)
        return point

    def _refine(self, node: BoxNode) -> None:
        """Prove more of a node that was just solved, exactly."""
        bound, proof = self.program.refine(node.duals, self._goal)
        if bound > node.exact:
            node.exact, node.proof = bound, proof

    def _restrict(self, node: BoxNode) -> None:
        relaxation = self.relaxation
        least, most = np.zeros(len(relaxation.sets), np.int64), relaxation.sets.most
        for place, (low, high) in node.sides.items():
            least[place], most[place] = low, high
        relaxation.bound(least, most)
