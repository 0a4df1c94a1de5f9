"""Constants that steer the search of a tree."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class TreeParams:
    """Constants that steer the search of a tree.

    Attributes
    ----------
    root_rounds, rounds
        Most rounds of cuts at the root, and at any other node.
    candidates, counts
        Splits of heights, and of counts, that are probed before one is chosen.
    counted_incidences
        Where more incidences are left at the root, no counts are probed: their rows are
        long, and slow the relaxation.
    most_nodes
        The tree has no more, so that its certificate can be read.
    most_incidences
        Where more are left at the root, it is not split.
    thin_share
        The program of the root is thinned and solved anew as long as what better
        releases may use of it is at most this share.
    workers
        So many nodes are solved at a time, each in a thread of its own. The tree
        depends on their number, and not on who is first.
    """

    root_rounds: int = 20
    rounds: int = 3
    candidates: int = 6
    counts: int = 3
    counted_incidences: int = 2_000
    most_nodes: int = 200_000
    most_incidences: float = math.inf
    thin_share: float = 0.8
    workers: int = 2


DEFAULTS = TreeParams()
