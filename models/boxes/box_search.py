"""The steps of ``box_program``: the root, the boxes that are left, and the tree."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import zip_longest
from typing import Any

import numpy as np

from starmin.instances import (
    Certificate,
    Limit,
    NotSupportedError,
    Partition,
    Result,
    RowTypes,
    Run,
)
from starmin.instances.arrays import Floats, Ints
from starmin.instances.tables.row_types import canonical_order
from starmin.models.best_first import Listed
from starmin.models.bounds import DUAL_ASCENT
from starmin.models.bounds.dual_ascent import dual_ascent
from starmin.models.boxes.incumbent import (
    groups_of,
    joint_release,
    offer_best,
    offer_in_boxes,
    offer_whole,
    round_point,
)
from starmin.models.boxes.master.box_tree import BoxNode, BoxTree, Root
from starmin.models.boxes.master.exact import (
    BoxParams,
    BoxUnit,
    ExactDuals,
    ExactProgram,
)
from starmin.models.boxes.master.master import Duals, Point, Relaxation
from starmin.models.boxes.master.side_constraints import Joint, RowSets
from starmin.models.boxes.walk.box_data import PLAIN, GroupRule, box_columns, box_data
from starmin.models.boxes.walk.search import BoxPool, FoundBoxes, Groups
from starmin.models.patterns.coarse_losses import CoarseLosses

# Write what prices, sets and a tree prove: kind ``boxes`` of certificates.


class BoxWriter:
    """Numbers types and sets as the file does, sets as far as they occur.

    ``root`` are the duals at the root; leaves are written as changes to these.
    """

    def __init__(self, search: "BoxSearch", root: Duals) -> None:
        self._search, self._sets = search, search.relaxation.sets
        self._program = search.program()
        self._root = self._program.duals(root.padded(len(self._sets)))
        self._order = canonical_order(search.run.table, search.types)
        self._rank = np.argsort(self._order)
        self._listed = Listed(self._set)

    def certificate(self, bound: int, tree: BoxNode | None = None) -> Certificate:
        """Return a certificate of a bound in units of the objective."""
        run, joint = self._search.run, self._search.joint
        data: dict[str, Any] = {
            "denominator": self._search.unit.per_cost,
            "prices": [self._root.prices[t] for t in self._order.tolist()],
            "multipliers": self._multipliers(self._root.multipliers, []),
        }
        # A tree of one leaf may have better prices than those at the root.
        if tree is not None and (nodes := self._nodes(tree)) != [{}]:
            data["nodes"] = nodes
        data["sets"] = self._listed.written
        if self._sets.pool.data.values > 1:
            names = list(run.table.sensitive)
            # All where groups are not cut, that whose rule prices groups first.
            every = [] if joint is None else [names.pop(joint.base), *names]
            data["sensitive"] = every or names[0]
        return Certificate.of(*run.asked, "boxes", bound, data)

    def _nodes(self, root: BoxNode) -> list[dict[str, Any]]:
        """Return the nodes, each before its children."""
        written, waiting = [], [root]
        while waiting:
            node = waiting.pop()
            if node.split is not None:
                place, number = node.split
                written.append({"split": [self._listed[place], number]})
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
        return [number for s, m in changed for number in (self._listed[s], m)]

    def _set(self, s: int) -> list[Any]:
        """Return a set as an entry of the file."""
        types = np.sort(self._rank[self._sets.inside[s]]).tolist()
        if (tally := self._sets.tallies.get(s)) is None:
            return [types, int(self._sets.share[s])]
        return [types, tally.kind, np.sort(self._rank[tally.counted]).tolist()]


# Prices to begin with: those of a release, and those of dual ascent.

_KIND = "group_prices"
_START_BOXES = 1_000
_LAST_RISE = 40  # doublings of a price from a millionth of what a row can lose


def ascent(run: Run, seconds: float) -> Result | None:
    """Return what dual ascent proves; None where it does not take the problem."""
    if not DUAL_ASCENT.supports(run.requirement, run.objective):
        return None
    problem = run.table, run.requirement
    try:
        return dual_ascent(
            *problem, objective=run.objective, time_limit=seconds, initial=run.best
        )
    except NotSupportedError:
        return None


def prices_of(
    proof: Certificate | None, run: Run, types: RowTypes, unit: BoxUnit
) -> Ints | None:
    """Return the prices of a proof in ``unit``, by type; no group is worth less.

    None where the proof is of another kind than that of dual ascent, or of other types.
    It need not hold: what its prices prove is computed again.
    """
    if proof is None or proof.kind != _KIND or len(types) != len(proof.data["prices"]):
        return None
    scale = Fraction(unit.per_cost, proof.data["denominator"])
    if "unit" in proof.data:
        coarse = CoarseLosses.of(run.objective, run.table, proof.data["unit"])
        scale *= coarse.per_unit
    prices = np.zeros(len(types), np.int64)
    prices[canonical_order(run.table, types)] = [
        unit.coarse(price * scale.numerator // scale.denominator)
        for price in proof.data["prices"]
    ]
    return prices


def raise_prices(relaxation: Relaxation) -> Duals:
    """Return prices at which each type is in some box that is worth less than 0.

    They are doubled where it is in none. The boxes join the pool.
    """
    data, pool = relaxation.data, relaxation.pool
    none = np.zeros(len(relaxation.sets), np.int64)
    prices = np.full(len(data.counts), max(1, relaxation.whole >> 20), np.int64)
    for _ in range(_LAST_RISE):
        found = relaxation.find(Duals(prices, none), 0, _START_BOXES)
        pool.add(found.lows, found.highs)
        covered = pool.members()[relaxation.pool.worth(prices) < 0].any(axis=0)
        if covered.all():
            break
        prices = np.where(covered, prices, 2 * prices)
    return Duals(prices, none)


# The search.

_NAME = "box_program"
_MOST_TYPES = 5_000
_AT_ONCE = 5_000  # boxes that join between two looks at the clock
# Of the boxes that are left each type is looked at, and by set some; so many a second,
# with as much time for the tree.
_MEMBERS, _LOOKS = 30, 5e7
_WHOLE = 1e-6  # numbers of groups so near to whole ones are whole


class BoxSearch:
    """One problem, with its row types and its relaxation.

    The run has a release. Where ``prices`` are those of dual ascent, they come first.
    """

    def __init__(
        self, run: Run, seed: int, params: BoxParams, prices: Certificate | None = None
    ) -> None:
        table, objective = run.table, run.objective
        self.run, self.seed, self.params = run, seed, params
        self._prices = prices
        self._ascent: Result | None = None
        # Programs of the groups at hand pause after those that found nothing.
        self._pause = self._rounds_off = 0
        core = run.requirement.core
        asked = core.size, core.diversity, core.distinct
        self.joint = Joint.of(table.sensitive_types, core) if table.sensitive else None
        uncut = None if self.joint is None else self.joint.most
        rule = GroupRule.of(*asked, table.n, uncut)
        plain = rule.kind == PLAIN
        self.types = table.row_types if plain else table.sensitive_types
        if len(self.types) > _MOST_TYPES:
            raise NotSupportedError(f"Expected at most {_MOST_TYPES:,} row types.")
        self.unit = BoxUnit.of(table, objective, rule)
        self.columns = box_columns(table, objective, self.unit.per_cost)
        positions = objective.scales_of(table).positions(self.types.codes)
        given = self.columns, positions, self.types, self.unit.shift
        base = 0 if self.joint is None else self.joint.base
        pool = BoxPool(box_data(*given, rule, base))
        self.relaxation = self._relaxation(pool, RowSets(pool))

    def _relaxation(self, pool: BoxPool, sets: RowSets) -> Relaxation:
        return Relaxation(pool, sets, self.unit.whole, self.run, self.types)

    def goal(self) -> int:
        """Return what has to be proven, in the unit of loops."""
        return self.unit.goal(self.run.cost)

    def _goal_by_now(self) -> int:
        """Return it, by the best release of whoever searches beside."""
        self.run.hear()
        return self.goal()

    def search(self) -> Limit | None:
        """Bound the root, then split what is left; return why it stopped early."""
        root = self._root()
        try:
            root.solve(self._between)
            self._solve_groups(root)
        finally:
            if (bound := self._in_objective(root.bound)) > 0:
                proof = BoxWriter(self, root.best).certificate(bound)
                self.run.raise_bound(bound, _NAME, proof)
            if self._ascent and (self._ascent.lower_bound or 0) > bound:
                self.run.learn(self._ascent)
        if self.run.closed:
            return None
        return self._split(self._feasible(root.best))

    def _in_objective(self, bound: int) -> int:
        return self.unit.bound(self.unit.exact(bound))

    def program(self) -> ExactProgram:
        """Return the program over the boxes at hand, with exact costs."""
        return ExactProgram(self.columns, self.unit, self.relaxation)

    def _root(self) -> Root:
        """Return the root, with the groups of a release and boxes of good prices."""
        relaxation, groups = self.relaxation, self._groups_of(self.run.release)
        relaxation.add_groups(groups)
        return Root(relaxation, self._start(groups), self._goal_by_now, self.params)

    def _start(self, groups: Groups) -> Duals:
        """Return the prices of dual ascent, or those of a release where it has none."""
        relaxation, proof = self.relaxation, self._prices
        none, data = np.zeros(len(relaxation.sets), np.int64), relaxation.data
        if proof is None:
            seconds = self.params.price_share * self.run.remaining
            self._ascent = ascent(self.run, seconds)
            proof = None if self._ascent is None else self._ascent.certificate
        prices = prices_of(proof, self.run, self.types, self.unit)
        if prices is None:
            raise_prices(relaxation)
            cost = np.repeat(relaxation.pool.cost[groups.box], np.diff(groups.starts))
            paid = np.bincount(groups.types, cost * groups.copies, len(data.counts))
            prices = (paid / data.counts).astype(np.int64)
        return Duals(prices, none)

    def _between(self, root: Root, point: Point) -> bool:
        """Offer what a point of the root suggests; whether the bound is enough."""
        self.run.hear()
        self._hear(point)
        self._round(root, point)
        value, bound = self.run.cost, self._in_objective(root.bound)
        if value - bound <= self.params.wide * value:
            return self.run.is_enough(bound)
        if self._rounds_off > 0:
            self._rounds_off -= 1
            return False
        self._solve_groups(root)
        self._pause = 0 if self.run.cost < value else 2 * self._pause + 1
        self._rounds_off = self._pause
        return False

    def _hear(self, point: Point) -> None:
        """Offer the release that a point is, where its numbers of groups are whole."""
        if self.joint is not None:
            support = np.unique(self.relaxation.master.groups().box[point.x > _WHOLE])
            self._offer_joint(support)
            return
        if offer_whole(self.relaxation, point.x):
            return
        pool = self.relaxation.pool
        y = self.relaxation.master.in_boxes(point.x, len(pool))
        times = np.rint(y).astype(np.int64)
        if np.abs(y - times).max() < _WHOLE:
            offer_in_boxes(self.relaxation, times)

    def _round(self, root: Root, point: Point) -> None:
        """Offer releases that take the groups of a point in several orders."""
        relaxation = self.relaxation
        worth = relaxation.group_worth(root.best.padded(len(relaxation.sets)))
        base = np.minimum(worth / self.unit.whole, 1.0) - point.x
        for found in self._rounded(relaxation.master.groups(), lambda x: base + x):
            relaxation.add_groups(self._groups_of(found))

    def _rounded(
        self, groups: Groups, rank: Callable[[Floats], Floats]
    ) -> Iterator[Partition]:
        """Offer releases by ranks of groups with random numbers; visit better ones."""
        rng = np.random.default_rng(self.seed)
        for step in range(self.params.rounded):
            self.run.check_time()
            order = rank(rng.random(len(groups.box)) * (step > 0))
            found = round_point(self.relaxation, groups, order)
            if found is not None and self._offer(found):
                yield found

    def begin(self) -> None:
        """Offer releases of groups that pay, at prices at which each row has one.

        Those whose rows are worth least are taken first. A search that begins with a
        poor release looks for boxes among far too many.
        """
        pool, duals = self.relaxation.pool, raise_prices(self.relaxation)
        worth = pool.worth(duals.prices)
        paying = np.flatnonzero(worth < 0)
        if len(paying) == 0:
            return
        groups = pool.fills(duals.prices, paying)
        each = worth[paying] / groups.sizes
        for _ in self._rounded(groups, lambda x: each * (1 + x)):
            pass

    def _offer(self, found: Partition) -> bool:
        """Offer a release, unless it lacks what the rule of one column leaves out."""
        if self.joint is not None and found.violation(*self.run.asked):
            return False
        return self.run.offer(found)

    def _groups_of(self, release: Partition) -> Groups:
        return groups_of(self.relaxation, release, uncut=self.joint is not None)

    def _offer_joint(self, boxes: Ints) -> None:
        """Offer the best release in some boxes, and in those of the best release."""
        assert self.joint is not None
        own = self._groups_of(self.run.release).box
        chosen = np.unique(np.concatenate([boxes, own]))
        given = self.relaxation, self.joint, chosen, self._program_seconds
        found = joint_release(*given, self.seed)
        if found is not None:
            self._offer(found)

    @property
    def _program_seconds(self) -> float:
        share = self.params.program_share * self.run.remaining
        return min(self.params.program_seconds, share)

    def _solve_groups(self, root: Root) -> None:
        """Look for a better release among the groups of the program."""
        slack = self.goal() - root.bound
        if slack <= 0 or self.joint is not None:
            return
        duals = root.best.padded(len(self.relaxation.sets))
        keep = self.relaxation.group_worth(duals) < slack
        offer_best(self.relaxation, keep, self._program_seconds, self.seed)

    def _feasible(self, duals: Duals) -> Duals:
        """Return duals at which no box is worth less than 0."""
        duals = duals.padded(len(self.relaxation.sets))
        found = self.relaxation.find(duals, 0, self.params.boxes)
        lowered = -((found.least - self.unit.rough) // self.relaxation.data.least)
        return Duals(duals.prices - lowered, duals.multipliers)

    def _restrict(self, found: FoundBoxes, duals: Duals) -> None:
        """Go on with some boxes alone, and with groups of the program in these."""
        before, pool = self.relaxation, BoxPool(self.relaxation.data)
        for at in range(0, len(found.worth), _AT_ONCE):
            self.run.check_time()
            part = slice(at, at + _AT_ONCE)
            pool.add(found.lows[part], found.highs[part])
        self.run.check_time()
        groups = before.master.groups()
        boxes = before.pool.lows[groups.box], before.pool.highs[groups.box]
        places = pool.places(*boxes)
        near = before.group_worth(duals) < self.goal() - before.base(duals)
        keep = (places >= 0) & near
        self.relaxation = self._relaxation(pool, before.sets.on(pool))
        self.relaxation.add_groups(groups.select(keep, places[keep]))
        best = np.argsort(found.worth, kind="stable")[: self.params.boxes]
        self.relaxation.add_groups(pool.fills(duals.prices, best))

    def _split(self, duals: Duals) -> Limit | None:
        """Solve by a tree on the boxes that a better release may use."""
        bound = self.relaxation.base(duals)
        slack = self.goal() - bound + 2 * self.unit.rough + 1
        found = self.relaxation.find(duals, slack, self.params.most_left)
        if found.threshold < slack:
            return Limit.ITERATIONS
        self.run.stats["boxes_left"] = len(found.worth)
        looks = len(self.types) + _MEMBERS * len(self.relaxation.sets)
        if len(found.worth) * looks > _LOOKS * self.run.remaining:
            return Limit.TIME
        self._restrict(found, duals)
        given = self.program(), duals, bound, self._hear, self.params
        tree = BoxTree(*given, self.joint)
        try:
            tree.search()
        finally:
            self.run.stats["tree_nodes"] = tree.nodes
            proven = self.unit.bound(tree.proven)
            certificate = BoxWriter(self, duals).certificate(proven, tree.root)
            self.run.raise_bound(proven, _NAME, certificate)
        return None if self.run.closed else Limit.ITERATIONS
