"""Constants that steer the search of a tree."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class TreeParams:
    """Constants that steer the search of a tree."""

    # root_rounds, rounds: most rounds of cuts at the root, and at any other node
    root_rounds: int = 20
    rounds: int = 3
    # candidates, counts: splits of heights, and of counts, that are probed before one
    # is chosen
    candidates: int = 6
    counts: int = 3
    # where more are left at the root, no counts are probed: their rows are long, and
    # slow the relaxation
    counted_incidences: int = 2_000
    # the tree has no more, so that its certificate can be read
    most_nodes: int = 200_000
    # where more are left at the root, it is not split
    most_incidences: float = math.inf
    # the program of the root is thinned and solved anew as long as what better releases
    # may use of it is at most this share
    thin_share: float = 0.8
    # so many nodes are solved at a time, each in a thread of its own; the tree depends
    # on their number, and not on who is first
    workers: int = 2


DEFAULTS = TreeParams()
