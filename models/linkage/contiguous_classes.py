"""Contiguous classes of quasi-identifiers that each hold l likely values."""

import math

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.models.linkage.joint_distribution import JointDistribution

_SLACK = 1e-9


def greedy_classes(joint: JointDistribution, l: int, gamma: float) -> Int32s:
    """Partition ordered quasi-identifiers into the most contiguous classes. Exact.

    A class C is *admissible* if ``P(C, s) >= gamma`` for at least l sensitive values s,
    compared with relative slack 1e-9, since a float seldom is the fraction that was
    meant. The sweep closes a class at the first quasi-identifier that makes it
    admissible; what remains at the end joins the last class (Greedy-Generalize,
    Algorithm 2). Returns for each quasi-identifier the number of its class, 0, 1, ..;
    raises ValueError where even all of them together are not admissible.

    No contiguous admissible partition has more classes: by induction its i-th class
    ends no earlier than the sweep's, because masses of intervals only grow (Proposition
    4.6).

    Notes
    -----
    O(a log |Q|) for each class, after cumulative sums.

    References
    ----------
    Rameshwar, Tandon: (l, delta)-Diversity: Linkage-Robustness via a Composition
    Theorem, 2025, section 4.3.

    Examples
    --------
    >>> greedy_classes(JointDistribution.uniform(7, 3), l=2, gamma=0.14).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    threshold = threshold_of(joint, l, gamma)
    return _labels(Sweep(joint, l).ends(threshold), joint.size)


def equal_classes(joint: JointDistribution, l: int, gamma: float) -> Int32s:
    """Partition ordered quasi-identifiers into classes of equal length.

    Optimal among *all* partitions, contiguous or not, where q is uniform and
    independent of s (Corollary 4.8): there a class is admissible if and only if it
    has L quasi-identifiers. Otherwise every class is admissible, no more.

    The length is the least L with ``L * w >= gamma``, where w is the least P(q, s)
    of any q and any of the l most likely values s; for independent q and s this is
    ``min_q P_Q(q) * P_S(l)`` (Generalize-Ind, Algorithm 3). The remainder joins the
    last class; where L is more than |Q|, there is one class.

    Examples
    --------
    >>> equal_classes(JointDistribution.uniform(7, 3), l=2, gamma=0.14).tolist()
    [0, 0, 0, 1, 1, 1, 1]
    """
    threshold = threshold_of(joint, l, gamma)
    likely = np.argsort(-joint.weights.sum(axis=0), kind="stable")[:l]
    least = int(joint.weights[:, likely].min())
    length = min(joint.size, -(-threshold // least)) if least else joint.size
    ends = np.arange(length, joint.size + 1, length)
    return _labels(ends, joint.size)


def least_masses(
    joint: JointDistribution, l: int, classes: npt.NDArray[np.integer]
) -> Floats:
    """Return each class's l-th largest P(C, s): admissible where it is >= gamma."""
    weights = joint.by_class(classes)
    if l > weights.shape[1]:
        return np.zeros(len(weights))
    ranked = np.sort(weights, axis=1)[:, ::-1]
    return np.asarray(ranked[:, l - 1] / joint.total, np.float64)


def threshold_of(joint: JointDistribution, l: int, gamma: float) -> int:
    """Return the least weight that counts as mass ``gamma``; check l and gamma."""
    check_l(joint, l)
    if not gamma > 0:
        raise ValueError(f"Expected gamma > 0, got {gamma}.")
    most = float(joint.sorted_marginal[l - 1])
    if gamma * (1 - _SLACK) > most:
        raise ValueError(
            f"Expected gamma <= {most:.6g}, the probability of the {l}-th most "
            f"likely sensitive value, got {gamma:.6g}."
        )
    return max(1, math.ceil(gamma * joint.total * (1 - _SLACK)))


def check_l(joint: JointDistribution, l: int) -> None:
    """Raise ValueError where there are fewer than l sensitive values."""
    values = joint.weights.shape[1]
    if not 1 <= l <= values:
        raise ValueError(f"Expected 1 <= l <= {values} (sensitive values), got {l}.")


class Sweep:
    """The sweep of Greedy-Generalize, for one distribution and many thresholds."""

    def __init__(self, joint: JointDistribution, l: int) -> None:
        self.l = l
        size, values = joint.weights.shape
        self._cumulative = np.zeros((size + 1, values), np.int64)
        np.cumsum(joint.weights, axis=0, out=self._cumulative[1:])
        # One sorted array for all values: value s lives in [s * step, (s + 1) * step).
        step = joint.total + 1
        self._offsets = np.arange(values, dtype=np.int64) * step
        self._keys = (self._cumulative + self._offsets).T.ravel()
        self._size = size

    def ends(self, threshold: int) -> Ints:
        """Return where each class ends (exclusive); the remainder is not joined yet."""
        ends: list[int] = []
        begin = 0
        firsts = np.arange(len(self._offsets)) * (self._size + 1)
        limits = self._offsets + self._cumulative[-1]
        while True:
            wanted = self._cumulative[begin] + self._offsets + threshold
            reached = np.searchsorted(self._keys, wanted) - firsts
            reached[wanted > limits] = self._size + 1
            end = int(np.partition(reached, self.l - 1)[self.l - 1])
            if end > self._size:
                return np.array(ends, np.int64)
            ends.append(end)
            begin = end

    def least(self, ends: Ints) -> int:
        """Return the least l-th largest weight of the classes, the remainder joined."""
        borders = np.append(0, ends)
        borders[-1] = self._size
        weights = np.diff(self._cumulative[borders], axis=0)
        at = weights.shape[1] - self.l
        return int(np.partition(weights, at, axis=1)[:, at].min())

    def highest_threshold(self, classes: int, most: int) -> int:
        """Find the highest threshold, up to ``most``, that gives that many classes.

        0 if none does. By bisection over the whole numbers; each success jumps to
        the least weight its classes really have, at which they remain admissible.
        """
        low, high = 0, most + 1
        while high - low > 1:
            middle = (low + high) // 2
            ends = self.ends(middle)
            if len(ends) >= classes:
                low = min(max(middle, self.least(ends)), high - 1)
            else:
                high = middle
        return low


def _labels(ends: Ints, size: int) -> Int32s:
    borders = np.append(0, ends)
    borders[-1] = size
    return np.repeat(np.arange(len(ends), dtype=np.int32), np.diff(borders))
