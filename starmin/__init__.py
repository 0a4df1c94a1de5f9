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
import os  # noqa: E402
import sys  # noqa: E402
from importlib import import_module  # noqa: E402
from types import ModuleType  # noqa: E402
from typing import TYPE_CHECKING, Any  # noqa: E402


class _Face(ModuleType):
    """This module: ``starmin.verify`` stays the function.

    The import of a module in the package of that name would put the package there.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Face
if not os.path.isdir(os.path.join(__path__[0], "instances")):  # noqa: PTH112, PTH118
    # A checkout on a system without links: the packages stand beside this one.
    __path__.append(os.path.dirname(__path__[0]))  # noqa: PTH120

if TYPE_CHECKING:
    from starmin.auditing import audit
    from starmin.extensions import instance_names, load_instance, register
    from starmin.face import bound, methods, solve, verify
    from starmin.frames.anonymization import Anonymization
    from starmin.frames.anonymize import anonymize
    from starmin.frames.anonymizer import Anonymizer
    from starmin.frames.compare import compare
    from starmin.frames.proof import Proof, check_certificate
    from starmin.frontiers.trace import frontier
    from starmin.instances import (
        STARS,
        TUPLES,
        Beside,
        Certificate,
        Combinations,
        CutRule,
        DateRule,
        DeletedRows,
        DistinctDiversity,
        EntropyDiversity,
        GeneralizedRelease,
        GroupStats,
        HierarchyRule,
        KAnonymity,
        Labels,
        LDiversity,
        Limit,
        MaxShare,
        NonHomogeneousRelease,
        NotSupportedError,
        Objective,
        Partition,
        PermutedRelease,
        PerRowK,
        Persons,
        PrefixRule,
        Progress,
        RangeRule,
        Read,
        RecursiveDiversity,
        Release,
        Requirement,
        Result,
        Rules,
        Run,
        Scales,
        Status,
        Table,
        TableError,
        Taxonomy,
        TCloseness,
        as_sets,
        date_taxonomy,
        from_frame,
        hierarchy_rule,
        infer_taxonomy,
        least_diversity,
        least_size,
        prefix_taxonomy,
        range_taxonomy,
        read_file,
        read_labels,
        read_table,
        to_frame,
        write_table,
    )
    from starmin.instances.runs.method import Method
    from starmin.process.faults import InternalError
    from starmin.questions import Question, question
    from starmin.risks import risk
    from starmin.solving import Solution

__all__ = [
    "STARS",
    "TUPLES",
    "Anonymization",
    "Anonymizer",
    "Beside",
    "Certificate",
    "Combinations",
    "CutRule",
    "DateRule",
    "DeletedRows",
    "DistinctDiversity",
    "EntropyDiversity",
    "GeneralizedRelease",
    "GroupStats",
    "HierarchyRule",
    "InternalError",
    "KAnonymity",
    "LDiversity",
    "Labels",
    "Limit",
    "MaxShare",
    "Method",
    "NonHomogeneousRelease",
    "NotSupportedError",
    "Objective",
    "Partition",
    "PerRowK",
    "PermutedRelease",
    "Persons",
    "PrefixRule",
    "Progress",
    "Proof",
    "Question",
    "RangeRule",
    "Read",
    "RecursiveDiversity",
    "Release",
    "Requirement",
    "Result",
    "Rules",
    "Run",
    "Scales",
    "Solution",
    "Status",
    "TCloseness",
    "Table",
    "TableError",
    "Taxonomy",
    "anonymize",
    "as_sets",
    "audit",
    "bound",
    "check_certificate",
    "compare",
    "date_taxonomy",
    "from_frame",
    "frontier",
    "hierarchy_rule",
    "infer_taxonomy",
    "instance_names",
    "least_diversity",
    "least_size",
    "load_instance",
    "methods",
    "prefix_taxonomy",
    "question",
    "range_taxonomy",
    "read_file",
    "read_labels",
    "read_table",
    "register",
    "risk",
    "solve",
    "to_frame",
    "verify",
    "write_table",
]

# Where the names are that are not in ``starmin.instances``.
_MODULES = {
    "auditing": ["audit"],
    "extensions": ["instance_names", "load_instance", "register"],
    "face": ["bound", "methods", "solve", "verify"],
    "frames.anonymization": ["Anonymization"],
    "frames.anonymize": ["anonymize"],
    "frames.anonymizer": ["Anonymizer"],
    "frames.compare": ["compare"],
    "frames.proof": ["Proof", "check_certificate"],
    "frontiers.trace": ["frontier"],
    "instances.runs.method": ["Method"],
    "process.faults": ["InternalError"],
    "questions": ["Question", "question"],
    "risks": ["risk"],
    "solving": ["Solution"],
}
_HOMES = {each: f"starmin.{home}" for home, names in _MODULES.items() for each in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("starmin")
    if name not in __all__:
        raise AttributeError(f"module 'starmin' has no attribute {name!r}")
    found = getattr(import_module(_HOMES.get(name, "starmin.instances")), name)
    if package := sys.modules.get(f"{__name__}.{name}"):
        # ``import starmin.verify.brute_force as b`` looks for it in the function.
        modules = vars(package).items()
        vars(found).update({k: v for k, v in modules if isinstance(v, ModuleType)})
    return found


def __dir__() -> list[str]:
    return __all__
