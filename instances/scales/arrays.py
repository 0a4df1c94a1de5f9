"""All scales of a table as arrays, for compiled loops."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

FLAT, NUMERIC, TREE = 0, 1, 2


class ScaleArrays(NamedTuple):
    """All scales for compiled loops; read by ``instances.scales.loops``.

    Attributes
    ----------
    kind
        Of each column: FLAT, NUMERIC or TREE.
    start
        Where each column begins in the other arrays.
    amount
        NUMERIC: where a range ends that ends at each position; TREE: what each node
        loses, the first nodes being the leaves.
    parent, last
        TREE: of each node the parent, and the greatest leaf below it. NUMERIC: parent
        is the domain at the position of a missing value, else 0; last is where a range
        begins that begins at the position.
    """

    kind: npt.NDArray[np.int8]
    start: Ints
    amount: Ints
    parent: Ints
    last: Ints
