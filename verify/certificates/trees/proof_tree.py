"""The bound that a tree proves, recomputed in integers."""

from collections.abc import Callable

import numpy as np

from starmin.verify.beyond import BeyondError
from starmin.verify.certificates.patterns.node_tree import PatternList, PricedTypes
from starmin.verify.certificates.prices.node_prices import MOST_COLUMNS
from starmin.verify.certificates.trees.tree_file import TreeFile
from starmin.verify.certificates.trees.tree_walk import TreeWalk

_LARGEST = 2**61
_MOST_ROWS = 2**30


Told = Callable[[int, int], None]  # leaves that are checked, and all leaves


def tree_bound(
    problem: PricedTypes, tree: TreeFile, claim: int, told: Told | None = None
) -> int:
    r"""Compute a cost that no valid release goes below, by a tree of decisions.

    A claim is proven for the releases of every leaf; the leaves together have all.

    *The list.* Prices :math:`\lambda` of all row types prove a bound LB
    (``starmin.verify.certificates.prices.node_prices``). A release that publishes a row
    of type t as the pattern p costs at least :math:`LB - \min(0, v_p) + v_p^t`, with
    :math:`v_p^t` the least value of a fill of p that has t. Where that is the claim or
    more, (p, t) need not be considered: a release that costs less does without it. What
    is left is the list. In each round, prices and multipliers of cuts thin it again in
    the same way.

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

    *A count* is a number of rows, or of patterns with such rows, of a release, which a
    split bounds from above or from below; its multiplier :math:`\nu_c` has any sign. To
    the cost :math:`\nu_c` times the count is added, and :math:`\nu_c` times its bound
    subtracted: the upper one if :math:`\nu_c > 0`, else the lower one.

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

    The list is made by the prices of the ``problem``; ``told`` is called when a leaf is
    checked. Returned is the least bound of a leaf, but not above the claim: what was
    left out of the list proves no more.

    Raises ValueError where sums might not fit 64 bits, or there are too many patterns;
    and RefusalError where the nodes are not a tree: one is missing, or there is one too
    many.
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
    leaves = tree.leaves
    for done, bound in enumerate(TreeWalk(problem, patterns, tree).leaves(), 1):
        if told is not None:
            told(done, leaves)
        if bound is not None and (least is None or bound < least):
            least = bound
    if least is None or least >= goal:
        return claim
    return max(0, -(-max(least, at_root) // problem.denominator))


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
    2^61, and so is the slack.
    """
    table, objective, unit = problem.table, problem.objective, problem.denominator
    if objective.by_node:
        cost = objective.whole(table)  # of all rows together
    else:
        weights = [objective.weights.get(column, 1) for column in table.qi]
        cost = (sum(weights) + 1) * table.n
    highest = max(tree.highest_price, *map(abs, problem.prices.tolist()))
    highest += tree.highest_multipliers * (problem.least + 1)
    most = 4 * (highest * table.n + unit * cost)
    if table.d > MOST_COLUMNS:
        raise BeyondError(f"more than {MOST_COLUMNS} columns are too many to check")
    if most >= _LARGEST or table.n >= _MOST_ROWS or claim * unit >= _LARGEST:
        raise BeyondError("prices, multipliers, costs and rows multiply beyond 64 bits")
