"""Hardness reductions as objects: build, map both ways, check.

Read ``base`` first, then ``vertex_cover``. ``hard_instances`` names instances.
"""

from starmin.verify.reductions.all_distinct import AllDistinct
from starmin.verify.reductions.base import Claim, Evidence, Reduced, Reduction
from starmin.verify.reductions.edge_partition import EdgePartition, is_packing
from starmin.verify.reductions.hard_instances import (
    HARD_INSTANCES,
    HardInstance,
    Question,
    named_cubic_graph,
)
from starmin.verify.reductions.read_sources import read_graph, read_points
from starmin.verify.reductions.source_solvers import (
    Graph,
    PointSet,
    is_matching,
    is_vertex_cover,
    minimum_vertex_cover,
)
from starmin.verify.reductions.three_dimensional_matching import DimensionalMatching
from starmin.verify.reductions.vertex_cover import VertexCover, base_cost

__all__ = [
    "HARD_INSTANCES",
    "AllDistinct",
    "Claim",
    "DimensionalMatching",
    "EdgePartition",
    "Evidence",
    "Graph",
    "HardInstance",
    "PointSet",
    "Question",
    "Reduced",
    "Reduction",
    "VertexCover",
    "base_cost",
    "is_matching",
    "is_packing",
    "is_vertex_cover",
    "minimum_vertex_cover",
    "named_cubic_graph",
    "read_graph",
    "read_points",
]
