"""Linkage: what several releases reveal together, and how likely that is.

Read ``adversary`` first: the attack. ``monte_carlo`` tells what it can find at most,
and how often it succeeds.
"""

from starmin.verify.linkage.adversary import (
    BroadcastCheck,
    Linkage,
    attack,
    check_broadcast,
)
from starmin.verify.linkage.monte_carlo import (
    extremal_releases,
    least_linked_diversity,
    simulate,
)
from starmin.verify.linkage.releases import (
    Generalization,
    Matching,
    Suppression,
    pooled,
    reveal_classes,
)

__all__ = [
    "BroadcastCheck",
    "Generalization",
    "Linkage",
    "Matching",
    "Suppression",
    "attack",
    "check_broadcast",
    "extremal_releases",
    "least_linked_diversity",
    "pooled",
    "reveal_classes",
    "simulate",
]
