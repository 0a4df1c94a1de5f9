"""Tests for what other packages add: the ones that starmin's own parts pass.

``check_method``, ``check_requirement`` and ``check_instance`` raise AssertionError.
With pytest, the fixtures ``starmin_method``, ``starmin_requirement`` and
``starmin_instance`` go through all that other packages have registered.
"""

from starmin.testing.method_tests import check_method
from starmin.testing.requirement_tests import (
    check_instance,
    check_requirement,
    small_table,
)

__all__ = ["check_instance", "check_method", "check_requirement", "small_table"]
