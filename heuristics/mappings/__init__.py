"""Mappings of rows to one dimension that keep similar rows near each other.

Read ``line`` first: what a mapping takes and gives. ``Hilbert``, ``IDistance``,
``Lexicographic`` and ``Gray`` are the mappings; ``column_ranks`` orders the values of
columns.
"""

from heuristics.mappings.gray import Gray
from heuristics.mappings.hilbert import Hilbert
from heuristics.mappings.idistance import IDistance
from heuristics.mappings.lexicographic import Lexicographic
from heuristics.mappings.line import Line, Mapping, Points

__all__ = [
    "Gray",
    "Hilbert",
    "IDistance",
    "Lexicographic",
    "Line",
    "Mapping",
    "Points",
]
