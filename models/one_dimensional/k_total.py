"""k-anonymity in one dimension with the least total extent, in linear time."""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled
from starmin.instances.scales.scale import ScaleArrays
from starmin.instances.scales.scale_loops import extent

# One number for each row, in ascending order, and consecutive groups of them.

Values: TypeAlias = Ints | Floats


def as_sorted(values: npt.ArrayLike) -> Values:
    """Return the values as int64 or, where they have fractions, as float64.

    Whole numbers are computed with exactly; they must be below 2^62 in size, so that
    their differences fit. Raises ValueError where values are not finite, too large, not
    one-dimensional or not sorted.
    """
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"Expected one number for each row, got {array.ndim} axes.")
    integral = array.dtype.kind in "iub"
    given: Values
    if integral:
        given = array.astype(np.int64, copy=False)
    else:
        given = array.astype(np.float64, copy=False)
    if len(given) == 0:
        return given
    if not given[0] <= given[-1] or (given[1:] < given[:-1]).any():
        raise ValueError("Expected values in ascending order.")
    bound = 2**62 if integral else np.inf
    if not -bound < given[0] <= given[-1] < bound:
        raise ValueError("Expected finite values, below 2^62 in size.")
    return given


def extents(values: Values, starts: Ints) -> Values:
    """Return the extents of the groups that begin at ``starts``.

    Examples
    --------
    >>> extents(np.array([0, 1, 10, 12]), np.array([0, 2])).tolist()
    [1, 2]
    """
    ends = np.append(starts[1:], len(values))
    return np.asarray(values[ends - 1] - values[starts])


def expect_enough(n: int, k: int) -> None:
    """Raise ValueError where n rows cannot form a group of k."""
    if not 1 <= k <= n:
        raise ValueError(f"Expected 1 <= k <= {n}, the number of rows, got k = {k}.")


@compiled
def read_starts(begin: Ints | Int32s) -> Ints:
    """Return where groups begin, from where the last group of each prefix begins.

    Examples
    --------
    >>> read_starts(np.array([0, 0, 0, 0, 2])).tolist()
    [0, 2]
    """
    size = 0
    at = len(begin) - 1
    while at > 0:
        at = begin[at]
        size += 1
    starts = np.empty(size, np.int64)
    at = len(begin) - 1
    while at > 0:
        at = begin[at]
        size -= 1
        starts[size] = at
    return starts


# The largest k that groups of bounded extent allow, in one dimension.


class LargestK(NamedTuple):
    """The least size of the groups, and where they begin."""

    k: int
    starts: Ints


def k_dual(values: npt.ArrayLike, bound: float) -> LargestK:
    r"""Solve the accuracy-constrained problem exactly for k, in O(n log n).

    Of all partitions of ``values``, n > 0 numbers in ascending order, into groups of
    extent ``bound`` >= 0 at most it finds one whose smallest group is largest;
    ``k_largest`` solves the direct problem under the same loss. Consecutive groups
    suffice: overlapping ones exchange rows, sizes kept, and neither extent grows beyond
    the larger one. Raises ValueError for a negative bound, and values that are none or
    not in order.

    The idea: for a given k let ``reach(i)`` say whether the first i values have a
    partition. With :math:`low(i)` the first value within the bound of value i,

    .. math::

        reach(i) \iff \exists j:\ low(i) \le j \le i - k,\ reach(j)

    and the last such j is kept while i grows. What holds for k holds for k - 1, so k is
    found by binary search.

    References
    ----------
    Ghinita, Karras, Kalnis, Mamoulis (2009), section 5, where it takes O(n^2).

    Examples
    --------
    >>> k_dual(np.array([0, 1, 5, 6, 7]), 2)
    LargestK(k=2, starts=array([0, 2]))
    """
    given = as_sorted(values)
    if len(given) == 0 or not bound >= 0:
        raise ValueError(f"Expected values and a bound >= 0, got bound = {bound}.")
    if given.dtype == np.int64:
        bound = min(math.floor(bound), 2**63 - 1) if bound < math.inf else 2**63 - 1
    return largest_k(_first_within(given, bound))


def largest_k(low: Ints) -> LargestK:
    """Find the largest k along any order, given the first row each may be with.

    Examples
    --------
    >>> largest_k(np.array([0, 0, 1, 2]))
    LargestK(k=2, starts=array([0, 2]))
    """
    least, most = 1, len(low)
    starts = np.arange(len(low))
    while least < most:
        k = (least + most + 1) // 2
        found = _cover(low, k)
        if len(found):
            # It may do better than it was asked for.
            starts = found
            least = int(np.diff(np.append(found, len(low))).min())
        else:
            most = k - 1
    return LargestK(least, starts)


@compiled
def _first_within(values: Values, bound: float) -> Ints:
    low = np.empty(len(values), np.int64)
    at = 0
    for i in range(len(values)):
        while values[i] - values[at] > bound:
            at += 1
        low[i] = at
    return low


@compiled
def _cover(low: Ints, k: int) -> Ints:
    """Return where groups of k rows begin that keep the bound, if there are any."""
    n = len(low)
    last = np.full(n + 1, -1, np.int64)  # the last j <= i that can be reached
    last[0] = 0
    begin = np.full(n + 1, -1, np.int64)
    begin[0] = 0
    for i in range(1, n + 1):
        last[i] = last[i - 1]
        if i >= k and last[i - k] >= low[i - 1]:
            begin[i] = last[i - k]
            last[i] = i
    found: Ints = read_starts(begin if begin[n] >= 0 else begin[:1])
    return found


# The best consecutive groups of k rows along an order, for size times NCP.


# A program over consecutive groups makes at most about so many sums, some tenths of a
# second, unless cuts would then be farther apart than such a share of k.
_MOST_SUMS, _COARSE = 200_000_000, 50


def cut_step(n: int, k: int, d: int) -> int:
    """Return of which number of rows the places of cuts are multiples: 1 for few rows.

    >>> cut_step(30_000, 5, 16), cut_step(30_000, 15_000, 16)
    (1, 37)
    """
    return min(1 + n * k * d // _MOST_SUMS, 1 + k // _COARSE)


@compiled
def k_ncp(
    places: Int32s, arrays: ScaleArrays, weights: Floats, k: int, step: int
) -> Ints:
    r"""Find the best groups of consecutive rows for the global certainty penalty.

    ``places`` is n x d, the positions of the rows on their scales, in order. Rows that
    differ in a column that must not be generalized are not grouped; those that agree
    there are consecutive, k at least. ``arrays`` are those of ``Scales.arrays``,
    ``weights`` those of ``Objective.range_prices``, negative for a column to be kept.
    Returns where the groups begin.

    Exact among partitions into consecutive groups that begin at multiples of ``step``;
    a heuristic among all, even in one dimension (``k_order``).

    .. math::

        Opt(i) = \min_{i - 2k < j \le i - k} Opt(j) + (i - j) \, NCP(j+1 .. i)

    The ranges of a group are those of the group without its first row, widened; the
    loss of a column is recomputed only where its range grew.

    Notes
    -----
    O(n k d / step) comparisons: 400,000 rows by 7 columns with k = 50 in a second.

    References
    ----------
    Ghinita, Karras, Kalnis, Mamoulis (2009), sections 3 and 6.1.
    """
    n, d = places.shape
    opt, begin = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64)
    opt[0] = 0
    low, high = np.empty(d, np.int32), np.empty(d, np.int32)
    loss = np.empty(d)
    for i in range(k, n + 1):
        if i % step and i < n:
            continue
        low[:], high[:], loss[:] = places[i - 1], places[i - 1], 0
        for column in range(d):
            if weights[column] >= 0:
                place = places[i - 1, column]
                loss[column] = weights[column] * extent(arrays, column, place, place)
        paid = loss.sum()
        for j in range(i - 1, max(i - 2 * k - step + 1, -1), -1):
            grew = False
            for column in range(d):
                place = places[j, column]
                if low[column] <= place <= high[column]:
                    continue
                low[column] = min(low[column], place)
                high[column] = max(high[column], place)
                if weights[column] < 0:
                    paid = np.inf
                    break
                loss[column] = weights[column] * extent(
                    arrays, column, low[column], high[column]
                )
                grew = True
            if paid == np.inf:
                break
            if grew:
                paid = loss.sum()
            if i - j >= k:
                cost = opt[j] + (i - j) * paid
                if cost < opt[i]:
                    opt[i], begin[i] = cost, j
    starts: Ints = read_starts(begin)
    return starts


def k_total(values: npt.ArrayLike, k: int) -> Ints:
    r"""Solve 1-D k-anonymity exactly for the sum of the groups' extents, in O(n).

    Groups of consecutive values suffice: two groups that overlap exchange rows until
    one is left of the other, sizes kept, and the sum of their extents does not grow.
    The extents of consecutive groups and the gaps between them add up to the whole
    range, so the best partition is the one whose cuts lie in the widest gaps. With
    F(j) the most that cuts at positions up to j can save,

    .. math::

        F(j) = \max\bigl(F(j - 1),\; F(j - k) + x_j - x_{j-1}\bigr), \quad
        k \le j \le n - k

    which is the recursion of Ghinita et al., :math:`Opt(i) = \min_{j \le i - k}
    Opt(j) + x_i - x_{j+1}`, without its window: longer groups than 2k - 1 never win,
    but need not be excluded.

    Parameters
    ----------
    values, k
        n numbers in ascending order, of which a group has k at least; ValueError where
        they are fewer, or not in order.

    Returns
    -------
    array
        Where the groups begin.

    See Also
    --------
    k_largest, k_mean : the largest extent, and the mean.

    Notes
    -----
    One pass, n bytes of memory beside the values: 10 million values take less time
    than ``numpy.sort`` of them. Exact for whole numbers; fractions are subject to
    rounding.

    References
    ----------
    Ghinita, Karras, Kalnis, Mamoulis (2009), section 3, where it takes O(kn).

    Examples
    --------
    >>> k_total(np.array([0, 1, 5, 6, 7]), 2).tolist()
    [0, 2]
    """
    given = as_sorted(values)
    expect_enough(len(given), k)
    starts: Ints = widest_gaps(given, k, given[:1] * 0)
    return starts


@compiled
def widest_gaps(values: Values, k: int, reward: Values) -> Ints:
    """Return where groups of k begin with the widest gaps between them in total.

    ``reward[0]`` is added to every gap.
    """
    n = len(values)
    cut = np.empty(n + 1, np.bool_)
    recent = np.zeros(k, values.dtype)  # F(j - k) .. F(j - 1), at j modulo k
    best = recent[0]
    at = 0
    for j in range(k, n - k + 1):
        saved = recent[at] + (values[j] - values[j - 1]) + reward[0]
        cut[j] = saved >= best  # on a tie too: no group has 2k rows
        best = max(saved, best)
        recent[at] = best
        at += 1
        if at == k:
            at = 0
    starts = np.empty(n // k, np.int64)
    at = n // k
    j = n - k
    while j >= k:
        if cut[j]:
            at -= 1
            starts[at] = j
            j -= k
        else:
            j -= 1
    starts[at - 1] = 0
    return starts[at - 1 :]
