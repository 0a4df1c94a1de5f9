"""The best consecutive groups of k rows along an order, for any loss of a group."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Ints
from starmin.instances.loops.compiled import compiled
from starmin.models.one_dimensional.sorted_values import expect_enough, read_starts

GroupLoss: TypeAlias = Callable[[Ints, Ints], npt.ArrayLike]

_CELLS = 4_000_000  # losses that are asked for at once
_UNREACHED = 2.0**52  # a potential above all others, exact in floating point


def k_order(
    loss: GroupLoss, n: int, k: int, combine: Literal["sum", "max"] = "sum"
) -> Ints:
    r"""Find the best groups of k to 2k - 1 consecutive rows, for any loss.

    .. math::

        Opt(i) = \min_{i - 2k < j \le i - k} F(Opt(j),\, loss(j+1, .., i))

    with F the sum or the maximum. Exact among all partitions into consecutive groups
    if the loss is super-additive: to split a group does not cost. Whether some
    partition into consecutive groups is the best of *all* is another question. It is
    for the extent in one dimension, summed or the largest, as groups that overlap
    can exchange rows. It is *not* for losses weighted by size: on 0, 49, 50, 51, 100
    with k = 2 the groups {0, 100}, {49, 50, 51} cost 206, consecutive ones 248 at
    least (``starmin.models.ranges.range_ilp`` has no order to keep).

    Parameters
    ----------
    loss
        What rows ``begin .. end - 1`` cost as a group, for arrays of both.
    n
        The number of rows.
    k
        The least size of a group.
    combine
        Losses of groups add up, or the largest counts.

    Returns
    -------
    array
        Where the groups begin.

    Raises
    ------
    ValueError
        Fewer than k rows.

    See Also
    --------
    k_ncp : the same for size times NCP, compiled.

    Notes
    -----
    O(kn) and n k losses, asked for in blocks.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009,
    section 3.

    Examples
    --------
    >>> x = np.array([0, 49, 50, 51, 100])
    >>> def weighted(begin, end):
    ...     return (end - begin) * (x[end - 1] - x[begin])
    >>> k_order(weighted, 5, 2).tolist()
    [0, 3]
    """
    expect_enough(n, k)
    opt = np.full(n + 1, np.inf)
    opt[0] = 0
    starts: Ints = read_starts(_recurse(loss, k, combine, opt))
    return starts


def potentials(loss: GroupLoss, n: int, k: int) -> Ints:
    r"""Find a potential of each boundary, which proves the least total loss.

    For all groups of k to 2k - 1 rows they satisfy :math:`\pi_j \le \pi_i + loss(i+1,
    .., j)`, and :math:`\pi_n - \pi_0` is the least total loss of a partition into such
    groups. ``starmin.verify.consecutive.path_bound`` checks that.

    ``loss`` says what rows ``begin .. end - 1`` cost as a group, for arrays of both:
    whole numbers, all of them together below 2^51. Raises ValueError where there are
    fewer than k rows.

    Notes
    -----
    O(kn), as ``k_order``: the potentials are its Opt. Boundaries that no groups lead to
    have a potential above all others.

    Examples
    --------
    >>> x = np.array([0, 1, 5, 6, 7])
    >>> potentials(lambda begin, end: x[end - 1] - x[begin], 5, 2)[[0, 2, 5]].tolist()
    [0, 1, 3]
    """
    expect_enough(n, k)
    opt = np.full(n + 1, np.inf)
    opt[1:k] = _UNREACHED
    opt[0] = 0
    _recurse(loss, k, "sum", opt)
    return opt.astype(np.int64)


def _recurse(
    loss: GroupLoss, k: int, combine: Literal["sum", "max"], opt: Floats
) -> Ints:
    """Fill in Opt from row k on; return where the last group up to each row begins."""
    n = len(opt) - 1
    begin = np.zeros(n + 1, np.int64)
    block = max(1, _CELLS // k)
    lengths = np.arange(k, 2 * k)
    for low in range(k, n + 1, block):
        ends = np.arange(low, min(low + block, n + 1))
        begins = ends[:, np.newaxis] - lengths
        inside = begins >= 0
        losses = np.full(begins.shape, np.inf)
        grown = np.broadcast_to(ends[:, np.newaxis], begins.shape)
        losses[inside] = loss(begins[inside], grown[inside])
        _advance(losses, low, k, combine == "max", opt, begin)
    return begin


@compiled
def _advance(
    losses: Floats, low: int, k: int, largest: bool, opt: Floats, begin: Ints
) -> None:
    for row in range(len(losses)):
        i = low + row
        for length in range(k, min(2 * k, i + 1)):
            before, own = opt[i - length], losses[row, length - k]
            value = max(before, own) if largest else before + own
            if value < opt[i]:
                opt[i], begin[i] = value, i - length
