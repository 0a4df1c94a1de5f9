"""Points of an l-dimensional matching problem."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starmin.instances import TableError


@dataclass(frozen=True)
class PointSet:
    """Distinct points in a product of l disjoint domains of N values each.

    The question of l-dimensional matching: are there N points, no two of which share
    a coordinate?

    Raises TableError for domains of different sizes, a point of another length, or a
    point twice.

    Examples
    --------
    >>> points = PointSet.of(2, [(0, 0, 0), (1, 0, 1), (1, 1, 1)])
    >>> points.dimension, points.size
    (3, 2)
    >>> is_matching(points, {0, 2}), is_matching(points, {0, 1})
    (True, False)
    """

    domains: tuple[tuple[str, ...], ...]  # l tuples of N names
    points: tuple[tuple[int, ...], ...]  # each l numbers 0 .. N-1, one for each domain
    name: str = "points"  # what errors and results call it

    def __post_init__(self) -> None:
        if len(self.domains) < 2:
            raise TableError(
                f"{self.name}: {len(self.domains)} coordinates, expected at least 2"
            )
        if not self.points:
            raise TableError(f"{self.name}: no points; expected at least one")
        if any(len(domain) != self.size for domain in self.domains):
            raise TableError(f"{self.name}: domains of different sizes")
        seen: set[tuple[int, ...]] = set()
        for number, point in enumerate(self.points, start=1):
            if len(point) != self.dimension or not all(
                0 <= c < self.size for c in point
            ):
                raise TableError(
                    f"{self.name}: point {number} is not {self.dimension} numbers "
                    f"below {self.size}"
                )
            if point in seen:
                raise TableError(
                    f"{self.name}: point {number} occurs before; remove one"
                )
            seen.add(point)

    @classmethod
    def of(
        cls, size: int, points: Iterable[Sequence[int]], name: str = "points"
    ) -> "PointSet":
        """Return points over domains of ``size`` values named a1, a2, .., b1, b2, .."""
        tuples = tuple(tuple(point) for point in points)
        l = len(tuples[0]) if tuples else 3
        domains = tuple(
            tuple(f"{chr(ord('a') + h)}{v + 1}" for v in range(size)) for h in range(l)
        )
        return cls(domains, tuples, name)

    @property
    def dimension(self) -> int:
        """l, the number of coordinates."""
        return len(self.domains)

    @property
    def size(self) -> int:
        """N, the number of values of each domain."""
        return len(self.domains[0])


def is_matching(points: PointSet, chosen: Iterable[int]) -> bool:
    """Check whether no two of the ``chosen`` points share a coordinate."""
    tuples = [points.points[i] for i in chosen]
    return all(len(set(values)) == len(tuples) for values in zip(*tuples, strict=True))


def is_perfect_matching(points: PointSet, chosen: Iterable[int]) -> bool:
    """Check whether the ``chosen`` points cover every value exactly once."""
    numbers = set(chosen)
    return len(numbers) == points.size and is_matching(points, numbers)
