"""Prices that the subgradient method reaches, for tests of what is done with them."""

from typing import Any

from starmin.instances.arrays import Ints
from starmin.models.lagrangian_relaxation.lagrangian_function import (
    LagrangianSubgradient,
)


def reached_prices(run: Any, patterns: Any, **more: Any) -> Ints:
    """Return the prices of the best bound; more is what the method takes."""
    method = LagrangianSubgradient(run, patterns, **more)
    method.improve(1e-4)
    return method.prices
