"""Recompute in integers the bound that a tree proves, leaf by leaf."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.verify.certificates.patterns.batches import PatternList
from starmin.verify.certificates.patterns.node_tree import PricedTypes
from starmin.verify.certificates.patterns.pricing_problems import PricingProblems
from starmin.verify.certificates.prices.node_prices import MOST_COLUMNS
from starmin.verify.certificates.prices.tree_file import Count, TreeFile, TreeNode
from starmin.verify.certificates.untrusted import walked
from starmin.verify.exact import BeyondError, Told, exact_sum

# The nodes of a tree, walked from the root: what each leaf proves.


class Terms(NamedTuple):
    """What multipliers of counts add to the worth of patterns."""

    charged: Ints  # by entry of the list: what a copy pays in addition
    opening: Ints  # by pattern: what it pays in addition, once it has rows
    touch: Ints  # by pattern: the same, once it has a copy of an entry of ``touched``
    touched: Bools  # those entries


_ABSENT = -1


@dataclass(frozen=True, eq=False)
class _State:
    """What holds at a node: nothing in it is changed in place."""

    prices: Ints  # prices, multipliers: by type and by cut
    multipliers: Ints
    # counted, limits: multipliers of counts, and bounds on what they count: 0 and the
    # rows of the table where there are none
    counted: Mapping[int, int]
    limits: Mapping[int, tuple[int, int]]
    least: Ints  # least, most: bounds on the height of each pattern
    most: Ints
    worth: Ints  # ``w_p`` of each pattern
    stuck: Bools  # which patterns must have rows and have no fill
    impossible: bool  # whether a pattern must have rows that is not on the list


class _Cut(NamedTuple):
    """A cut: its patterns on the list, the entries that are imports, r and q."""

    patterns: Ints
    imported: Ints
    r: int
    q: int


class TreeWalk:
    """Goes through the nodes of a tree and recomputes what each leaf proves."""

    def __init__(
        self, problem: PricedTypes, patterns: PatternList, tree: TreeFile
    ) -> None:
        self.problem, self.patterns, self.tree = problem, patterns, tree
        self.copies = problem.types.counts[patterns.members]
        self.uncovered = len(np.unique(patterns.members)) < len(problem.types)
        places = {row.tobytes(): p for p, row in enumerate(patterns.nodes)}
        self.named = [
            places.get(problem.cover(types).tobytes(), _ABSENT)
            for types in tree.patterns
        ]
        self._cuts: dict[int, _Cut] = {}
        self._inside = [self._entries(count) for count in tree.counts]

    def thinned(self, prices: Ints, multipliers: Ints, goal: int) -> PatternList:
        """Drop what prices and multipliers show that no release below the goal uses."""
        patterns = self.patterns
        if self.uncovered:  # there is no such release
            return patterns.select(np.zeros(len(patterns.members), bool))
        offered, opening = self._by_cuts(multipliers)
        reduced = patterns.cost[patterns.set_of] - prices[patterns.members] - offered
        paid = self._paid(prices, multipliers)
        return self.problem.thin(patterns, reduced, opening, paid, goal)

    def leaves(self) -> Iterator[int | None]:
        """Visit what the leaves prove; None for one that no release agrees with."""
        ahead = [(self._start(), _ABSENT)]
        for (state, decided), node in walked(ahead, self.tree.nodes):
            state = self._enter(state, node, decided)
            if node.split is not None:
                ahead += reversed(self._children(state, *node.split))
            elif node.count_split is not None:
                ahead += reversed(self._counted(state, *node.count_split))
            else:
                yield self._bound(state)

    def _start(self) -> _State:
        sizes = len(self.patterns), len(self.problem.types), len(self.tree.cuts)
        zeros, prices, multipliers = (np.zeros(size, np.int64) for size in sizes)
        count, most = len(self.patterns), zeros + self.problem.table.n
        bounds = zeros, most, zeros, zeros > 0, False
        state = _State(prices, multipliers, {}, {}, *bounds)
        return self._revalued(state, np.ones(count, bool)) if count else state

    def _enter(self, state: _State, node: TreeNode, decided: int) -> _State:
        """Return the state at a node, of a child with a pattern just decided."""
        dirty = np.zeros(len(self.patterns), bool)
        if decided != _ABSENT:
            dirty[decided] = True
        if node.prices:
            prices = state.prices.copy()
            prices[list(node.prices)] = list(node.prices.values())
            changed = (prices != state.prices)[self.patterns.members]
            dirty[self.patterns.set_of[changed]] = True
            state = replace(state, prices=prices)
        if node.cuts:
            multipliers = state.multipliers.copy()
            multipliers[list(node.cuts)] = list(node.cuts.values())
            for c in np.flatnonzero(multipliers != state.multipliers):
                dirty[self._cut(int(c)).patterns] = True
            state = replace(state, multipliers=multipliers)
        if node.counts:
            counted = {**state.counted, **node.counts}
            counted = {c: multiplier for c, multiplier in counted.items() if multiplier}
            state = replace(state, counted=counted)
            for number in node.counts:
                dirty[self.patterns.set_of[self._inside[number]]] = True
        return self._revalued(state, dirty) if dirty.any() else state

    def _children(self, state: _State, name: int, g: int) -> list[tuple[_State, int]]:
        p = self.named[name]
        if p == _ABSENT:
            return [(state, p), (replace(state, impossible=True), p)]
        most, least = state.most.copy(), state.least.copy()
        most[p], least[p] = min(most[p], g), max(least[p], g + 1)
        return [(replace(state, most=most), p), (replace(state, least=least), p)]

    def _counted(self, state: _State, c: int, g: int) -> list[tuple[_State, int]]:
        """Return both sides of a split on a count."""
        least, most = state.limits.get(c, (0, self.problem.table.n))
        return [
            (replace(state, limits={**state.limits, c: limits}), _ABSENT)
            for limits in ((least, min(most, g)), (max(least, g + 1), most))
        ]

    def _bound(self, state: _State) -> int | None:
        if state.impossible or self.uncovered or state.stuck.any():
            return None
        paid = self._paid(state.prices, state.multipliers)
        for c, multiplier in state.counted.items():
            least, most = state.limits.get(c, (0, self.problem.table.n))
            paid -= multiplier * (most if multiplier > 0 else least)
        return paid + exact_sum(state.worth)

    def _paid(self, prices: Ints, multipliers: Ints) -> int:
        total = int((prices * self.problem.types.counts).sum())
        for c in np.flatnonzero(multipliers).tolist():
            cut = self._cut(c)
            total -= int(multipliers[c]) * cut.r * cut.q
        return total

    def _revalued(self, state: _State, dirty: Bools) -> _State:
        """Return the state with ``w_p`` of some patterns computed anew."""
        patterns = self.patterns
        chosen = np.flatnonzero(dirty)
        entries = np.flatnonzero(dirty[patterns.set_of])
        types, pattern = patterns.members[entries], patterns.set_of[entries]
        offered, opening = self._by_cuts(state.multipliers)
        counted = self._terms(state.counted)
        reduced = patterns.cost[pattern] - state.prices[types]
        reduced += (counted.charged - offered)[entries]
        least, most = state.least[chosen], state.most[chosen]
        copies, lengths = self.copies[entries], patterns.lengths[chosen]
        order = np.lexsort((reduced, pattern))

        def fills(copies: Ints) -> tuple[Ints, Bools]:
            priced = PricingProblems(reduced[order], copies[order], lengths)
            return self.problem.fills(priced, types[order], np.maximum(least, 1), most)

        value, possible = fills(copies)
        value += (opening + counted.opening + counted.touch)[chosen]
        if counted.touch[chosen].any():
            avoiding, left = fills(np.where(counted.touched[entries], 0, copies))
            avoiding += (opening + counted.opening)[chosen]
            value = np.where(left & (avoiding < value), avoiding, value)
        value = np.where(possible, value, 0)
        worth, stuck = state.worth.copy(), state.stuck.copy()
        worth[chosen] = np.where(least > 0, value, np.minimum(value, 0))
        stuck[chosen] = ~possible & (least > 0)
        return replace(state, worth=worth, stuck=stuck)

    def _by_cuts(self, multipliers: Ints) -> tuple[Ints, Ints]:
        """Return by how much cuts make each entry cheaper, and each pattern dearer."""
        offered = np.zeros(len(self.patterns.members), np.int64)
        opening = np.zeros(len(self.patterns), np.int64)
        for c in np.flatnonzero(multipliers).tolist():
            cut = self._cut(c)
            offered[cut.imported] += multipliers[c]
            opening[cut.patterns] += multipliers[c] * cut.r
        return offered, opening

    def _entries(self, count: Count) -> Bools:
        """Mark the entries of the list whose copies are counted."""
        inside = np.ones(len(self.problem.types), bool)
        if count.types is not None:
            inside[:] = False
            inside[count.types] = True
        chosen = np.ones(len(self.patterns), bool)
        if count.patterns is not None:
            places = np.array(self.named, np.int64)[count.patterns]
            chosen[:] = False
            chosen[places[places >= 0]] = True
        return inside[self.patterns.members] & chosen[self.patterns.set_of]

    def _terms(self, multipliers: Mapping[int, int]) -> Terms:
        """Return what multipliers add.

        A count of groups by some of the types of a pattern: what it pays less for such
        a copy, it pays less for any; what it pays more, is charged exactly for the
        first such count, and not at all for others. Neither is more than the truth.
        """
        patterns = self.patterns
        opening, touch = np.zeros((2, len(patterns)), np.int64)
        charged = np.zeros(len(patterns.members), np.int64)
        touched = np.zeros(len(patterns.members), bool)
        for c, multiplier in sorted(multipliers.items()):
            members = self._inside[c]
            if not self.tree.counts[c].groups:
                charged[members] += multiplier
                continue
            inside = np.bincount(patterns.set_of[members], minlength=len(patterns))
            some, every = inside > 0, inside == patterns.lengths
            opening[some if multiplier < 0 else every] += multiplier
            if multiplier > 0:
                exact = some & ~every & (touch == 0)
                touch[exact] = multiplier
                touched |= members & exact[patterns.set_of]
        return Terms(charged, opening, touch, touched)

    def _cut(self, number: int) -> "_Cut":
        """Return what a cut of the file says of the list; computed when first asked."""
        if number not in self._cuts:
            patterns, least = self.patterns, self.problem.least
            types, names = self.tree.cuts[number]
            inside = np.zeros(len(self.problem.types), bool)
            inside[types] = True
            chosen = np.array(
                sorted({self.named[name] for name in names} - {_ABSENT}), np.int64
            )
            starts, lengths = patterns.starts[chosen], patterns.lengths[chosen]
            entries = map(np.arange, starts, starts + lengths)
            every = np.concatenate([np.zeros(0, np.int64), *entries])
            imported = every[~inside[patterns.members[every]]]
            rows = int(self.problem.types.counts[inside].sum())
            q, rest = divmod(rows, least)
            self._cuts[number] = _Cut(chosen, imported, least - rest, q)
        return self._cuts[number]


# The bound that a tree proves, recomputed in integers.

_LARGEST = 2**61
_MOST_ROWS = 2**30


def tree_bound(
    problem: PricedTypes, tree: TreeFile, claim: int, told: Told | None = None
) -> int:
    """Compute a cost that no valid release goes below, by a tree of decisions.

    A claim is proven for the releases of every leaf; the leaves together have all.
    docs/reference/certificate.md has what the list, heights, cuts, counts and leaves
    are, and why (section "Kind tree").

    The list is made by the prices of the ``problem``; ``told`` is called when a leaf is
    checked. Returned is the least bound of a leaf, but not above the claim: what was
    left out of the list proves no more.

    Raises ValueError where sums might not fit 64 bits, or there are too many patterns;
    and RefusalError where the nodes are not a tree: one is missing, or there is one too
    many.
    """
    _expect_small(problem, tree, claim)
    at_root = problem.paid + problem.walk().total()
    goal = (claim - 1) * problem.denominator + 1
    if at_root >= goal:
        return problem.proven(at_root)
    slack = min(goal - at_root, _LARGEST)  # no pattern has a value of that or more
    patterns = _thinned(problem, tree, problem.list_patterns(slack), goal)
    least: int | None = None
    leaves = tree.leaves
    for done, bound in enumerate(TreeWalk(problem, patterns, tree).leaves(), 1):
        if told is not None:
            told(done, leaves)
        if bound is not None and (least is None or bound < least):
            least = bound
    if least is None or least >= goal:
        return claim
    return problem.proven(max(least, at_root))


def _thinned(
    problem: PricedTypes, tree: TreeFile, patterns: PatternList, goal: int
) -> PatternList:
    """Thin the list by the prices of the problem and by the rounds of a tree."""
    prices, multipliers = problem.prices, np.zeros(len(tree.cuts), np.int64)
    left = TreeWalk(problem, patterns, tree).thinned(prices, multipliers, goal)
    prices = np.zeros_like(prices)
    for each in tree.rounds:
        prices[list(each.prices)] = list(each.prices.values())
        multipliers[list(each.cuts)] = list(each.cuts.values())
        left = TreeWalk(problem, left, tree).thinned(prices, multipliers, goal)
    return left


def _expect_small(problem: PricedTypes, tree: TreeFile, claim: int) -> None:
    """Raise ValueError where sums might not fit 64 bits.

    A copy costs at most the largest price, the largest cost of a row and all
    multipliers, K times for the opening: sums over the n rows of a pattern are below
    2^59, and the slack is at most 2^61.
    """
    table, objective, unit = problem.table, problem.objective, problem.denominator
    if objective.by_node:
        cost = objective.whole(table)  # of all rows together
    else:
        cost = (sum(objective.column_weights(table).tolist()) + 1) * table.n
    highest = max(tree.highest_price, problem.highest)
    highest += tree.highest_multipliers * (problem.least + 1)
    most = 4 * (highest * table.n + unit * cost)
    if table.d > MOST_COLUMNS:
        raise BeyondError(f"more than {MOST_COLUMNS} columns are too many to check")
    if most >= _LARGEST or table.n >= _MOST_ROWS or claim * unit >= _LARGEST:
        raise BeyondError("prices, multipliers, costs and rows multiply beyond 64 bits")
