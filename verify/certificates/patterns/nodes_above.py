"""Which nodes of a scale are above which, and which may not be published."""

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale


def barred(scale: Scale) -> Bools | None:
    """Return which nodes are above the highest level; None where there is none."""
    if not isinstance(scale, TaxonomyScale) or scale.max_level is None:
        return None
    whole = scale.taxonomy if scale.floor is None else scale.floor.taxonomy
    high = {label for path in whole.paths for label in path[scale.max_level + 1 :]}
    high -= {*scale.taxonomy.leaves}  # floors may be
    return np.array([label in high for label in scale.taxonomy.labels])


def ancestors(scale: Scale) -> Ints:
    """Return for each depth the node that each position is below, the root's depth 0.

    Single values are their own nodes below their parents.
    """
    leaves = np.arange(scale.size)
    if not isinstance(scale, TaxonomyScale):
        return np.stack([np.full(scale.size, scale.size), leaves])
    number = {label: node for node, label in enumerate(scale.taxonomy.labels)}
    paths = scale.taxonomy.ancestors
    depth = 1 + max(map(len, paths.values()))
    above = np.tile(leaves, (depth, 1))
    for leaf, label in enumerate(scale.taxonomy.leaves):
        path = [number[name] for name in reversed(paths[label])]
        above[: len(path), leaf] = path
    return above
