"""A maximum flow finds lenders for the rows that patterns borrow."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Floats, Ints
from starmin.models.distinct.distinct_reduction import DistinctProgram, Reduction

_UNIT = 1 << 16  # Fractions of a row are whole numbers of 1/65536.
_ROUNDING = 16  # So many of these units may be missing for each pattern that borrows.


def lending_flow(
    program: DistinctProgram, point: Floats, whole: bool = True
) -> tuple[Ints, Ints]:
    """Find the rows that are lent at a point, and the classes that are short.

    The flow runs from patterns to distinct rows to quasi-identifier classes. A pattern
    takes one row of each value that it lacks, and other rows for its size. Of s rows of
    a value s - 1 may leave their class, and one more of some values as long as enough
    others stay, k rows staying in all.

    Parameters
    ----------
    program, point, whole
        A point of the formulation or, where not ``whole``, of its relaxation.

    Returns
    -------
    tuple
        Copies by lender of the reduction (in units of 1/65536 where not ``whole``), and
        the classes to be placed since they cannot lend as much; none if all is lent.
    """
    from ortools.graph.python import max_flow  # a tenth of a second to import

    reduction, unit = program.reduction, 1 if whole else _UNIT
    taken, none = np.zeros(len(reduction.lenders), np.int64), np.zeros(0, np.int64)
    borrowed = _borrowed(program, point, unit)
    used = np.flatnonzero(borrowed[reduction.lent_to])
    if len(used) == 0:
        return taken, none
    nodes = _Nodes.of(reduction, used)
    arcs = _arcs(program, point, nodes, borrowed, unit)
    flow = max_flow.SimpleMaxFlow()
    added = [
        flow.add_arcs_with_capacity(tail, head, np.rint(most).astype(np.int64))
        for tail, head, most in arcs
    ]
    if flow.solve(0, 1) != flow.OPTIMAL:
        raise ArithmeticError("The flow of lent rows did not end.")
    taken[used] = flow.flows(added[0]) + flow.flows(added[1])
    missing = (unit > 1) * _ROUNDING * len(nodes.asked)
    if flow.optimal_flow() >= borrowed.sum() - missing:
        return taken, none
    cut = np.asarray(flow.get_source_side_min_cut())
    *_, of_type, of_class, _ = nodes.starts
    short = np.unique(cut[(cut >= of_type) & (cut < of_class)])
    types = nodes.types[short - of_type]
    return taken, np.unique(reduction.classes[types])


def _borrowed(program: DistinctProgram, point: Floats, unit: int) -> Ints:
    """Return what each pattern borrows at a point, in 1/``unit`` of a row."""
    reduction = program.reduction
    borrowed = np.zeros(len(reduction.placed_patterns), np.int64)
    # A point that is not the best may let patterns borrow that are not open.
    y = point[program.base.first_y :][reduction.borrowers]
    needed = np.minimum(point[program.first_borrowed :], reduction.most * y)
    borrowed[reduction.borrowers] = np.rint(unit * needed)
    return borrowed


@dataclass(frozen=True, eq=False)
class _Nodes:
    """The nodes of the flow; 0 is its source and 1 its sink."""

    pattern: Ints  # by lender: the pattern that could borrow
    # types, type_: the row types of the lenders, and which of them each lender has
    types: Ints
    type_: Ints
    # pairs, pair: the pairs of a pattern and a sensitive value, and which of them each
    # lender has
    pairs: Ints
    pair: Ints
    width: int  # a pair's number is ``width`` times the pattern, and the value
    # asked, of_pair: the patterns that borrow, and which of them each pair has
    asked: Ints
    of_pair: Ints
    # own, class_: the QI classes of the types, and which of them each type has
    own: Ints
    class_: Ints

    @classmethod
    def of(cls, reduction: Reduction, used: Ints) -> "_Nodes":
        """Number the nodes for the lenders in ``used``."""
        types, type_ = _number(reduction.patterns.types[reduction.lenders[used]])
        pattern, values = reduction.lent_to[used], reduction.types.sensitive[types, 0]
        width = int(reduction.types.sensitive.max()) + 1
        pairs, pair = _number(pattern * width + values[type_])
        asked, of_pair = _number(pairs // width)
        own, class_ = _number(reduction.classes[types])
        return cls(
            pattern, types, type_, pairs, pair, width, asked, of_pair, own, class_
        )

    @property
    def starts(self) -> Ints:
        """First nodes: a pattern's new values, its size, pairs, types, classes; end."""
        asked, pairs = len(self.asked), len(self.pairs)
        return np.cumsum([2, asked, asked, pairs, len(self.types), len(self.own)])


def _arcs(
    program: DistinctProgram, point: Floats, nodes: _Nodes, borrowed: Ints, unit: int
) -> tuple[tuple[npt.NDArray[np.number], ...], ...]:
    """Return tails, heads and capacities; the first two kinds end at lenders."""
    reduction, asked, of_pair = program.reduction, nodes.asked, nodes.of_pair
    counts = reduction.types.counts[nodes.types]
    size = np.bincount(reduction.classes, reduction.types.counts)[nodes.own]
    spare = np.bincount(reduction.classes)[nodes.own] - reduction.distinct
    room, lacks = _needs(program, point, nodes.pairs, nodes.width)
    fresh = np.minimum(borrowed[asked], np.rint(unit * lacks[asked])).astype(np.int64)
    a, t, c = np.arange(len(asked)), np.arange(len(counts)), np.arange(len(size))
    for_value, for_size, of_value, of_type, of_class, last = nodes.starts
    of_asked = np.searchsorted(asked, nodes.pattern)
    lent, class_ = of_type + nodes.type_, nodes.class_
    return (
        (of_value + nodes.pair, lent, unit * counts[nodes.type_]),
        (for_size + of_asked, lent, unit * counts[nodes.type_]),
        (0 * a, for_value + a, fresh),
        (0 * a, for_size + a, borrowed[asked] - fresh),
        (for_value + of_pair, of_value + np.arange(len(of_pair)), unit * room),
        (of_type + t, of_class + class_, unit * (counts - 1)),
        (of_type + t, last + class_, 0 * t + unit),
        (last + c, of_class + c, unit * spare),
        (of_class + c, 0 * c + 1, unit * (size - reduction.k)),
    )


def _number(labels: npt.NDArray[np.integer]) -> tuple[Ints, Ints]:
    """Return the different labels, and for each label which of them it is."""
    different, number = np.unique(labels, return_inverse=True)
    return different.astype(np.int64), number.astype(np.int64)


def _needs(
    program: DistinctProgram, point: Floats, pairs: Ints, width: int
) -> tuple[Floats, Floats]:
    """Return what each pair can still take, and what each pattern lacks of l values."""
    base, reduction = program.base, program.reduction
    part, types = reduction.placed_patterns, reduction.placed_types
    w = point[len(base.program.cost) : program.first_borrowed]
    y = point[base.first_y : base.first_y + len(part)]
    number = program.value_of[0]
    own = part.pattern * width + types.sensitive[part.types, 0]
    keys, first = np.unique(own, return_index=True)
    at = np.minimum(np.searchsorted(keys, pairs), len(keys) - 1)
    has = np.where(keys[at] == pairs, w[number[first[at]]], 0.0)
    of_w = program.others[len(base.program.cost) - base.incidences :][: len(w)]
    lacks = reduction.distinct * y - np.bincount(of_w, w, len(part))
    return np.maximum(y[pairs // width] - has, 0.0), np.maximum(lacks, 0.0)
