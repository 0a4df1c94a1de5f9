"""Linkage: what several releases reveal together, and how likely that is.

Read ``adversary`` first: the attack. ``worst_case`` is what it can find at most,
``monte_carlo`` how often it succeeds.
"""

from starmin.verify.linkage.adversary import Linkage, attack
from starmin.verify.linkage.broadcast_check import BroadcastCheck, check_broadcast
from starmin.verify.linkage.matching import Generalization, Matching, Suppression
from starmin.verify.linkage.monte_carlo import Simulation, clopper_pearson, simulate
from starmin.verify.linkage.releases import pooled, reveal_classes
from starmin.verify.linkage.worst_case import (
    extremal_releases,
    extremal_supports,
    least_linked_diversity,
    least_linked_diversity_by_search,
)

__all__ = [
    "BroadcastCheck",
    "Generalization",
    "Linkage",
    "Matching",
    "Simulation",
    "Suppression",
    "attack",
    "check_broadcast",
    "clopper_pearson",
    "extremal_releases",
    "extremal_supports",
    "least_linked_diversity",
    "least_linked_diversity_by_search",
    "pooled",
    "reveal_classes",
    "simulate",
]
