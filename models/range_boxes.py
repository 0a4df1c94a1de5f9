"""The boxes that sets of rows span: a range or node in each column."""

import numpy as np
import numpy.typing as npt

from instances import BoolArray, NotSupportedError, Run, Scales
from instances.scale import NumericScale, TaxonomyScale

Codes = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]


def boxes_of(
    scales: Scales, places: Codes, kept: BoolArray, most: int, run: Run
) -> tuple[Codes, Codes]:
    """The least and the greatest positions, each b x d, of all boxes.

    A box is what is published of some set of rows: from the least to the greatest
    number, all leaves below the lowest common ancestor, or everything. Each one is
    the box of another and one more row, so all are found from those of single rows.

    Parameters
    ----------
    places
        m x d, the positions of the row types.
    kept
        Columns in which the rows of a box agree.
    most
        How many boxes there may be.
    run
        Whose time is kept.

    Raises
    ------
    NotSupportedError
        There are more.
    """
    d = places.shape[1]
    found = dict.fromkeys(map(tuple, np.hstack([places, places]).tolist()))
    waiting = list(found)
    while waiting:
        run.check_time()
        box = waiting.pop()
        low = np.minimum(places, np.array(box[:d], np.int32))
        high = np.maximum(places, np.array(box[d:], np.int32))
        agree = (low[:, kept] == high[:, kept]).all(axis=1)
        _widen(scales, low, high)
        for wider in map(tuple, np.hstack([low, high])[agree].tolist()):
            if wider not in found:
                found[wider] = None
                waiting.append(wider)
        if len(found) > most:
            raise NotSupportedError(f"Expected at most {most:,} boxes, got more.")
    boxes = np.array(list(found), np.int32)
    return boxes[:, :d], boxes[:, d:]


def _widen(scales: Scales, low: Codes, high: Codes) -> None:
    """From ranges to what is published of them, in place."""
    for j, scale in enumerate(scales.scales):
        if isinstance(scale, NumericScale):
            continue
        wide = low[:, j] < high[:, j]
        if isinstance(scale, TaxonomyScale):
            tree = scale.taxonomy
            nodes = tree.lowest_above(low[wide, j], high[wide, j])
            high[wide, j] = tree.last[nodes]
            low[wide, j] = tree.last[nodes] - tree.counts[nodes] + 1
        else:
            low[wide, j], high[wide, j] = 0, scale.size - 1
