"""Models as files that other solvers read, and their solutions as releases.

Read ``named_model`` first: a program whose columns and rows have names, and a legend
that says what a name stands for; it is written as LP or MPS, and what a solver found is
read. ``partition_models`` and ``matching_models`` build one for each formulation.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

_BUILDERS = {
    "pattern_ilp": ("partition_models", "pattern_model"),
    "tuple_ilp": ("partition_models", "tuple_model"),
    "assignment_mip": ("partition_models", "assignment_model"),
    "group_partition": ("partition_models", "group_model"),
    "bipartite_matching": ("matching_models", "pair_model"),
    "matching_mip": ("matching_models", "matching_model"),
    "pair_matching": ("matching_models", "matching_flow"),
}
EXPORTED = tuple(_BUILDERS)
PUBLISHED_AS = dict.fromkeys(("matching_mip", "pair_matching"), "nonhomogeneous")


def builder(name: str) -> Callable[..., Any]:
    """Return what builds a model from table, requirement and objective.

    Examples
    --------
    >>> builder("pattern_ilp").__name__
    'pattern_model'
    """
    module, function = _BUILDERS[name]
    made: Callable[..., Any] = getattr(
        import_module(f"starmin.models.exchange.{module}"), function
    )
    return made
