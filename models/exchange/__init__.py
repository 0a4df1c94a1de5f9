"""Models as files that other solvers read, and their solutions as releases.

Read ``named_model`` first: a program whose columns and rows have names, and a legend
that says what a name stands for. A file for each formulation builds one;
``write_model`` writes it as LP or MPS, ``read_solution`` reads what a solver found.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

_BUILDERS = {
    "pattern_ilp": "pattern_model",
    "tuple_ilp": "tuple_model",
    "assignment_mip": "assignment_model",
    "group_partition": "group_model",
    "bipartite_matching": "pair_model",
    "matching_mip": "matching_model",
    "pair_matching": "matching_flow",
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
    module = _BUILDERS[name]
    made: Callable[..., Any] = getattr(
        import_module(f"starmin.models.exchange.{module}"), module
    )
    return made
