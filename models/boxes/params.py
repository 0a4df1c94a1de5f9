"""Constants that steer ``box_program``."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BoxParams:
    """How boxes and cuts are looked for, and how nodes are split.

    Attributes
    ----------
    boxes
        That join at once: the start, and each look at all boxes.
    cuts
        That join at once; 0: none do.
    little, patience
        So many rounds of cuts may each close less than this share of the gap.
    tree_rounds
        Rounds of cuts at a node.
    tried
        Splits of a node that are tried before one is taken.
    most_left
        Boxes that may be left for the tree.
    rounded
        Releases that a point of the root is rounded to.
    program_share, program_seconds
        Of the time, for a program of the groups at hand.
    price_share
        Of the time, for dual ascent, whose prices come first.
    wide
        Where the gap is a larger share of the value, such a program comes before each
        round of cuts.
    """

    boxes: int = 2_000
    cuts: int = 15
    little: float = 0.01
    patience: int = 4
    tree_rounds: int = 2
    tried: int = 12
    most_left: int = 200_000
    rounded: int = 20
    program_share: float = 0.1
    program_seconds: float = 10.0
    price_share: float = 0.1
    wide: float = 0.05


DEFAULTS = BoxParams()
