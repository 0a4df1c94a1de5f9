"""(l, eps)-diversity: generalizations and sample sizes that linkage cannot undo."""

from models.linkage.class_program import FreeClasses, free_classes
from models.linkage.classes import equal_classes, greedy_classes, least_masses
from models.linkage.distribution import JointDistribution
from models.linkage.estimate import interval_error, total_variation_error
from models.linkage.failure import (
    association_bound,
    failure_probability,
    union_bound,
)
from models.linkage.plans import MEASURES, Measure, Plan, choose, plan, sweep
from models.linkage.samples import bound_on_classes, bound_on_samples, least_samples

__all__ = [
    "MEASURES",
    "FreeClasses",
    "JointDistribution",
    "Measure",
    "Plan",
    "association_bound",
    "bound_on_classes",
    "bound_on_samples",
    "choose",
    "equal_classes",
    "failure_probability",
    "free_classes",
    "greedy_classes",
    "interval_error",
    "least_masses",
    "least_samples",
    "plan",
    "sweep",
    "total_variation_error",
    "union_bound",
]
