"""How early a run was good: the mean of its gaps over its time limit."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

Point: TypeAlias = Sequence[float | None]  # seconds, value, bound
Points: TypeAlias = Sequence[Point]


def primal_integral(points: Points, best: float | None, limit: float) -> float | None:
    """Return the mean gap of the value to the best known one, over the limit.

    The gap of a value v to the best one b is ``|v - b| / max(v, b)``, and 1 before the
    first value (Berthold, 2013: the integral, here as a share of the limit). Points are
    seconds, value and bound at each improvement, by seconds; ``best`` is the least
    value known, None where nothing is; ``limit`` is in seconds.

    Examples
    --------
    >>> primal_integral([(1.0, 20, None), (2.0, 10, None)], 10, 4.0)
    0.375
    """
    if best is None:
        return None
    return _mean(points, limit, lambda value, _: _apart(value, best))


def gap_integral(points: Points, limit: float) -> float:
    """Return the mean gap between value and bound, over the limit.

    The gap is ``(v - b) / v``, and 1 where one of them is not known. Points are
    seconds, value and bound at each improvement, by seconds; ``limit`` is in seconds.

    Examples
    --------
    >>> gap_integral([(1.0, 20, 10), (2.0, 10, 10)], 4.0)
    0.375
    """
    return _mean(points, limit, _apart)


def seconds_to(points: Points, most: float) -> float | None:
    """Return when the value was first as small as that; None where it never was.

    Examples
    --------
    >>> seconds_to([(1.0, 20, None), (2.0, 10, None)], 10.1)
    2.0
    """
    for seconds, value, _ in points:
        if value is not None and value <= most:
            return seconds
    return None


def _mean(
    points: Points,
    limit: float,
    gap: Callable[[float | None, float | None], float],
) -> float:
    total, at, open_share = 0.0, 0.0, 1.0
    for seconds, value, bound in points:
        until = min(seconds or 0.0, limit)
        total += open_share * max(0.0, until - at)
        at, open_share = max(at, until), gap(value, bound)
    return (total + open_share * (limit - at)) / limit


def _apart(value: float | None, other: float | None) -> float:
    if value is None or other is None:
        return 1.0
    if value == other:
        return 0.0
    return abs(value - other) / max(abs(value), abs(other))
