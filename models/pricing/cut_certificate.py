"""The certificate of prices and of multipliers of group-count cuts."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from instances import Certificate, RowTypes, Run
from instances.tables.canonical import canonical_order
from models.patterns.group_cuts import GroupCut
from models.patterns.patterns import Patterns
from models.patterns.unit import DENOMINATOR

Ints = npt.NDArray[np.int64]


def cut_certificate(
    run: Run,
    types: RowTypes,
    prices: Ints,
    bound: int,
    patterns: Patterns,
    cuts: Sequence[GroupCut],
    multipliers: Ints,
) -> Certificate:
    """Return a certificate that ``verify.certificates.check`` accepts.

    Parameters
    ----------
    run
        The problem.
    types
        The row types that have prices.
    prices, multipliers
        In units of 1/DENOMINATOR; multipliers of cuts times r.
    bound
        What they prove.
    patterns
        Those of the cuts, with all types that fit.
    cuts
        By their numbers.
    """
    table, objective = run.table, run.objective
    order = canonical_order(table, types)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    positions = objective.scales_of(table).positions(types.codes)
    data = {
        "denominator": DENOMINATOR,
        "prices": prices[order].tolist(),
        "patterns": [
            _cover(positions, patterns.types[first:last], rank)
            for first, last in zip(patterns.starts, patterns.starts[1:], strict=False)
        ],
        "cuts": [
            [sorted(rank[cut.types].tolist()), cut.patterns.tolist(), multiplier]
            for cut, multiplier in zip(cuts, multipliers.tolist(), strict=True)
        ],
    }
    return Certificate.of(table, run.requirement, objective, "prices", bound, data)


def _cover(
    positions: npt.NDArray[np.integer], members: npt.NDArray[np.int32], rank: Ints
) -> list[int]:
    """Return types whose smallest common pattern is the one of these members.

    Those with the least and the greatest position in each column.
    """
    own = positions[members]
    chosen = {*own.argmin(axis=0).tolist(), *own.argmax(axis=0).tolist()}
    return sorted(rank[members[sorted(chosen)]].tolist())
