"""Who lends the rows that patterns borrow under distinct l-diversity."""

import numpy as np
import numpy.typing as npt
from ortools.graph.python import max_flow

from models.distinct.program import DistinctProgram
from models.distinct.reduction import Ints
from models.solvers.program import Floats

_UNIT = 1 << 16  # fractional loans are whole numbers of 1/65536
_ROUNDING = 16  # of these units, for each loan


def lending_flow(
    program: DistinctProgram, point: Floats, whole: bool = True
) -> tuple[Ints, Ints]:
    """The rows that are lent at a point, and the classes that are short.

    A maximum flow. A pattern takes one row of each value that it lacks, and other rows
    for its size. Of s rows of a value s - 1 may leave their class, and one more of
    some values as long as enough others stay, k rows staying in all.

    Parameters
    ----------
    program, point
        The formulation, and a point of it or of its relaxation.
    whole
        Whether the point is integral.

    Returns
    -------
    tuple
        Copies by lender of the core (in units of 1/65536 where not ``whole``), and the
        classes to be placed since they cannot lend as much; none if all is lent.
    """
    core, unit = program.core, 1 if whole else _UNIT
    taken, none = np.zeros(len(core.lenders), np.int64), np.zeros(0, np.int64)
    loans = np.zeros(len(core.part), np.int64)
    # A point that is not the best may have loans of patterns that are not open.
    y = point[program.base.first_y :][core.borrowers]
    needed = np.minimum(point[program.first_loan :], core.most * y)
    loans[core.borrowers] = np.rint(unit * needed)
    used = np.flatnonzero(loans[core.lent_to])
    if len(used) == 0:
        return taken, none
    types, type_ = _number(core.patterns.types[core.lenders[used]])
    pattern, values = core.lent_to[used], core.types.sensitive[types, 0]
    width = int(core.types.sensitive.max()) + 1
    pairs, pair = _number(pattern * width + values[type_])
    asked, of_pair = _number(pairs // width)
    room, lacks = _needs(program, point, pairs, width)
    fresh = np.minimum(loans[asked], np.rint(unit * lacks[asked])).astype(np.int64)
    own, class_ = _number(core.classes[types])
    counts = core.types.counts[types]
    size = np.bincount(core.classes, core.types.counts)[own]
    spare = np.bincount(core.classes)[own] - core.distinct
    a, t, c = np.arange(len(asked)), np.arange(len(types)), np.arange(len(own))
    for_value, for_size, of_value, of_type, of_class, last = np.cumsum(
        [2, len(a), len(a), len(pairs), len(t), len(c)]
    )
    of_loan = np.searchsorted(asked, pattern)
    flow = max_flow.SimpleMaxFlow()
    arcs = [
        flow.add_arcs_with_capacity(tail, head, np.rint(most).astype(np.int64))
        for tail, head, most in (
            (of_value + pair, of_type + type_, unit * counts[type_]),
            (for_size + of_loan, of_type + type_, unit * counts[type_]),
            (0 * a, for_value + a, fresh),
            (0 * a, for_size + a, loans[asked] - fresh),
            (for_value + of_pair, of_value + np.arange(len(pairs)), unit * room),
            (of_type + t, of_class + class_, unit * (counts - 1)),
            (of_type + t, last + class_, 0 * t + unit),
            (last + c, of_class + c, unit * spare),
            (of_class + c, 0 * c + 1, unit * (size - core.k)),
        )
    ]
    if flow.solve(0, 1) != flow.OPTIMAL:
        raise ArithmeticError("The flow of loans did not end.")
    taken[used] = flow.flows(arcs[0]) + flow.flows(arcs[1])
    if flow.optimal_flow() >= loans.sum() - (unit > 1) * _ROUNDING * len(asked):
        return taken, none
    cut = np.asarray(flow.get_source_side_min_cut())
    short = np.unique(cut[(cut >= of_type) & (cut < of_class)]) - of_type
    return taken, np.unique(core.classes[types[short]])


def _number(labels: npt.NDArray[np.integer]) -> tuple[Ints, Ints]:
    """The different labels, and for each label which of them it is."""
    different, number = np.unique(labels, return_inverse=True)
    return different.astype(np.int64), number.astype(np.int64)


def _needs(
    program: DistinctProgram, point: Floats, pairs: Ints, width: int
) -> tuple[Floats, Floats]:
    """How much of a value each pair can still take; what each pattern lacks of l."""
    base, part = program.base, program.core.part
    w = point[len(base.program.cost) : program.first_loan]
    y = point[base.first_y : base.first_y + len(part)]
    number = program.value_of[0]
    own = part.pattern * width + program.core.part_types.sensitive[part.types, 0]
    keys, first = np.unique(own, return_index=True)
    at = np.minimum(np.searchsorted(keys, pairs), len(keys) - 1)
    has = np.where(keys[at] == pairs, w[number[first[at]]], 0.0)
    of_w = program.others[len(base.program.cost) - base.incidences :][: len(w)]
    lacks = program.core.distinct * y - np.bincount(of_w, w, len(part))
    return np.maximum(y[pairs // width] - has, 0.0), np.maximum(lacks, 0.0)
