"""Options against attackers who know how releases are made."""

from starmin.inputs.declared import with_options
from starmin.instances.arguments import Option

PAD = Option(
    "pad",
    bool,
    "Hide more of classes that are known in full since no star is without need, as "
    "pairs in which only the sex is starred.",
    False,
)
MARGIN = Option(
    "margin",
    int,
    "Solve l + N for a promise of l: who knows how releases are made learns less. Keep "
    "N secret.",
    0,
    metavar="N",
    needs="l",
)
DECOYS = Option(
    "decoys",
    float,
    "Experimental: of distinct rows that could be published whole, so large a share, "
    "drawn in secret, has a row in a class with stars.",
    0.0,
    metavar="SHARE",
    needs="l",
)
DEFENCES = (PAD, MARGIN, DECOYS)


@with_options(DEFENCES, "Defences (after the search; none is proof against attacks)")
class DefenceOptions:
    """What is hidden beyond what the requirement asks for."""
