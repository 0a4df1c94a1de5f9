"""Non-homogeneous 2-anonymity in polynomial time: a matching without fixed points."""

import math
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from starmin.instances import (
    STARS,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.models.matching.network import FAR, distances
from starmin.models.nonhomogeneous import PAIR_MATCHING
from starmin.models.nonhomogeneous.degree_certificate import price_certificate
from starmin.models.nonhomogeneous.pair_network import PairNetwork
from starmin.models.nonhomogeneous.regular_graph import ring_release
from starmin.models.nonhomogeneous.star_sets import StarSets

MAX_ROWS = 5_000


def pair_matching(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
    on: Literal["types", "rows"] = "types",
) -> Result[NonHomogeneous]:
    r"""Solve non-homogeneous 2-anonymity exactly: a minimum-weight perfect matching.

    One of the two matchings may be the identity, so what is left to choose is a
    permutation of the rows without fixed points, each released row paying for the
    columns on which it differs from its partner:

    .. math::

        \min \sum_{i \ne j} dist(i, j)\, x_{ij}, \qquad
        \sum_j x_{ij} = 1, \quad \sum_i x_{ij} = 1, \quad x \ge 0.

    Why the identity. Take two matchings P, Q that share no pair. The permutation
    :math:`Q^{-1} P` has no fixed point; it pairs originals i and i' that are matched to
    the same released row, which pays for all columns on which i and i' differ.

    On distinct rows it is a transportation problem; a type of two rows and more may be
    its own partner, at no cost, as its rows can be turned by one. Few arcs suffice:
    each type to some near ones. Prices from their optimum are made feasible for all
    pairs by a look at each class of rows that agree on some columns, never at n^2
    pairs. If their bound does not meet the value, the pairs that disagree become arcs
    too.

    Parameters
    ----------
    table
        Any table.
    requirement
        ``KAnonymity(2)``.
    objective
        Stars; weights and ``keep`` are honoured.
    time_limit
        Wall-clock seconds; looked at between the steps. The best release and bound so
        far are returned.
    display
        Live progress on stderr.
    on
        ``types``; or ``rows``, an assignment problem on all pairs: an independent
        second opinion on up to 5,000 rows, without a certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too large.

    Notes
    -----
    Distinct rows: 2^d group-bys and some ten min-cost flows by cost scaling. 3,000 rows
    x 8 columns (census) take 3 s, 30,000 rows 110 s on a busy processor.

    References
    ----------
    Murakami and Uno (2018), section 3.2: k = 2 needs one matching. That the identity is
    no restriction, and the prices, are ours.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.catalogue.catalogue import load_instance
    >>> pair_matching(load_instance("murakami-uno"), KAnonymity(2)).value
    12
    """
    if requirement.core.size != 2:
        raise NotSupportedError(f"Expected 2-anonymity, got {requirement.as_json()}.")
    if on == "rows" and table.n > MAX_ROWS:
        raise NotSupportedError(f"Expected at most {MAX_ROWS} rows, got {table.n}.")
    run = Run[NonHomogeneous](
        table, requirement, objective, time_limit, display, PAIR_MATCHING
    )

    def search() -> None:
        run.offer(ring_release(table, objective, 2))
        run.check_time()
        if on == "rows":
            _match_rows(run)
        else:
            _match_types(run)

    return run.carry_out(search)


def _match_rows(run: Run[NonHomogeneous]) -> None:
    """Solve the assignment problem of the rows."""
    types = run.table.row_types
    codes = types.codes[types.inverse]
    weight = distances(run.table, run.objective, codes, codes).astype(float)
    weight[weight >= FAR] = np.inf
    np.fill_diagonal(weight, np.inf)
    _, partner = linear_sum_assignment(weight)
    _offer(run, partner)
    value = int(weight[np.arange(run.table.n), partner].sum())
    run.raise_bound(value, "pair_matching")


def _match_types(run: Run[NonHomogeneous]) -> None:
    """Solve the transportation problem of the row types on more and more arcs."""
    sets = StarSets.of(run.table, run.objective, 2, run.check_time)
    network = PairNetwork(run.table, run.objective, sets)
    while not run.closed:
        run.check_time()
        flow = network.solve()
        _offer(run, network.partners(flow))
        bound, prices = network.price(flow)
        certificate = price_certificate(
            run.table, run.requirement, run.objective, prices, bound
        )
        run.raise_bound(bound, "pair_matching", certificate)


def _offer(run: Run[NonHomogeneous], partner: npt.NDArray[np.integer]) -> None:
    """Offer the release in which each row is matched to itself and its partner."""
    matchings = np.empty((2, run.table.n), np.int32)
    matchings[0] = np.arange(run.table.n)
    matchings[1, partner] = np.arange(run.table.n)
    run.offer(NonHomogeneous.from_matchings(run.table, matchings))
