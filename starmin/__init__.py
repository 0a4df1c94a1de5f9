"""Optimal anonymization: the least that must be hidden, and a proof of how little.

>>> import starmin
>>> table = starmin.load_instance("hospital")
>>> result = starmin.solve(table, l=2)
>>> result.value, result.lower_bound, result.status.value
(6, 6, 'optimal')
"""

from starmin.process.working_folder import leave_out_that_of_a_module

leave_out_that_of_a_module()

# Not before: these are files, and one of that name may be in the working folder.
from importlib import import_module  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402

from starmin.import_guard import refuse_shadows  # noqa: E402

refuse_shadows()

if TYPE_CHECKING:
    from instances import (
        Beside,
        Certificate,
        DistinctDiversity,
        EntropyDiversity,
        GeneralizedRelease,
        KAnonymity,
        Labels,
        LDiversity,
        Limit,
        MaxShare,
        NotSupportedError,
        Objective,
        Partition,
        PermutedRelease,
        PerRowK,
        Progress,
        Read,
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
        read_file,
        read_labels,
        read_table,
        to_frame,
        write_table,
    )
    from starmin.face import bound, methods, solve, verify
    from starmin.frames.anonymization import Anonymization
    from starmin.frames.anonymize import anonymize
    from starmin.frames.anonymizer import Anonymizer
    from starmin.frames.proof import Proof, check_certificate
    from starmin.frontiers.trace import frontier
    from starmin.inputs.catalogue import instance_names, load_instance
    from starmin.solution import Solution

__all__ = [
    "Anonymization",
    "Anonymizer",
    "Beside",
    "Certificate",
    "DistinctDiversity",
    "EntropyDiversity",
    "GeneralizedRelease",
    "KAnonymity",
    "LDiversity",
    "Labels",
    "Limit",
    "MaxShare",
    "NotSupportedError",
    "Objective",
    "Partition",
    "PerRowK",
    "PermutedRelease",
    "Progress",
    "Proof",
    "Read",
    "RecursiveDiversity",
    "Release",
    "Requirement",
    "Result",
    "Scales",
    "Solution",
    "Status",
    "TCloseness",
    "Table",
    "TableError",
    "Taxonomy",
    "anonymize",
    "bound",
    "check_certificate",
    "date_taxonomy",
    "from_frame",
    "frontier",
    "infer_taxonomy",
    "instance_names",
    "load_instance",
    "methods",
    "prefix_taxonomy",
    "range_taxonomy",
    "read_file",
    "read_labels",
    "read_table",
    "solve",
    "to_frame",
    "verify",
    "write_table",
]

_HOMES = {
    "Anonymization": "starmin.frames.anonymization",
    "Anonymizer": "starmin.frames.anonymizer",
    "Proof": "starmin.frames.proof",
    "Solution": "starmin.solution",
    "anonymize": "starmin.frames.anonymize",
    "check_certificate": "starmin.frames.proof",
    "frontier": "starmin.frontiers.trace",
    "bound": "starmin.face",
    "instance_names": "starmin.inputs.catalogue",
    "load_instance": "starmin.inputs.catalogue",
    "methods": "starmin.face",
    "solve": "starmin.face",
    "verify": "starmin.face",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("starmin")
    if name not in __all__:
        raise AttributeError(f"module 'starmin' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "instances")), name)


def __dir__() -> list[str]:
    return __all__
