"""Hardness reductions as objects: build, map both ways, check.

Read ``base`` first, then ``vertex_cover``. ``hard_instances`` names instances.
"""

from starmin.verify.hard_problems.cubic_graphs import (
    NAMED_CUBIC_GRAPHS,
    connected_cubic_graphs,
    named_cubic_graph,
    odd_cycle,
    random_cubic_graph,
)
from starmin.verify.hard_problems.edge_instances import planted_parts, why_no_partition
from starmin.verify.hard_problems.exact_cover import exact_cover
from starmin.verify.hard_problems.graph import Graph, is_vertex_cover
from starmin.verify.hard_problems.matching_instances import (
    Crowding,
    all_point_sets,
    crowded_points,
    planted_matching,
    random_points,
)
from starmin.verify.hard_problems.point_set import (
    PointSet,
    is_matching,
    is_perfect_matching,
)
from starmin.verify.hard_problems.read_sources import read_graph, read_points
from starmin.verify.hard_problems.source_solvers import (
    maximum_matching,
    minimum_vertex_cover,
    partition_edges,
    perfect_matching,
)
from starmin.verify.reductions.all_distinct import AllDistinct
from starmin.verify.reductions.base import Claim, Evidence, Reduced, Reduction, Verdict
from starmin.verify.reductions.cubic_table import base_cost
from starmin.verify.reductions.edge_partition import EdgePartition, is_packing
from starmin.verify.reductions.hard_instances import (
    HARD_INSTANCES,
    HardInstance,
    Question,
)
from starmin.verify.reductions.l_reduction import inapproximable, l_reduction_constant
from starmin.verify.reductions.three_dimensional_matching import DimensionalMatching
from starmin.verify.reductions.two_values import two_value_optimum
from starmin.verify.reductions.vertex_cover import VertexCover

__all__ = [
    "HARD_INSTANCES",
    "NAMED_CUBIC_GRAPHS",
    "AllDistinct",
    "Claim",
    "Crowding",
    "DimensionalMatching",
    "EdgePartition",
    "Evidence",
    "Graph",
    "HardInstance",
    "PointSet",
    "Question",
    "Reduced",
    "Reduction",
    "Verdict",
    "VertexCover",
    "all_point_sets",
    "base_cost",
    "connected_cubic_graphs",
    "crowded_points",
    "exact_cover",
    "inapproximable",
    "is_matching",
    "is_packing",
    "is_perfect_matching",
    "is_vertex_cover",
    "l_reduction_constant",
    "maximum_matching",
    "minimum_vertex_cover",
    "named_cubic_graph",
    "odd_cycle",
    "partition_edges",
    "perfect_matching",
    "planted_matching",
    "planted_parts",
    "random_cubic_graph",
    "random_points",
    "read_graph",
    "read_points",
    "two_value_optimum",
    "why_no_partition",
]
