"""The bound that prices of row types prove, recomputed in integers."""

import numpy as np

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Ints
from starmin.instances.runs.workers.places import Places
from starmin.verify.beyond import BeyondError
from starmin.verify.certificates.patterns.enumeration import PatternEnumeration
from starmin.verify.certificates.patterns.ranges import PricedPatterns, total_of_ranges

# Starred columns are the bits of one integer.
MOST_COLUMNS = 62
# Sums over a batch fit 64 bits up to so many rows.
MOST_ROWS = 2**30
# Sums of products of prices, costs and rows are kept below this in size.
_LARGEST = 2**62
# Row types from which on it pays to look at ranges side by side.
_MANY = 200_000


def price_bound(
    table: Table,
    types: RowTypes,
    k: int,
    l: int,
    objective: Objective,
    prices: Ints,
    denominator: int,
    sensitive: int = 0,
    where: Places | None = None,
) -> int:
    r"""Compute a number of (weighted) stars that no valid release goes below.

    The idea: pay every row its price in advance. A row that is released with stars
    ``cost`` then costs only ``cost - price`` more, and every pattern on its own can
    be given the rows that suit it best, which costs no more than what any release
    gives it.

    .. math::

        LB(\lambda) = \sum_t \lambda_t s_t + \sum_p v_p, \qquad
        v_p = \min\Big(0, \min_x \sum_{t \sim p} (cost_p - \lambda_t) x_t\Big),

    the inner minimum over integers :math:`0 \le x_t \le s_t` such that, for some
    integer h >= 1, no sensitive value has more than h copies and there are at least
    ``max(k, l h)`` copies in all (with k-anonymity alone: at least k).

    Why it is right. The rows of a valid release that are published as pattern p are
    none, or a union of valid groups and so valid themselves: at least k, and l times
    as many as of their most frequent value, which has h. So their numbers
    :math:`x_{pt}` are one of the x above, or 0, and the value of the release is
    :math:`\sum_{p,t} cost_p x_{pt} = \sum_t \lambda_t s_t
    + \sum_{p,t} (cost_p - \lambda_t) x_{pt} \ge LB(\lambda)`. Any prices will do.

    What need not be looked at. Column after column is kept or starred
    (``starmin.verify.certificates.patterns.enumeration``): a set S of types that agree
    on the columns kept so far, with stars for c so far, is split by the next column if
    that is kept. Every pattern below it has a subset of S for members and costs c or
    more, so:

    - Where no :math:`x \le s` on S with at least ``max(k, l)`` copies has
      :math:`\sum (c - \lambda_t) x_t < 0`, no :math:`v_p` below S is negative.
    - A type t with :math:`c - \lambda_t \ge g`, where -g is what all types with
      :math:`\lambda_t > c` are worth together, makes every x that has it worth 0 or
      more: all other copies are worth -g at best. It is dropped.
    - Where the types left agree on a starred column, or have fewer than l values of a
      sensitive column, what a release publishes as a pattern below S has a type that
      was dropped, since a column is starred only where rows of a group differ. So it
      is worth 0 or more, and the pattern may count as 0.
    - With l, types that are in no l rows of l values worth less than 0 together are
      left out, until there are none (docs/reference/certificate.md has the proof).

    Equal values of the table are merged; ``types`` is ``table.row_types`` if l is 1,
    else ``table.sensitive_types``. ``k`` and ``l`` are 1 where the requirement asks for
    none, and at most n. The objective is stars: its weights and kept columns count.
    ``prices`` are by row type, in units of 1/``denominator``, a positive integer.
    ``sensitive`` is the position of the sensitive column whose diversity is used;
    leaving out the condition on the others keeps the bound valid. ``where`` says where
    ranges of the patterns of a large table are looked at side by side; None: one after
    the other, here.

    Raises ValueError where prices and weights are so large that the value of one
    pattern might not fit 64 bits, or too many patterns cost less than the prices of
    their rows to be checked.

    Notes
    -----
    Grows with the number of patterns that cost less than the prices of enough rows,
    not with all: seconds for 30,000 rows by 8 columns, and minutes by 16 or 24.

    Examples
    --------
    >>> from starmin.instances import STARS
    >>> table = Table.from_rows(["a", "b"], [["0", "x"], ["1", "x"]], qi=["a", "b"])
    >>> price_bound(table, table.row_types, 2, 1, STARS, np.array([3, 3]), 3)
    2
    """
    weights = [objective.weights.get(column, 1) for column in table.qi]
    highest = max(abs(int(prices.min())), abs(int(prices.max())))
    total_weight = denominator * (sum(weights) + 1)
    # In Python integers; what it is enough for is said at PatternEnumeration.
    if (highest + total_weight) * table.n >= _LARGEST or table.n >= MOST_ROWS:
        raise BeyondError("prices, weights and rows multiply beyond 64 bits")
    if table.d > MOST_COLUMNS:
        raise BeyondError(f"more than {MOST_COLUMNS} columns are too many to check")
    star = [denominator * weight for weight in weights]
    for column in np.flatnonzero(objective.kept(table)):
        star[column] = -1
    asked = PricedPatterns(star, k, l, sensitive)
    # The first sum is at most ``highest * n`` in size.
    total = int((prices * types.counts).sum())
    if where is None or len(types) < _MANY:
        total += PatternEnumeration(types, prices, *asked).total()
    else:
        total += total_of_ranges(table, types, prices, asked, where)
    return max(0, -(-total // denominator))
