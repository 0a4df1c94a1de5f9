"""Mappings of rows to one dimension that keep similar rows near each other.

Read ``line`` first: what a mapping takes and gives. ``Hilbert``, ``IDistance``,
``Lexicographic`` and ``Gray`` are the mappings; ``column_ranks`` orders the values of
columns.
"""

from starmin.heuristics.mappings.gray import Gray
from starmin.heuristics.mappings.hilbert_mapping import Hilbert
from starmin.heuristics.mappings.idistance_mapping import IDistance
from starmin.heuristics.mappings.lexicographic import Lexicographic
from starmin.heuristics.mappings.line import Line, Mapping, Points

__all__ = [
    "Gray",
    "Hilbert",
    "IDistance",
    "Lexicographic",
    "Line",
    "Mapping",
    "Points",
]
