"""The problem: tables, requirements, objectives, partitions, releases, results."""

from instances.atomic import check_writable, write_atomically
from instances.certificate import Certificate
from instances.errors import NotSupportedError, TableError
from instances.grouping import BoolArray, Grouping, IntArray, group_by
from instances.objective import STARS, TUPLES, Objective
from instances.partition import Partition
from instances.read import from_frame, read_table
from instances.release import Release
from instances.requirement import (
    AllOf,
    KAnonymity,
    LDiversity,
    Requirement,
    count_sensitive,
    least_diversity,
    least_size,
    why_infeasible,
)
from instances.result import Limit, Result, Status
from instances.run import Run
from instances.sensitive import SensitiveCounts
from instances.table import RowTypes, Table
from instances.write import to_frame, write_table

__all__ = [
    "STARS",
    "TUPLES",
    "AllOf",
    "BoolArray",
    "Certificate",
    "Grouping",
    "IntArray",
    "KAnonymity",
    "LDiversity",
    "Limit",
    "NotSupportedError",
    "Objective",
    "Partition",
    "Release",
    "Requirement",
    "Result",
    "RowTypes",
    "Run",
    "SensitiveCounts",
    "Status",
    "Table",
    "TableError",
    "check_writable",
    "count_sensitive",
    "from_frame",
    "group_by",
    "least_diversity",
    "least_size",
    "read_table",
    "to_frame",
    "why_infeasible",
    "write_atomically",
    "write_table",
]
