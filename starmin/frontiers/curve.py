"""A line of a frontier."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Curve:
    """A line of a frontier, its points in rising order."""

    name: str  # what all of its points ask for besides; empty where it is the only one
    asked: Sequence[int]  # by point: the k, or the l
    # values, bounds: by point: shares of the whole; None where there is none
    values: Sequence[float | None]
    bounds: Sequence[float | None]
