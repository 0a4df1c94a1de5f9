"""The requirements of a frontier, and what each says of the others."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from starmin.instances import Certificate, Problem, Requirement, Result
from starmin.instances.requirements.requirements import Asked


@dataclass(frozen=True)
class Curve:
    """A line of a frontier, its points in rising order."""

    name: str  # what all of its points ask for besides; empty where it is the only one
    asked: Sequence[int]  # by point: the k, or the l
    # values, bounds: by point: shares of the whole; None where there is none
    values: Sequence[float | None]
    bounds: Sequence[float | None]


@dataclass(frozen=True, eq=False)
class Point:
    """One requirement of a frontier."""

    k: int | None  # k, l: what it asks for; None: nothing of that
    l: int | None
    problem: Problem  # the table with this requirement

    def implies(self, other: "Point") -> bool:
        """Check whether each release that satisfies this one satisfies the other."""
        return (self.k or 1) >= (other.k or 1) and (self.l or 1) >= (other.l or 1)

    @property
    def words(self) -> str:
        """What is asked, as a label."""
        named = (("k", self.k), ("l", self.l))
        return ", ".join(f"{name} = {n}" for name, n in named if n is not None)


def points_of(
    problem: Problem,
    ks: Sequence[int],
    ls: Sequence[int],
    asked: Asked,
    further: Requirement | None = None,
) -> list[Point]:
    """Combine each k with each l; all have the table of ``problem``."""
    points, nothing = [], (None,)
    for k, l in product(ks or nothing, ls or nothing):
        requirement = asked.but(k=k, l=l).on(problem.table, further)
        assert requirement is not None
        points.append(Point(k, l, replace(problem, requirement=requirement)))
    return points


Found = Mapping[Point, Result[Any]]


def hardest_first(points: Sequence[Point]) -> list[Point]:
    """Sort points such that none comes before one that implies it."""
    return sorted(points, key=lambda p: (-(p.l or 1), -(p.k or 1)))


def cheapest_release(point: Point, found: Found) -> Result[Any] | None:
    """Return the result with the cheapest known release that satisfies a point."""
    valid = [
        result
        for other, result in found.items()
        if other.implies(point) and result.best is not None
    ]
    return min(valid, key=lambda result: result.value or 0, default=None)


def nearest_proof(point: Point, found: Found) -> Certificate | None:
    """Return the certificate for the l of a point, and for the nearest k by ratio."""

    def ratio(other: Point) -> float:
        return abs(math.log((other.k or 1) / (point.k or 1)))

    proofs = {
        other: result.certificate
        for other, result in found.items()
        if other.l == point.l and result.certificate is not None
    }
    return proofs[min(proofs, key=ratio)] if proofs else None


def carry_over(found: Found) -> dict[Point, Result[Any]]:
    """Give each point the cheapest release and the highest bound that hold for it.

    ``found`` has what was found for each point on its own. A release for a harder
    requirement is one for an easier one, and a bound for the easier one holds for the
    harder one. A certificate stays where it was found: it names its requirement.
    """
    return {
        point: result
        if result.reason
        else _with_bound(point, _with_release(point, result, found), found)
        for point, result in found.items()
    }


def _with_release(point: Point, result: Result[Any], found: Found) -> Result[Any]:
    """Replace the release by a cheaper one that satisfies a harder requirement."""
    other = cheapest_release(point, found)
    if other is None or other.value is None:
        return result
    if result.value is not None and result.value <= other.value:
        return result
    stats = {**result.stats, "method": other.stats["method"]}
    return replace(result, best=other.best, value=other.value, stats=stats)


def _with_bound(point: Point, result: Result[Any], found: Found) -> Result[Any]:
    """Replace the bound by a higher one that was proven for an easier requirement."""
    easier = [other for key, other in found.items() if point.implies(key)]
    highest = max(easier, key=lambda other: other.lower_bound or 0)
    if (highest.lower_bound or 0) <= (result.lower_bound or 0):
        return result
    return replace(
        result, lower_bound=highest.lower_bound, bound_method=highest.bound_method
    )
