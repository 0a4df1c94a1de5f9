"""The best consecutive groups of k rows along an order, for any loss of a group."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from instances.loops.compiled import compiled
from models.one_dimensional.sorted_values import Ints, expect_enough, read_starts

Floats: TypeAlias = npt.NDArray[np.float64]
GroupLoss: TypeAlias = Callable[[Ints, Ints], npt.ArrayLike]

_CELLS = 4_000_000  # losses that are asked for at once


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
    least (``models.ranges.range_ilp`` has no order to keep).

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
    opt, begin = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64)
    opt[0] = 0
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
    starts: Ints = read_starts(begin)
    return starts


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
