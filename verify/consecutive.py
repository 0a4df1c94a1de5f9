"""What potentials of boundaries prove of groups of consecutive rows."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints

_LARGEST = 2**60


def path_bound(
    potentials: Sequence[int] | Ints,
    loss: Callable[[Ints, Ints], npt.ArrayLike],
    k: int,
) -> int:
    r"""Compute a total loss that no groups of k to 2k - 1 consecutive rows go below.

    Such a partition of n rows is a path over the boundaries 0, .., n. Be v the largest
    of 0 and all :math:`\pi_j - \pi_i - loss(i+1, .., j)`. Added up over the groups of a
    partition, of which there are at most n / k,

    .. math:: \sum loss \ge \pi_n - \pi_0 - v \lfloor n / k \rfloor .

    So any potentials prove a bound, and those of a shortest path its length.

    There are n + 1 ``potentials``, whole numbers;
    ``starmin.models.one_dimensional.k_order.potentials`` finds the best ones. ``loss``
    is what rows ``begin .. end - 1`` cost as a group, for arrays of both: whole
    numbers, negative ones, too. ``k`` is the least size of a group. Raises ValueError
    for fewer than k rows, numbers that are not whole, or from 2^60 on in size, so that
    differences might not fit 64 bits.

    Notes
    -----
    O(kn), a pass over all beginnings for each length. Which claims it serves, the
    largest and the mean loss among them, says docs/explanation/one_dimensional.md.

    Examples
    --------
    >>> x = np.array([0, 1, 5, 6, 7])
    >>> def extent(begin, end):
    ...     return x[end - 1] - x[begin]
    >>> path_bound([0, 9, 1, 5, 2, 3], extent, 2)
    3
    >>> path_bound([0, 9, 1, 5, 2, 4], extent, 2)
    2
    """
    pi = _whole(potentials, "potentials")
    n = len(pi) - 1
    if n < k:
        raise ValueError(f"Expected at least {k} rows, got {n}.")
    violated = 0
    for length in range(k, min(2 * k, n + 1)):
        begin = np.arange(n - length + 1)
        paid = _whole(loss(begin, begin + length), "losses")
        violated = max(violated, int((pi[length:] - pi[:-length] - paid).max()))
    return int(pi[n]) - int(pi[0]) - violated * (n // k)


def _whole(numbers: npt.ArrayLike, what: str) -> Ints:
    """Return whole numbers whose differences fit 64 bits, or raise ValueError."""
    found = np.asarray(numbers)
    if not np.issubdtype(found.dtype, np.integer):
        raise ValueError(f"Expected {what} that are whole numbers.")
    if found.size and max(abs(int(found.min())), abs(int(found.max()))) >= _LARGEST:
        raise ValueError(f"Expected {what} below 2^60 in size.")
    return found.astype(np.int64)
