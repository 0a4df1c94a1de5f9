"""Constants that steer ``box_program``."""

from dataclasses import dataclass


@dataclass(frozen=True)
class BoxParams:
    """How boxes and cuts are looked for, and how nodes are split."""

    boxes: int = 2_000  # that join at once: the start, and each look at all boxes
    cuts: int = 15  # that join at once; 0: none do
    # little, patience: so many rounds of cuts may each close less than this share of
    # the gap
    little: float = 0.01
    patience: int = 4
    tree_rounds: int = 2  # rounds of cuts at a node
    tried: int = 12  # splits of a node that are tried before one is taken
    most_left: int = 200_000  # boxes that may be left for the tree
    rounded: int = 20  # releases that a point of the root is rounded to
    # program_share, program_seconds: of the time, for a program of the groups at hand
    program_share: float = 0.1
    program_seconds: float = 10.0
    price_share: float = 0.1  # of the time, for dual ascent, whose prices come first
    # where the gap is a larger share of the value, such a program comes before each
    # round of cuts
    wide: float = 0.05


DEFAULTS = BoxParams()
