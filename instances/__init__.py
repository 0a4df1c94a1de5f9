"""The problem and its answer: tables, requirements, objectives, releases, results.

All other packages import this one; it imports none of them. Read ``tables`` first, then
``requirements`` and ``releases``; ``runs`` is the frame in which methods work.
"""

from instances.errors import NotSupportedError, TableError
from instances.io.atomic import check_writable, write_atomically
from instances.io.beside import Beside
from instances.io.labels import Labels
from instances.io.read import Read, from_frame, read_file, read_labels, read_table
from instances.io.write import check_format, to_frame, write_table
from instances.releases.generalization import GeneralizedRelease
from instances.releases.mask import Mask
from instances.releases.nonhomogeneous import NonHomogeneous, expect_k
from instances.releases.nonhomogeneous_ranges import NonHomogeneousRanges
from instances.releases.nonhomogeneous_release import NonHomogeneousRelease
from instances.releases.objective import STARS, TUPLES, Objective
from instances.releases.partition import Partition
from instances.releases.permutation import PermutedRelease
from instances.releases.release import GroupRelease, Release, check_star
from instances.requirements.closeness import TCloseness, as_number
from instances.requirements.diversity import (
    DistinctDiversity,
    EntropyDiversity,
    MaxShare,
    RecursiveDiversity,
)
from instances.requirements.group_stats import GroupStats
from instances.requirements.per_row import PerRowK
from instances.requirements.population import Population
from instances.requirements.requirement import (
    AllOf,
    KAnonymity,
    LDiversity,
    Requirement,
    expect_parts,
    least_diversity,
    least_size,
    why_infeasible,
)
from instances.requirements.rules import CombinationRules, Combinations, Rules
from instances.requirements.sensitive import SensitiveCounts
from instances.runs.certificate import Certificate
from instances.runs.progress import Control, Progress
from instances.runs.result import Limit, Result, Status
from instances.runs.run import Run
from instances.runs.watch import watch_runs
from instances.scales.arrays import ScaleArrays
from instances.scales.build_taxonomy import (
    date_taxonomy,
    prefix_taxonomy,
    range_taxonomy,
)
from instances.scales.infer_taxonomy import infer_taxonomy
from instances.scales.scales import Scales
from instances.scales.taxonomy import Taxonomy
from instances.tables.grouping import (
    BoolArray,
    Grouping,
    IntArray,
    group_by,
    sorted_order,
)
from instances.tables.table import RowTypes, Table

__all__ = [
    "STARS",
    "TUPLES",
    "AllOf",
    "Beside",
    "BoolArray",
    "Certificate",
    "CombinationRules",
    "Combinations",
    "Control",
    "DistinctDiversity",
    "EntropyDiversity",
    "GeneralizedRelease",
    "GroupRelease",
    "GroupStats",
    "Grouping",
    "IntArray",
    "KAnonymity",
    "LDiversity",
    "Labels",
    "Limit",
    "Mask",
    "MaxShare",
    "NonHomogeneous",
    "NonHomogeneousRanges",
    "NonHomogeneousRelease",
    "NotSupportedError",
    "Objective",
    "Partition",
    "PerRowK",
    "PermutedRelease",
    "Population",
    "Progress",
    "Read",
    "RecursiveDiversity",
    "Release",
    "Requirement",
    "Result",
    "RowTypes",
    "Rules",
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
    "date_taxonomy",
    "expect_k",
    "expect_parts",
    "from_frame",
    "group_by",
    "infer_taxonomy",
    "least_diversity",
    "least_size",
    "prefix_taxonomy",
    "range_taxonomy",
    "read_file",
    "read_labels",
    "read_table",
    "sorted_order",
    "to_frame",
    "watch_runs",
    "why_infeasible",
    "write_atomically",
    "write_table",
]
