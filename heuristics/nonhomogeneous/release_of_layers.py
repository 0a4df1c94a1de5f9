"""From layers of matchings to a release."""

import numpy as np

from starmin.instances import NonHomogeneous, Table
from starmin.instances.arrays import Int32s


def release_of(table: Table, mates: Int32s) -> NonHomogeneous:
    """Make the release of the identity and of layers.

    ``mates`` are layers x n: the original of each record.
    """
    layers, n = mates.shape
    matchings = np.empty((layers + 1, n), np.int32)
    matchings[0] = np.arange(n)
    for layer in range(layers):
        matchings[layer + 1, mates[layer]] = matchings[0]
    return NonHomogeneous.from_matchings(table, matchings)
