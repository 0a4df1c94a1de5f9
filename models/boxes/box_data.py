"""The columns of a small table, its row types and its requirement, for loops."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale

Shorts = npt.NDArray[np.int16]


class BoxData(NamedTuple):
    """What loops over boxes read.

    A box has in each column a least and a greatest place: of numbers the ends of a
    range, or all places where ranges are hidden; of a tree a node, twice. Arrays by
    column and place, or by column and node, are filled up to a common length.

    Attributes
    ----------
    counts
        Of the row types: how many rows have each.
    place
        d x m: where each type is in each column.
    value
        Sensitive code of each type; all different where groups may have any.
    line
        Which columns are of numbers; the others are trees, flat ones of height one.
    size
        Of each column how many places there are: those of a tree are its leaves.
    apart
        Of a line how many missing values there are, which have the first places.
    ranges
        Of a line whether ranges may be published.
    whole, shortest
        Of a line what all of it costs a row, and its shortest range.
    lower, upper, reach
        Of each place of a line what a range that begins there takes from the cost and
        one that ends there adds to it, and the last place of a range that begins there
        and is not hidden.
    loss
        Of each node of a tree what it costs a row; -1 where it is not published.
    first, last, parent
        Of each node the leaves below it, and the node above.
    least, most
        Rows of a group.
    spread
        Whether the rows of a group have different sensitive values.
    """

    counts: Ints
    place: Int32s
    value: Int32s
    line: Bools
    size: Ints
    apart: Ints
    ranges: Bools
    whole: Ints
    shortest: Ints
    lower: Ints
    upper: Ints
    reach: Ints
    loss: Ints
    first: Int32s
    last: Int32s
    parent: Int32s
    least: int
    most: int
    spread: bool


class _Column(NamedTuple):
    line: bool
    size: int
    apart: int
    whole: int
    shortest: int
    ends: tuple[Ints, Ints, Ints]
    nodes: tuple[Ints, Ints, Ints, Ints]


def box_data(
    table: Table, types: RowTypes, objective: Objective, unit: int, k: int, l: int
) -> BoxData:
    """Return what loops read of a problem.

    Parameters
    ----------
    table, types, objective
        The problem: types by QI, with sensitive values where l > 1.
    unit
        What costs are multiplied by.
    k, l
        The requirement: one of them is 1. Groups of more than 2 k - 1 rows, or of more
        than 2 l - 1, or with a value twice where l is asked for, can be split.
    """
    scales, kept = objective.scales_of(table).scales, objective.kept(table)
    order = column_order(table, scales)
    units = objective.units(table)
    of = [_column(scales[j], units[j] * unit, bool(kept[j])) for j in order]
    positions = objective.scales_of(table).positions(types.codes)
    value = types.sensitive[:, 0] if l > 1 else np.arange(len(types))
    least = max(k, l)
    return BoxData(
        counts=types.counts.astype(np.int64),
        place=np.ascontiguousarray(positions[:, order].T.astype(np.int32)),
        value=value.astype(np.int32),
        line=np.array([c.line for c in of]),
        size=np.array([c.size for c in of], np.int64),
        apart=np.array([c.apart for c in of], np.int64),
        ranges=~kept[order],
        whole=np.array([c.whole for c in of], np.int64),
        shortest=np.array([c.shortest for c in of], np.int64),
        lower=_table([c.ends[0] for c in of]),
        upper=_table([c.ends[1] for c in of]),
        reach=_table([c.ends[2] for c in of]),
        loss=_table([c.nodes[0] for c in of]),
        first=_table([c.nodes[1] for c in of]).astype(np.int32),
        last=_table([c.nodes[2] for c in of]).astype(np.int32),
        parent=_table([c.nodes[3] for c in of]).astype(np.int32),
        least=least,
        most=2 * least - 1,
        spread=l > 1,
    )


def column_order(table: Table, scales: tuple[Scale, ...]) -> list[int]:
    """Put trees before numbers, and of each kind columns of few values first."""

    def rank(j: int) -> tuple[bool, int]:
        occurring = np.count_nonzero(np.bincount(table.column(table.qi[j])))
        return isinstance(scales[j], NumericScale), int(occurring)

    return sorted(range(len(scales)), key=rank)


def _column(scale: Scale, unit: int, kept: bool) -> _Column:
    none = np.zeros(0, np.int64)
    if isinstance(scale, NumericScale):
        return _Column(
            *(True, scale.size, len(scale.missing)),
            *(unit * scale.domain, unit * scale.least),
            (unit * scale.lower, unit * scale.upper, scale.reach),
            (none, none, none, none),
        )
    size = scale.size
    if isinstance(scale, TaxonomyScale):
        tree = scale.taxonomy
        loss = np.where(scale.allowed, unit * scale.losses, -1)
        nodes = tree.first, tree.last, tree.parents
    else:
        loss = np.append(np.zeros(size, np.int64), unit)
        leaf = np.arange(size)
        nodes = np.append(leaf, 0), np.append(leaf, size - 1), np.full(size + 1, size)
    if kept:
        loss[size:] = -1
    return _Column(False, size, 0, 0, 0, (none, none, none), (loss, *nodes))


def _table(parts: list[Ints]) -> Ints:
    """Return arrays as the rows of one, filled up with zeros."""
    found = np.zeros((len(parts), max(1, *map(len, parts))), np.int64)
    for row, part in zip(found, parts, strict=True):
        row[: len(part)] = part
    return found
