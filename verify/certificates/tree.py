"""The bound that a tree proves, recomputed in integers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from verify.certificates.exact import exact_sum
from verify.certificates.pattern_list import Bools, Ints, PatternList, PricedProblem
from verify.certificates.prices import MOST_COLUMNS
from verify.certificates.pricing_problems import PricingProblems
from verify.certificates.tree_file import TreeFile, TreeNode
from verify.certificates.untrusted import RefusalError

_LARGEST = 2**61
_MOST_ROWS = 2**30
_ABSENT = -1


def tree_bound(problem: PricedProblem, tree: TreeFile, claim: int) -> int:
    r"""Compute a cost that no valid release goes below, by a tree of decisions.

    A claim is proven for the releases of every leaf; the leaves together have all.

    *The list.* Prices :math:`\lambda` of all row types prove a bound LB
    (``verify.certificates.prices``). A release that publishes a row of type t as the
    pattern p costs at least :math:`LB - \min(0, v_p) + v_p^t`, with :math:`v_p^t` the
    least value of a fill of p that has t. Where that is the claim or more, (p, t) need
    not be considered: a release that costs less does without it. What is left is the
    list. In each round, prices and multipliers of cuts thin it again in the same way.

    *The height* :math:`h_p` of a pattern in a release is the number of rows of the most
    frequent sensitive value that are published as p; for k-anonymity alone, of all
    rows. A split says :math:`h_p \le g` in its first child and :math:`h_p \ge g + 1`
    in its second: one of them is true of any release.

    *A cut* is a set T of row types with S rows and a set I of patterns. Be K the larger
    of k and l, q = S div K and r = K - S mod K. If q + j patterns of I have rows,
    j >= 1, they have K (q + j) rows or more, at most S of types in T: so at least
    K j - S mod K = K (j - 1) + r >= j r of other types. Hence

    .. math::
        r \sum_{p \in I} [h_p \ge 1] - \sum_{p \in I, t \notin T} x_{pt} \le r q.

    *A leaf* has prices, multipliers :math:`\mu_c \ge 0` of cuts and the bounds on
    heights on its path. For a release that agrees with them add to its cost, for every
    cut, :math:`\mu_c` times what the left side exceeds the right side by, which is not
    positive, and proceed as for prices: its cost is at least

    .. math::
        \sum_t \lambda_t s_t - \sum_c \mu_c r_c q_c + \sum_p w_p, \qquad
        w_p = \min_x \sum_t \Big(cost_p - \lambda_t -
            \sum_{c: p \in I_c, t \notin T_c} \mu_c\Big) x_t
            + \sum_{c: p \in I_c} \mu_c r_c

    over the fills x of p, by types on the list, with a height in its bounds; or 0 if
    the height may be 0 and that is less. If p must have rows and has no such fill, no
    release agrees with the leaf.

    Parameters
    ----------
    problem
        With the prices that the list is made by.
    tree
        As the file has it.
    claim
        What it claims.

    Returns
    -------
    The least bound of a leaf, but not above the claim: what was left out of the list
    proves no more.

    Raises
    ------
    ValueError
        Sums might not fit 64 bits, or there are too many patterns.
    RefusalError
        The nodes are not a tree: one is missing, or there is one too many.
    """
    _expect_small(problem, tree, claim)
    total = int((problem.prices * problem.types.counts).sum())
    walk = problem.walk()
    at_root = total + walk.total()
    goal = (claim - 1) * problem.denominator + 1
    if at_root >= goal:
        return max(0, -(-at_root // problem.denominator))
    patterns = _thinned(problem, tree, problem.list_patterns(goal - at_root), goal)
    least: int | None = None
    for bound in _Checker(problem, patterns, tree).leaves():
        if bound is not None and (least is None or bound < least):
            least = bound
    if least is None or least >= goal:
        return claim
    return max(0, -(-max(least, at_root) // problem.denominator))


def _thinned(
    problem: PricedProblem, tree: TreeFile, patterns: PatternList, goal: int
) -> PatternList:
    """Thin the list by the prices of the problem and by the rounds of a tree."""
    prices, multipliers = problem.prices, np.zeros(len(tree.cuts), np.int64)
    left = _Checker(problem, patterns, tree).thinned(prices, multipliers, goal)
    prices = np.zeros_like(prices)
    for each in tree.rounds:
        prices[list(each.prices)] = list(each.prices.values())
        multipliers[list(each.cuts)] = list(each.cuts.values())
        left = _Checker(problem, left, tree).thinned(prices, multipliers, goal)
    return left


def _expect_small(problem: PricedProblem, tree: TreeFile, claim: int) -> None:
    """Raise ValueError where sums might not fit 64 bits.

    A copy costs at most the largest price, the largest cost of a row and all
    multipliers, K times for the opening: sums over the n rows of a pattern are below
    2^61, and so is the slack.
    """
    table, objective, unit = problem.table, problem.objective, problem.denominator
    if objective.kind == "gcp":
        cost = objective.whole(table)  # of all rows together
    else:
        weights = [objective.weights.get(column, 1) for column in table.qi]
        cost = (sum(weights) + 1) * table.n
    highest = max(tree.highest_price, *map(abs, problem.prices.tolist()))
    highest += tree.highest_multipliers * (problem.least + 1)
    most = 4 * (highest * table.n + unit * cost)
    if table.d > MOST_COLUMNS:
        raise ValueError(f"more than {MOST_COLUMNS} columns are too many to check")
    if most >= _LARGEST or table.n >= _MOST_ROWS or claim * unit >= _LARGEST:
        raise ValueError("prices, multipliers, costs and rows multiply beyond 64 bits")


@dataclass(frozen=True, eq=False)
class _State:
    """What holds at a node: nothing in it is changed in place.

    Attributes
    ----------
    prices, multipliers
        By type and by cut.
    least, most
        Bounds on the height of each pattern.
    worth
        ``w_p`` of each pattern.
    stuck
        Which patterns must have rows and have no fill.
    impossible
        Whether a pattern must have rows that is not on the list.
    """

    prices: Ints
    multipliers: Ints
    least: Ints
    most: Ints
    worth: Ints
    stuck: Bools
    impossible: bool


class _Checker:
    """Goes through the nodes of a tree and recomputes what each leaf proves."""

    def __init__(
        self, problem: PricedProblem, patterns: PatternList, tree: TreeFile
    ) -> None:
        self.problem, self.patterns, self.tree = problem, patterns, tree
        self.copies = problem.types.counts[patterns.types]
        self.uncovered = len(np.unique(patterns.types)) < len(problem.types)
        places = {row.tobytes(): p for p, row in enumerate(patterns.nodes)}
        self.named = [
            places.get(problem.cover(types).tobytes(), _ABSENT)
            for types in tree.patterns
        ]
        self.cuts = [self._cut(types, names) for types, names in tree.cuts]

    def thinned(self, prices: Ints, multipliers: Ints, goal: int) -> PatternList:
        """Drop what prices and multipliers show that no release below the goal uses."""
        patterns = self.patterns
        if self.uncovered:  # there is no such release
            return patterns.thin(np.zeros(len(patterns.types), bool))
        offered, opening = self._by_cuts(multipliers)
        reduced = patterns.cost[patterns.pattern] - prices[patterns.types] - offered
        paid = self._paid(prices, multipliers)
        return self.problem.thin(patterns, reduced, opening, paid, goal)

    def leaves(self) -> Iterator[int | None]:
        """Visit what the leaves prove; None for one that no release agrees with."""
        waiting = [(self._start(), _ABSENT)]
        for node in self.tree.nodes:
            if not waiting:
                raise RefusalError("there are nodes beyond its tree")
            state, decided = waiting.pop()
            state = self._enter(state, node, decided)
            if node.split is not None:
                waiting += reversed(self._children(state, *node.split))
            else:
                yield self._bound(state)
        if waiting:
            raise RefusalError("a node of its tree is missing")

    def _start(self) -> _State:
        count = len(self.patterns)
        zeros = np.zeros(count, np.int64)
        state = _State(
            np.zeros(len(self.problem.types), np.int64),
            np.zeros(len(self.cuts), np.int64),
            zeros,
            np.full(count, self.problem.table.n, np.int64),
            zeros,
            np.zeros(count, bool),
            False,
        )
        return self._revalued(state, np.ones(count, bool)) if count else state

    def _enter(self, state: _State, node: TreeNode, decided: int) -> _State:
        """Return the state at a node, of a child with a pattern just decided."""
        dirty = np.zeros(len(self.patterns), bool)
        if decided != _ABSENT:
            dirty[decided] = True
        if node.prices:
            prices = state.prices.copy()
            prices[list(node.prices)] = list(node.prices.values())
            changed = (prices != state.prices)[self.patterns.types]
            dirty[self.patterns.pattern[changed]] = True
            state = replace(state, prices=prices)
        if node.cuts:
            multipliers = state.multipliers.copy()
            multipliers[list(node.cuts)] = list(node.cuts.values())
            for c in np.flatnonzero(multipliers != state.multipliers):
                dirty[self.cuts[c][0]] = True
            state = replace(state, multipliers=multipliers)
        return self._revalued(state, dirty) if dirty.any() else state

    def _children(self, state: _State, name: int, g: int) -> list[tuple[_State, int]]:
        p = self.named[name]
        if p == _ABSENT:
            return [(state, p), (replace(state, impossible=True), p)]
        most, least = state.most.copy(), state.least.copy()
        most[p], least[p] = min(most[p], g), max(least[p], g + 1)
        return [(replace(state, most=most), p), (replace(state, least=least), p)]

    def _bound(self, state: _State) -> int | None:
        if state.impossible or self.uncovered or state.stuck.any():
            return None
        return self._paid(state.prices, state.multipliers) + exact_sum(state.worth)

    def _paid(self, prices: Ints, multipliers: Ints) -> int:
        total = int((prices * self.problem.types.counts).sum())
        for (_, _, r, q), m in zip(self.cuts, multipliers.tolist(), strict=True):
            total -= m * r * q
        return total

    def _revalued(self, state: _State, dirty: Bools) -> _State:
        """Return the state with ``w_p`` of some patterns computed anew."""
        problem, patterns = self.problem, self.patterns
        chosen = np.flatnonzero(dirty)
        entries = np.flatnonzero(dirty[patterns.pattern])
        types = patterns.types[entries]
        pattern = patterns.pattern[entries]
        offered, opening = self._by_cuts(state.multipliers)
        reduced = patterns.cost[pattern] - state.prices[types] - offered[entries]
        order = np.lexsort((reduced, pattern))
        problems = PricingProblems(
            reduced[order], self.copies[entries][order], patterns.lengths[chosen]
        )
        if problem.l > 1:
            values = problem.types.sensitive[:, problem.sensitive]
            problems.separate(values[types[order]])
        least, most = state.least[chosen], state.most[chosen]
        value, possible = problems.between(
            problem.k, problem.l, np.maximum(least, 1), most
        )
        value = np.where(possible, value + opening[chosen], 0)
        worth, stuck = state.worth.copy(), state.stuck.copy()
        worth[chosen] = np.where(least > 0, value, np.minimum(value, 0))
        stuck[chosen] = ~possible & (least > 0)
        return replace(state, worth=worth, stuck=stuck)

    def _by_cuts(self, multipliers: Ints) -> tuple[Ints, Ints]:
        """Return by how much cuts make each entry cheaper, and each pattern dearer."""
        offered = np.zeros(len(self.patterns.types), np.int64)
        opening = np.zeros(len(self.patterns), np.int64)
        for c in np.flatnonzero(multipliers):
            chosen, imported, r, _ = self.cuts[c]
            offered[imported] += multipliers[c]
            opening[chosen] += multipliers[c] * r
        return offered, opening

    def _cut(self, types: list[int], names: list[int]) -> tuple[Ints, Ints, int, int]:
        """Return the patterns of a cut, the entries they import, r and q."""
        patterns, least = self.patterns, self.problem.least
        inside = np.zeros(len(self.problem.types), bool)
        inside[types] = True
        places = {self.named[name] for name in names} - {_ABSENT}
        chosen = np.zeros(len(patterns), bool)
        chosen[list(places)] = True
        imported = chosen[patterns.pattern] & ~inside[patterns.types]
        rows = int(self.problem.types.counts[inside].sum())
        q, rest = divmod(rows, least)
        return np.flatnonzero(chosen), np.flatnonzero(imported), least - rest, q
