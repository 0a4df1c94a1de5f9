"""Tuple minimisation, exact.

``tuple_ilp`` is the method and its search; read it first. ``tuple_program`` is its
program.
"""

from starmin.instances.runs.method import Method

TUPLE_ILP = Method(
    "starmin.models.tuples.tuple_ilp",
    "exact",
    requirements=("k", "l", "k+l"),
    objectives=("tuples",),
    guarantee="optimal",
    reach="600,000 rows x 7 quasi-identifiers",
    source="Xiao, Yi, Tao 2010",
    solver="HiGHS",
    pauses=True,
)

METHODS = (TUPLE_ILP,)
