"""(l, eps)-diversity: classes and sample sizes that linkage cannot undo.

Read ``plans`` first, which also says how many samples are enough.
``contiguous_classes`` and ``broadcast`` choose classes, ``failure`` says how likely one
of them shows too few values.
"""

from starmin.models.linkage.broadcast import (
    BroadcastClasses,
    FreeClasses,
    free_classes,
    interval_error,
    publish_broadcast,
    total_variation_error,
)
from starmin.models.linkage.contiguous_classes import (
    JointDistribution,
    equal_classes,
    greedy_classes,
    least_masses,
)
from starmin.models.linkage.failure import (
    association_bound,
    failure_probability,
    union_bound,
)
from starmin.models.linkage.plans import (
    MEASURES,
    Measure,
    Plan,
    bound_on_classes,
    bound_on_samples,
    least_samples,
    most_classes,
    plan,
    sweep,
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
