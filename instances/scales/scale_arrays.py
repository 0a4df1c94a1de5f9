"""All scales of a table as arrays, for compiled loops."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints

FLAT, NUMERIC, TREE = 0, 1, 2


class ScaleArrays(NamedTuple):
    """All scales for compiled loops; read by ``instances.scales.scale_loops``."""

    kind: npt.NDArray[np.int8]  # of each column: FLAT, NUMERIC or TREE
    start: Ints  # where each column begins in the other arrays
    # NUMERIC: what all of the column loses, then where a range ends that ends at each
    # position; TREE: what each node loses, the first nodes being the leaves
    amount: Ints
    # TREE: of each node the parent; NUMERIC: 0, then by position the last one of a
    # range that begins there and is not hidden
    parent: Ints
    # TREE: of each node the greatest leaf below it; NUMERIC: the least length of a
    # range, then where one begins that begins at each position
    last: Ints
    # what a single value loses at each position: more than 0 below a floor alone
    single: Ints
