"""What the bits of a record's mask cost: stars, or steps up a hierarchy.

A mask has a bit for each *layer* of a column: for suppression one, which stands for
the star; for a hierarchy one for each step up from the value. The records that agree
with an original above a step are those whose layers above agree, so the mask that
makes a released record agree with several originals is the union (bitwise or) of the
masks of the pairs, and both problems are one.
"""

from typing import NamedTuple

import numpy as np

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.loops.compiled import inlined

MOST_LAYERS = 31  # Bits of a mask that are not its sign.
_CHUNK = 12  # So many bits are looked up at once.


class Charges(NamedTuple):
    """Costs of masks, in parts: some bits of the mask each."""

    shift: Int32s  # shift, low: part p are the bits ``(mask >> shift[p]) & low[p]``
    low: Int32s
    base: Int32s  # n x parts: where the costs of record j for part p begin in ``flat``
    flat: Int32s  # costs by the bits of a part, for all parts and kinds of records


@inlined
def cost(charges: Charges, record: int, mask: int) -> int:
    """Return what it costs to release a record with a mask."""
    total = 0
    for p in range(len(charges.shift)):
        bits = (mask >> charges.shift[p]) & charges.low[p]
        total += charges.flat[charges.base[record, p] + bits]
    return total


@inlined
def difference(cells: Int32s, one: int, other: int) -> int:
    """Return the mask of the layers in which two records differ."""
    mask = 0
    for c in range(cells.shape[1]):
        if cells[one, c] != cells[other, c]:
            mask |= 1 << c
    return mask


def star_charges(weights: Ints, n: int) -> Charges:
    """Charge each star the weight of its column.

    Examples
    --------
    >>> charges = star_charges(np.array([1, 3]), 5)
    >>> cost(charges, 4, 0b10), cost(charges, 0, 0b11)
    (3, 4)
    """
    d = len(weights)
    shift = np.arange(0, d, _CHUNK, dtype=np.int32)
    tables = []
    for first in shift:
        part = weights[first : first + _CHUNK]
        bits = np.arange(1 << len(part))[:, None] >> np.arange(len(part)) & 1
        tables.append(bits @ part)
    sizes = np.array([len(table) for table in tables])
    begin = (np.cumsum(sizes) - sizes).astype(np.int32)
    return Charges(
        shift,
        (sizes - 1).astype(np.int32),
        np.tile(begin, (n, 1)),
        np.concatenate(tables).astype(np.int32),
    )
