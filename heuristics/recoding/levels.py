"""Levels of generalization: for each column, how its values are joined step by step."""

from itertools import pairwise

import numpy as np

from starmin.instances import Objective, Table
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale


def column_levels(table: Table, objective: Objective) -> list[list[Int32s]]:
    """Return for each QI column its levels: for each code the class that it is in.

    Level 0 has a class for each value. In a flat column the next is the last and joins
    all of them. In a taxonomy level i has the nodes i steps above its deepest leaves;
    shallower leaves wait until a level reaches them, so that the nodes of a level
    never overlap; levels with a node that must not be published are left out. Of
    numbers level i joins 2^i values that follow each other; missing values are apart
    from them up to the last level. Columns to be kept have level 0 alone.

    Examples
    --------
    >>> from starmin.instances import Scales, Taxonomy
    >>> rows = [["1", "cat"], ["2", "dog"], ["5", "rat"]]
    >>> table = Table.from_rows(["n", "pet"], rows, qi=["n", "pet"])
    >>> tree = Taxonomy.parse("{tame{cat,dog},rat}")
    >>> objective = Objective("gcp", scales=Scales.of(table, ["n"], {"pet": tree}))
    >>> for levels in column_levels(table, objective):
    ...     print([level.tolist() for level in levels])
    [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
    [[0, 1, 2], [4, 4, 2], [3, 3, 3]]
    """
    scales = objective.scales_of(table).scales
    return [
        _levels(scale)[: 1 if kept else None]
        for scale, kept in zip(scales, objective.kept(table), strict=True)
    ]


def _levels(scale: Scale) -> list[Int32s]:
    """Return for each level the class of each code."""
    places = scale.positions
    if isinstance(scale, NumericScale):
        return _halves(scale)
    if isinstance(scale, TaxonomyScale):
        levels = [node for node in _nodes(scale) if scale.allowed[node].all()]
        return [node[places].astype(np.int32) for node in levels]
    return [places, np.zeros_like(places)][: min(2, scale.size)]


def _halves(scale: NumericScale) -> list[Int32s]:
    """Return for each level of numbers the class of each code."""
    places, m = scale.positions, len(scale.missing)
    heights = range(max(0, scale.size - m - 1).bit_length() + 1)
    levels = [np.where(places < m, places, m + (places - m >> i)) for i in heights]
    if m and scale.size > 1:
        levels.append(np.zeros_like(places))
    return levels


def _nodes(scale: TaxonomyScale) -> list[Ints]:
    """Return for each level the node in which each leaf is."""
    parents = scale.taxonomy.parents
    levels = [np.arange(scale.size)]
    while (parents[levels[-1]] != levels[-1]).any():
        levels.append(parents[levels[-1]])
    # So far leaf i is i steps below its node; count steps from the root instead.
    steps = np.sum([a != b for a, b in pairwise(levels)], axis=0)
    deepest = int(np.max(steps, initial=0))
    paths = np.stack(levels)
    return [
        paths[np.maximum(0, steps - (deepest - i)), np.arange(scale.size)]
        for i in range(deepest + 1)
    ]
