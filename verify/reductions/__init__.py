"""Hardness reductions as objects: build, map both ways, check.

Read ``base`` first, then ``vertex_cover``. ``hard_instances`` names instances.
"""

from starmin.verify.reductions.all_distinct import AllDistinct
from starmin.verify.reductions.base import Claim, Evidence, Reduced, Reduction, Verdict
from starmin.verify.reductions.cubic_graphs import (
    NAMED_CUBIC_GRAPHS,
    Crowding,
    all_point_sets,
    connected_cubic_graphs,
    crowded_points,
    named_cubic_graph,
    odd_cycle,
    planted_matching,
    planted_parts,
    random_cubic_graph,
    random_points,
    why_no_partition,
)
from starmin.verify.reductions.cubic_proof import base_cost, two_value_optimum
from starmin.verify.reductions.edge_partition import EdgePartition, is_packing
from starmin.verify.reductions.hard_instances import (
    HARD_INSTANCES,
    HardInstance,
    Question,
)
from starmin.verify.reductions.read_sources import read_graph, read_points
from starmin.verify.reductions.source_solvers import (
    Graph,
    PointSet,
    exact_cover,
    is_matching,
    is_perfect_matching,
    is_vertex_cover,
    maximum_matching,
    minimum_vertex_cover,
    partition_edges,
    perfect_matching,
)
from starmin.verify.reductions.three_dimensional_matching import DimensionalMatching
from starmin.verify.reductions.vertex_cover import (
    VertexCover,
    inapproximable,
    l_reduction_constant,
)

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
