"""The boxes that sets of rows span: a range or node in each column."""

import numpy as np

from starmin.instances import NotSupportedError, Run, Scales
from starmin.instances.arrays import Bools, Int32s
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.instances.tables.grouping import group_by

_PAIRS = 2**16  # So many pairs of a box and a row type are looked at together.


def boxes_of(
    scales: Scales, places: Int32s, kept: Bools, most: int, run: Run
) -> tuple[Int32s, Int32s]:
    """Return the least and the greatest positions, each b x d, of all boxes.

    A box is what is published of some set of rows: from the least to the greatest
    number, all leaves below the lowest common ancestor, or everything. Each one is the
    box of another and one more row, so all are found from those of single rows.

    ``places`` is m x d, the positions of the row types; ``kept`` are columns in which
    the rows of a box agree. Raises NotSupportedError where there are more than ``most``
    boxes, and TimeoutError where the time of the run is up.
    """
    d = places.shape[1]
    sizes = [scale.size for scale in scales.scales] * 2
    tops = [
        (column, scale.roofs)
        for column, scale in enumerate(scales.scales)
        if isinstance(scale, TaxonomyScale) and scale.roofs is not None
    ]
    boxes = _distinct(np.hstack([places, places]), sizes)
    at_a_time, done = max(1, _PAIRS // len(places)), 0
    while done < len(boxes) <= most:
        run.check_time()
        some = boxes[done : done + at_a_time, np.newaxis]
        low = np.minimum(some[:, :, :d], places).reshape(-1, d)
        high = np.maximum(some[:, :, d:], places).reshape(-1, d)
        agree = (low[:, kept] == high[:, kept]).all(axis=1)
        for column, top in tops:
            agree &= top[low[:, column]] == top[high[:, column]]
        low, high = low[agree], high[agree]
        _widen(scales, low, high)
        done = min(done + at_a_time, len(boxes))
        boxes = _distinct(np.vstack([boxes, np.hstack([low, high])]), sizes)
    if len(boxes) > most:
        raise NotSupportedError(f"Expected at most {most:,} boxes, got more.")
    return boxes[:, :d], boxes[:, d:]


def _distinct(boxes: Int32s, sizes: list[int]) -> Int32s:
    """Return each box once, in the order in which they were found."""
    first = group_by(list(boxes.T), sizes).first
    return np.asarray(boxes[np.sort(first)])


def _widen(scales: Scales, low: Int32s, high: Int32s) -> None:
    """Widen ranges to what is published of them, in place."""
    for j, scale in enumerate(scales.scales):
        wide = low[:, j] < high[:, j]
        if isinstance(scale, NumericScale):
            wide = scale.hidden(low[:, j], high[:, j])
            low[wide, j], high[wide, j] = 0, scale.size - 1
        elif isinstance(scale, TaxonomyScale):
            tree = scale.taxonomy
            nodes = tree.lowest_above(low[wide, j], high[wide, j])
            high[wide, j] = tree.last[nodes]
            low[wide, j] = tree.last[nodes] - tree.counts[nodes] + 1
        else:
            low[wide, j], high[wide, j] = 0, scale.size - 1
