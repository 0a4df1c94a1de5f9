"""The columns of a small table, its row types and its requirement, for loops."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from starmin.instances import Objective, RowTypes, Table
from starmin.instances.arrays import Bools, Int32s, Ints
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
from starmin.models.boxes.walk.group_rule import SPREAD, GroupRule


class BoxData(NamedTuple):
    """What loops over boxes read.

    A box has in each column a least and a greatest place: of numbers the ends of a
    range, or all places where ranges are hidden; of a tree a node, twice. Arrays by
    column and place, or by column and node, are filled up to a common length.
    """

    counts: Ints  # of the row types: how many rows have each
    place: Int32s  # d x m: where each type is in each column
    # sensitive code of each type; all different where groups may have any
    value: Int32s
    # which columns are of numbers; the others are trees, flat ones of height one
    line: Bools
    # of each column how many places there are: those of a tree are its leaves
    size: Ints
    # of a line how many missing values there are, which have the first places
    apart: Ints
    ranges: Bools  # of a line whether ranges may be published
    # whole, shortest: of a line what all of it costs a row, and its shortest range
    whole: Ints
    shortest: Ints
    # lower, upper, reach: of each place of a line what a range that begins there takes
    # from the cost and one that ends there adds to it, and the last place of a range
    # that begins there and is not hidden
    lower: Ints
    upper: Ints
    reach: Ints
    single: Ints  # of each place of a line what it costs by itself
    # of each node of a tree what it costs a row; -1 where it is not published
    loss: Ints
    # first, last, parent: of each node the leaves below it, and the node above
    first: Int32s
    last: Int32s
    parent: Int32s
    # least, most, kind, share, values, top: of the pieces that groups are cut into: see
    # ``GroupRule``
    least: int
    most: int
    kind: int
    share: int
    values: int
    top: int
    spread: bool  # whether the rows of a group have different sensitive values


class BoxColumn(NamedTuple):
    """A column with its costs, which may need more than 64 bits: see ``BoxData``."""

    number: int
    line: bool
    size: int
    apart: int
    ranges: bool
    whole: int = 0
    shortest: int = 0
    lower: Sequence[int] = ()
    upper: Sequence[int] = ()
    reach: Sequence[int] = ()
    single: Sequence[int] = ()
    loss: Sequence[int] = ()
    first: Sequence[int] = ()
    last: Sequence[int] = ()
    parent: Sequence[int] = ()

    def cost(self, low: int, high: int) -> int:
        """Return what a row pays for a range, or for a node that is given twice."""
        if not self.line:
            return self.loss[low]
        if low == high:
            return self.single[low]
        if high > self.reach[low]:
            return self.whole
        return max(self.upper[high] - self.lower[low], self.shortest)


def box_columns(table: Table, objective: Objective, per_cost: int) -> list[BoxColumn]:
    """Return the columns in the order of the walk, their costs multiplied by a number.

    Trees come before numbers, and of each kind columns of few values first.
    """
    scales, kept = objective.scales_of(table).scales, objective.kept(table)
    units = objective.units(table)

    def rank(j: int) -> tuple[bool, int]:
        occurring = np.count_nonzero(np.bincount(table.column(table.qi[j])))
        return isinstance(scales[j], NumericScale), int(occurring)

    return [
        _column(j, scales[j], units[j] * per_cost, bool(kept[j]))
        for j in sorted(range(len(scales)), key=rank)
    ]


def box_data(
    columns: Sequence[BoxColumn],
    positions: Int32s,
    types: RowTypes,
    shift: int,
    rule: GroupRule,
    sensitive: int = 0,
) -> BoxData:
    """Return what loops read of a problem.

    Parameters
    ----------
    columns
        Of the table.
    positions
        m x d: the places of the types in the columns of the table.
    types
        By quasi-identifier, with sensitive values where the rule reads them.
    shift
        How many bits of costs are left out.
    rule
        What pieces groups are cut into.
    sensitive
        The place of the column whose values it reads.
    """
    value = (
        types.sensitive[:, sensitive] if rule.reads_values else np.arange(len(types))
    )
    order = [c.number for c in columns]

    def table(name: str, bits: int = 0) -> Ints:
        return _filled([[x >> bits for x in getattr(c, name)] for c in columns])

    return BoxData(
        counts=types.counts.astype(np.int64),
        place=np.ascontiguousarray(positions[:, order].T.astype(np.int32)),
        value=value.astype(np.int32),
        line=np.array([c.line for c in columns]),
        size=np.array([c.size for c in columns], np.int64),
        apart=np.array([c.apart for c in columns], np.int64),
        ranges=np.array([c.ranges for c in columns]),
        whole=np.array([c.whole >> shift for c in columns], np.int64),
        shortest=np.array([c.shortest >> shift for c in columns], np.int64),
        lower=table("lower", shift),
        upper=table("upper", shift),
        reach=table("reach"),
        single=table("single", shift),
        loss=table("loss", shift),
        first=table("first").astype(np.int32),
        last=table("last").astype(np.int32),
        parent=table("parent").astype(np.int32),
        least=rule.least,
        most=rule.most,
        kind=rule.kind,
        share=rule.share,
        values=rule.values,
        top=rule.top,
        spread=rule.kind == SPREAD,
    )


def _column(number: int, scale: Scale, unit: int, kept: bool) -> BoxColumn:
    if isinstance(scale, NumericScale):
        return BoxColumn(
            *(number, True, scale.size, len(scale.missing), not kept),
            whole=unit * scale.domain,
            shortest=unit * scale.least,
            lower=[unit * end for end in scale.lower.tolist()],
            upper=[unit * end for end in scale.upper.tolist()],
            reach=scale.reach.tolist(),
            single=[unit * each for each in scale.single.tolist()],
        )
    size = scale.size
    if isinstance(scale, TaxonomyScale):
        tree = scale.taxonomy
        losses = zip(scale.losses.tolist(), scale.allowed.tolist(), strict=True)
        loss = [unit * each if allowed else -1 for each, allowed in losses]
        nodes = tree.first.tolist(), tree.last.tolist(), tree.parents.tolist()
    else:
        loss, leaves = [0] * size + [unit], list(range(size))
        nodes = [*leaves, 0], [*leaves, size - 1], [size] * (size + 1)
    if kept:
        loss[size:] = [-1] * (len(loss) - size)
    first, last, parent = nodes
    return BoxColumn(
        *(number, False, size, 0, not kept),
        loss=loss,
        first=first,
        last=last,
        parent=parent,
    )


def _filled(parts: list[list[int]]) -> Ints:
    """Return lists as the rows of an array, filled up with zeros."""
    found = np.zeros((len(parts), max(1, *map(len, parts))), np.int64)
    for row, part in zip(found, parts, strict=True):
        row[: len(part)] = part
    return found
