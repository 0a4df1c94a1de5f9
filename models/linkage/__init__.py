"""(l, eps)-diversity: generalizations and sample sizes that linkage cannot undo."""

from models.linkage.class_program import FreeClasses, free_classes
from models.linkage.classes import equal_classes, greedy_classes, least_masses
from models.linkage.distribution import JointDistribution
from models.linkage.estimate import interval_error, total_variation_error
from models.linkage.plans import Plan, choose, plan, sweep
from models.linkage.samples import (
    bound_on_classes,
    bound_on_samples,
    failure_bound,
    failure_probability,
    least_samples,
)

__all__ = [
    "FreeClasses",
    "JointDistribution",
    "Plan",
    "bound_on_classes",
    "bound_on_samples",
    "choose",
    "equal_classes",
    "failure_bound",
    "failure_probability",
    "free_classes",
    "greedy_classes",
    "interval_error",
    "least_masses",
    "least_samples",
    "plan",
    "sweep",
    "total_variation_error",
]
