"""Mappings of rows to one dimension that keep near what is near."""

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
