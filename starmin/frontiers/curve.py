"""A line of a frontier."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Curve:
    """A line of a frontier, its points in rising order.

    Attributes
    ----------
    name
        What all of its points ask for besides; empty where it is the only one.
    asked
        The k, or the l, of each point.
    values, bounds
        Shares of the whole; None where there is none.
    """

    name: str
    asked: Sequence[int]
    values: Sequence[float | None]
    bounds: Sequence[float | None]
