"""iDistance as a mapping: the nearest of some centres, and the distance to it."""

from dataclasses import dataclass, replace

import numpy as np

from starmin.heuristics.mappings.hilbert_mapping import Hilbert
from starmin.heuristics.mappings.line import Line, Points
from starmin.instances.arrays import Floats, Ints

_CELLS = 8_000_000  # So many distances are computed at once: 64 MB.


@dataclass(frozen=True)
class IDistance:
    """Each point at its nearest centre, by its distance to it.

    Centres are found by k-means in a random sample of the rows and follow each other as
    on the Hilbert curve. The stretches of two centres do not overlap: each is as long
    as the space is wide.

    Notes
    -----
    O(m d) for each centre and m points. The sample is drawn by ``seed``.

    References
    ----------
    H. V. Jagadish, B. C. Ooi, K.-L. Tan, C. Yu, R. Zhang, iDistance: an adaptive
    B+-tree based indexing method for nearest neighbor search, ACM TODS 30(2), 2005.

    Examples
    --------
    >>> places = np.array([[0], [9], [1], [8]], np.int32)
    >>> points = Points(places, (10,), places / 9, np.ones(4, np.int64))
    >>> np.sort(IDistance(centres=2)(points, seed=0).order[:2]).tolist()
    [0, 2]
    """

    centres: int = 512  # number of centres; 512 in the paper
    # share of the rows drawn as the sample; 0.1 in the paper; at least ten rows for
    # each centre are drawn, if there are as many
    share: float = 0.1
    rounds: int = 10  # rounds of k-means at most

    def __call__(self, points: Points, seed: int) -> Line:
        centres = self._order(points, self._centres(points, seed))
        nearest, distance = nearest_centres(points.units, centres)
        width = 1.0 + np.sqrt(points.units.shape[1])
        return Line.of(nearest * width + distance)

    def _centres(self, points: Points, seed: int) -> Floats:
        """Find centres by k-means in the sample, from some of its points drawn."""
        rng = np.random.default_rng(seed)
        n = int(points.counts.sum())
        wanted = min(n, max(round(self.share * n), 10 * self.centres))
        rows = rng.choice(n, wanted, replace=False)
        point = np.searchsorted(np.cumsum(points.counts), rows, side="right")
        sample, weight = np.unique(point, return_counts=True)
        many = min(self.centres, len(sample))
        centres: Floats = points.units[rng.choice(sample, many, replace=False)]
        where = points.units[sample]
        before = np.full(len(sample), -1)
        for _ in range(self.rounds):
            nearest, _ = nearest_centres(where, centres)
            if np.array_equal(nearest, before):
                break
            before = nearest
            load = np.bincount(nearest, weight, many)
            for axis in range(where.shape[1]):
                sums = np.bincount(nearest, weight * where[:, axis], many)
                centres[load > 0, axis] = sums[load > 0] / load[load > 0]
        return centres

    @staticmethod
    def _order(points: Points, centres: Floats) -> Floats:
        order = Hilbert(bits=16)(replace(points, units=centres), seed=0).order
        return np.asarray(centres[order])


def nearest_centres(units: Floats, centres: Floats) -> tuple[Ints, Floats]:
    """Find for each point the number of its nearest centre, and how far it is."""
    nearest = np.empty(len(units), np.int64)
    distance = np.empty(len(units))
    square = (centres**2).sum(axis=1) / 2
    block = max(1, _CELLS // max(1, len(centres)))
    for low in range(0, len(units), block):
        part = units[low : low + block]
        nearest[low : low + block] = np.argmin(square - part @ centres.T, axis=1)
        away = part - centres[nearest[low : low + block]]
        distance[low : low + block] = np.sqrt((away**2).sum(axis=1))
    return nearest, distance
