"""(l, eps)-diversity: classes and sample sizes that linkage cannot undo.

Read ``plans`` first. ``contiguous_classes`` and ``class_program`` choose classes,
``failure`` says how likely one of them shows too few values, ``samples`` how many
samples are enough.
"""

from starmin.models.linkage.best_gamma import most_classes, sweep
from starmin.models.linkage.broadcast import BroadcastClasses, publish_broadcast
from starmin.models.linkage.class_program import FreeClasses, free_classes
from starmin.models.linkage.contiguous_classes import (
    equal_classes,
    greedy_classes,
    least_masses,
)
from starmin.models.linkage.estimate import interval_error, total_variation_error
from starmin.models.linkage.failure import (
    association_bound,
    failure_probability,
    union_bound,
)
from starmin.models.linkage.joint_distribution import JointDistribution
from starmin.models.linkage.plans import MEASURES, Measure, Plan, plan
from starmin.models.linkage.samples import (
    bound_on_classes,
    bound_on_samples,
    least_samples,
)

__all__ = [
    "MEASURES",
    "BroadcastClasses",
    "FreeClasses",
    "JointDistribution",
    "Measure",
    "Plan",
    "association_bound",
    "bound_on_classes",
    "bound_on_samples",
    "equal_classes",
    "failure_probability",
    "free_classes",
    "greedy_classes",
    "interval_error",
    "least_masses",
    "least_samples",
    "most_classes",
    "plan",
    "publish_broadcast",
    "sweep",
    "total_variation_error",
    "union_bound",
]
