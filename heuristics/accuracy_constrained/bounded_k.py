"""The accuracy-constrained problem for k-anonymity, along a line of the rows."""

import time

import numpy as np

from starmin.heuristics.accuracy_constrained.accuracy_constrained import (
    finish,
    space_along,
)
from starmin.heuristics.accuracy_constrained.adjust_privacy import first_within
from starmin.heuristics.accuracy_constrained.max_privacy import (
    MaxPrivacyResult,
    expect_group_losses,
)
from starmin.heuristics.mappings import Mapping
from starmin.instances import STARS, Objective, Table
from starmin.models.one_dimensional.k_dual import largest_k


def bounded_k(
    table: Table,
    max_loss: float,
    *,
    objective: Objective = STARS,
    mapping: Mapping | None = None,
    seed: int = 0,
) -> MaxPrivacyResult:
    """Find the largest k for which groups on a line lose no more than a bound.

    Optimal among groups of consecutive rows on the line; for one numeric column these
    are all that matter (``starmin.models.one_dimensional.k_dual``).

    Parameters
    ----------
    table
        The table; no sensitive column is needed.
    max_loss
        The largest weighted mean NCP of a group, from 0 to 1.
    objective
        Weights, scales and columns to be kept; ``gcp`` or stars.
    mapping, seed
        Of rows to the line, and what it draws by; default: the Hilbert curve.

    Notes
    -----
    O(n d + n log n) after the mapping.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009,
    section 5.

    Examples
    --------
    >>> from starmin.instances.scales.scales import Scales
    >>> x = ["0", "1", "5", "6", "7"]
    >>> table = Table.from_rows(["x"], [[v] for v in x], ["x"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> bounded_k(table, 0.3, objective=gcp).privacy
    Fraction(2, 1)
    """
    started = time.perf_counter()
    expect_group_losses(table, objective)
    alike = np.zeros(table.n, np.int32)
    order, space = space_along(table, objective, mapping, max_loss, alike, seed)
    best = order.consecutive(largest_k(first_within(space)).starts)
    return finish(table.with_roles(table.qi), best, objective, started, {})
