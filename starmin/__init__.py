"""Optimal anonymization: the fewest stars, and a proof of how few are possible.

>>> import starmin
>>> table = starmin.load_instance("hospital")
>>> result = starmin.solve(table, l=2)
>>> result.value, result.lower_bound, result.status.value
(6, 6, 'optimal')
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from starmin.import_guard import refuse_shadows
from starmin.process.loop_cache import find_loop_cache

refuse_shadows()
find_loop_cache()

if TYPE_CHECKING:
    from instances import (
        Certificate,
        DistinctDiversity,
        EntropyDiversity,
        GeneralizedRelease,
        KAnonymity,
        LDiversity,
        Limit,
        MaxShare,
        NotSupportedError,
        Objective,
        Partition,
        PermutedRelease,
        PerRowK,
        Progress,
        RecursiveDiversity,
        Release,
        Requirement,
        Result,
        Scales,
        Status,
        Table,
        TableError,
        Taxonomy,
        TCloseness,
        date_taxonomy,
        from_frame,
        infer_taxonomy,
        prefix_taxonomy,
        range_taxonomy,
        read_table,
        to_frame,
        write_table,
    )
    from starmin.face import bound, methods, solve, verify
    from starmin.inputs.catalogue import instance_names, load_instance

__all__ = [
    "Certificate",
    "DistinctDiversity",
    "EntropyDiversity",
    "GeneralizedRelease",
    "KAnonymity",
    "LDiversity",
    "Limit",
    "MaxShare",
    "NotSupportedError",
    "Objective",
    "Partition",
    "PerRowK",
    "PermutedRelease",
    "Progress",
    "RecursiveDiversity",
    "Release",
    "Requirement",
    "Result",
    "Scales",
    "Status",
    "TCloseness",
    "Table",
    "TableError",
    "Taxonomy",
    "bound",
    "date_taxonomy",
    "from_frame",
    "infer_taxonomy",
    "instance_names",
    "load_instance",
    "methods",
    "prefix_taxonomy",
    "range_taxonomy",
    "read_table",
    "solve",
    "to_frame",
    "verify",
    "write_table",
]

_HOMES = {
    "bound": "starmin.face",
    "instance_names": "starmin.inputs.catalogue",
    "load_instance": "starmin.inputs.catalogue",
    "methods": "starmin.face",
    "solve": "starmin.face",
    "verify": "starmin.face",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'starmin' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "instances")), name)


def __dir__() -> list[str]:
    return __all__
