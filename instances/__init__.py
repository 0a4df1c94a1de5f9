"""The problem: tables, requirements, objectives, partitions, releases, results."""

from instances.atomic import check_writable, write_atomically
from instances.certificate import Certificate
from instances.closeness import TCloseness, as_number
from instances.diversity import (
    DistinctDiversity,
    EntropyDiversity,
    MaxShare,
    RecursiveDiversity,
)
from instances.errors import NotSupportedError, TableError
from instances.generalization import GeneralizedRelease
from instances.group_stats import GroupStats
from instances.grouping import BoolArray, Grouping, IntArray, group_by
from instances.nonhomogeneous import NonHomogeneous, NonHomogeneousRelease, expect_k
from instances.nonhomogeneous_ranges import NonHomogeneousRanges
from instances.objective import STARS, TUPLES, Objective
from instances.partition import Partition
from instances.per_row import PerRowK
from instances.permutation import PermutedRelease
from instances.read import from_frame, read_table
from instances.release import GroupRelease, Release, check_star
from instances.requirement import (
    AllOf,
    KAnonymity,
    LDiversity,
    Requirement,
    expect_parts,
    least_diversity,
    least_size,
    why_infeasible,
)
from instances.result import Limit, Result, Status
from instances.run import Run, watch_runs
from instances.scales import ScaleArrays, Scales
from instances.sensitive import SensitiveCounts
from instances.table import RowTypes, Table
from instances.taxonomy import Taxonomy
from instances.write import check_format, to_frame, write_table

__all__ = [
    "STARS",
    "TUPLES",
    "AllOf",
    "BoolArray",
    "Certificate",
    "DistinctDiversity",
    "EntropyDiversity",
    "GeneralizedRelease",
    "GroupRelease",
    "GroupStats",
    "Grouping",
    "IntArray",
    "KAnonymity",
    "LDiversity",
    "Limit",
    "MaxShare",
    "NonHomogeneous",
    "NonHomogeneousRanges",
    "NonHomogeneousRelease",
    "NotSupportedError",
    "Objective",
    "Partition",
    "PerRowK",
    "PermutedRelease",
    "RecursiveDiversity",
    "Release",
    "Requirement",
    "Result",
    "RowTypes",
    "Run",
    "ScaleArrays",
    "Scales",
    "SensitiveCounts",
    "Status",
    "TCloseness",
    "Table",
    "TableError",
    "Taxonomy",
    "as_number",
    "check_format",
    "check_star",
    "check_writable",
    "expect_k",
    "expect_parts",
    "from_frame",
    "group_by",
    "least_diversity",
    "least_size",
    "read_table",
    "to_frame",
    "watch_runs",
    "why_infeasible",
    "write_atomically",
    "write_table",
]
