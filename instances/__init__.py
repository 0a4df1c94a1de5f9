"""The problem and its answer: tables, requirements, objectives, releases, results.

All other packages import this one; it imports none of them. Read ``tables`` first, then
``requirements`` and ``releases``; ``runs`` is the frame in which methods work.
"""

if __name__ != "starmin.instances":
    raise ImportError("import starmin.instances; a second copy would be other classes")
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starmin.instances.arrays import IntArray
    from starmin.instances.errors import NotSupportedError, TableError
    from starmin.instances.io.atomic import check_writable, write_atomically
    from starmin.instances.io.beside import Beside, Labels
    from starmin.instances.io.read import (
        Read,
        from_frame,
        read_file,
        read_labels,
        read_table,
    )
    from starmin.instances.io.write import check_format, to_frame, write_table
    from starmin.instances.problem import Problem, why_infeasible
    from starmin.instances.releases.coding import Coding
    from starmin.instances.releases.mask import Mask
    from starmin.instances.releases.nonhomogeneous_release import (
        NodeRelease,
        NonHomogeneous,
        NonHomogeneousRanges,
        NonHomogeneousRelease,
        expect_k,
    )
    from starmin.instances.releases.objective import GCP, STARS, TUPLES, Objective
    from starmin.instances.releases.partial_partition import PartialPartition
    from starmin.instances.releases.partition import Partition
    from starmin.instances.releases.release import (
        GeneralizedRelease,
        PermutedRelease,
        Release,
        check_star,
    )
    from starmin.instances.requirements.deleted_rows import DeletedRows
    from starmin.instances.requirements.diversity import (
        DistinctDiversity,
        EntropyDiversity,
        LDiversity,
        MaxShare,
        RecursiveDiversity,
    )
    from starmin.instances.requirements.group_stats import GroupStats, SensitiveCounts
    from starmin.instances.requirements.k_anonymity import KAnonymity, PerRowK
    from starmin.instances.requirements.missing_values import (
        MissingValues,
        Reading,
        read_missing,
    )
    from starmin.instances.requirements.office_rules import Combinations, Rules
    from starmin.instances.requirements.persons import Persons
    from starmin.instances.requirements.population import Population
    from starmin.instances.requirements.requirement import (
        AllOf,
        Core,
        Requirement,
        expect_parts,
        least_diversity,
        least_size,
    )
    from starmin.instances.requirements.t_closeness import TCloseness, as_number
    from starmin.instances.runs.certificate import Certificate
    from starmin.instances.runs.progress import Control, Progress
    from starmin.instances.runs.result import Limit, Result, Status
    from starmin.instances.runs.run import Run
    from starmin.instances.runs.watch import watch_runs
    from starmin.instances.scales.scales import Scales
    from starmin.instances.scales.taxonomies.build_taxonomy import (
        date_taxonomy,
        infer_taxonomy,
        prefix_taxonomy,
    )
    from starmin.instances.scales.taxonomies.column_hierarchy import hierarchy_rule
    from starmin.instances.scales.taxonomies.hierarchy_rules import (
        CutRule,
        DateRule,
        HierarchyRule,
        PrefixRule,
        RangeRule,
        range_taxonomy,
    )
    from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
    from starmin.instances.tables.grouping import Grouping, group_by, sorted_order
    from starmin.instances.tables.table import RowTypes, Table, as_sets

# Where each name is; a file is imported when a name of it is first asked for.
_FILES = {
    "arrays": ("IntArray",),
    "errors": ("NotSupportedError", "TableError"),
    "io.atomic": ("check_writable", "write_atomically"),
    "io.beside": ("Beside", "Labels"),
    "io.read": ("Read", "from_frame", "read_file", "read_labels", "read_table"),
    "io.write": ("check_format", "to_frame", "write_table"),
    "problem": ("Problem", "why_infeasible"),
    "releases.coding": ("Coding",),
    "releases.mask": ("Mask",),
    "releases.nonhomogeneous_release": (
        "NodeRelease",
        "NonHomogeneous",
        "NonHomogeneousRanges",
        "NonHomogeneousRelease",
        "expect_k",
    ),
    "releases.objective": ("GCP", "Objective", "STARS", "TUPLES"),
    "releases.partial_partition": ("PartialPartition",),
    "releases.partition": ("Partition",),
    "releases.release": (
        "GeneralizedRelease",
        "PermutedRelease",
        "Release",
        "check_star",
    ),
    "requirements.deleted_rows": ("DeletedRows",),
    "requirements.diversity": (
        "DistinctDiversity",
        "EntropyDiversity",
        "LDiversity",
        "MaxShare",
        "RecursiveDiversity",
    ),
    "requirements.group_stats": ("GroupStats", "SensitiveCounts"),
    "requirements.k_anonymity": ("KAnonymity", "PerRowK"),
    "requirements.missing_values": ("MissingValues", "Reading", "read_missing"),
    "requirements.office_rules": ("Combinations", "Rules"),
    "requirements.persons": ("Persons",),
    "requirements.population": ("Population",),
    "requirements.requirement": (
        "AllOf",
        "Core",
        "Requirement",
        "expect_parts",
        "least_diversity",
        "least_size",
    ),
    "requirements.t_closeness": ("TCloseness", "as_number"),
    "runs.certificate": ("Certificate",),
    "runs.progress": ("Control", "Progress"),
    "runs.result": ("Limit", "Result", "Status"),
    "runs.run": ("Run",),
    "runs.watch": ("watch_runs",),
    "scales.scales": ("Scales",),
    "scales.taxonomies.build_taxonomy": (
        "date_taxonomy",
        "infer_taxonomy",
        "prefix_taxonomy",
    ),
    "scales.taxonomies.column_hierarchy": ("hierarchy_rule",),
    "scales.taxonomies.hierarchy_rules": (
        "CutRule",
        "DateRule",
        "HierarchyRule",
        "PrefixRule",
        "RangeRule",
        "range_taxonomy",
    ),
    "scales.taxonomies.taxonomy": ("Taxonomy",),
    "tables.grouping": ("Grouping", "group_by", "sorted_order"),
    "tables.table": ("RowTypes", "Table", "as_sets"),
}
_HOMES = {name: home for home, names in _FILES.items() for name in names}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'starmin.instances' has no attribute {name!r}")
    found = getattr(import_module(f"starmin.instances.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
