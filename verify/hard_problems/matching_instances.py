"""Matching problems whose answer is known: planted yes, certified no, and all small."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from starmin.verify.hard_problems.point_set import PointSet


def planted_matching(size: int, extra: int, seed: int, dimension: int = 3) -> PointSet:
    """Hide N random points that share no coordinate among ``extra`` others: a yes.

    ``size`` is N, the values of each domain; a point has ``dimension`` coordinates.

    Examples
    --------
    >>> from starmin.verify.hard_problems.source_solvers import perfect_matching
    >>> points = planted_matching(5, 4, seed=1)
    >>> len(points.points), perfect_matching(points) is not None
    (9, True)
    """
    random = np.random.default_rng(seed)
    columns = [random.permutation(size) for _ in range(dimension)]
    planted = [tuple(map(int, point)) for point in zip(*columns, strict=True)]
    others = random_points(size, extra, seed + 1, dimension, planted)
    order = random.permutation(size + extra)
    points = [[*planted, *others][i] for i in order]
    return PointSet.of(size, points, f"planted N={size} seed={seed}")


def random_points(
    size: int,
    count: int,
    seed: int,
    dimension: int = 3,
    without: list[tuple[int, ...]] | None = None,
) -> list[tuple[int, ...]]:
    """Draw ``count`` different random points, none of ``without``.

    Each domain has ``size`` values; a point has ``dimension`` coordinates.
    """
    taken = set(without or ())
    if count > size**dimension - len(taken):
        raise ValueError(
            f"Expected at most {size**dimension - len(taken)}, got {count}."
        )
    random = np.random.default_rng(seed)
    found: list[tuple[int, ...]] = []
    while len(found) < count:
        point = tuple(map(int, random.integers(size, size=dimension)))
        if point not in taken:
            taken.add(point)
            found.append(point)
    return found


@dataclass(frozen=True)
class Crowding:
    """Why points have no perfect matching: ``crowded`` has too few ``partners``.

    Every point with first coordinate in ``crowded`` has its second in ``partners``,
    a smaller set.
    """

    crowded: frozenset[int]
    partners: frozenset[int]

    def proves_no(self, points: PointSet) -> bool:
        """Check whether the obstruction holds, and so the answer is no."""
        return len(self.partners) < len(self.crowded) and all(
            point[1] in self.partners
            for point in points.points
            if point[0] in self.crowded
        )


def crowded_points(
    size: int, count: int, seed: int, dimension: int = 3
) -> tuple[PointSet, Crowding]:
    """Draw points that cover every value and have no perfect matching: a no.

    Half of the first domain, rounded up, meets one value too few of the second. Each
    domain has ``size`` values; a point has ``dimension`` coordinates.

    Examples
    --------
    >>> points, why = crowded_points(5, 12, seed=1)
    >>> why.proves_no(points)
    True
    """
    crowded = frozenset(range((size + 1) // 2 if size > 2 else 2))
    partners = frozenset(range(len(crowded) - 1))
    allowed = [
        point
        for point in product(range(size), repeat=dimension)
        if point[0] not in crowded or point[1] in partners
    ]
    if not size <= count <= len(allowed):
        raise ValueError(f"Expected {size} <= count <= {len(allowed)}, got {count}.")
    random = np.random.default_rng(seed)
    chosen = [allowed[i] for i in random.choice(len(allowed), count, replace=False)]
    points = PointSet.of(size, chosen, f"crowded N={size} seed={seed}")
    return points, Crowding(crowded, partners)


def all_point_sets(size: int, most: int, dimension: int = 3) -> Iterator[PointSet]:
    """Yield every set of 1 .. ``most`` points over domains of ``size`` values.

    Examples
    --------
    >>> sum(1 for _ in all_point_sets(2, 6))
    246
    """
    everything = list(product(range(size), repeat=dimension))
    for count in range(1, most + 1):
        for points in combinations(everything, count):
            yield PointSet.of(size, points)
