"""Two phases, the second of them to its end: Murakami and Uno, as they have it."""

import math

from starmin.heuristics.nonhomogeneous.two_phase import TwoPhaseParams, two_phase
from starmin.instances import (
    STARS,
    NonHomogeneous,
    Objective,
    Requirement,
    Result,
    Table,
)

TO_THE_END = TwoPhaseParams(to_the_end=True)


def two_phase_to_the_end(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
) -> Result[NonHomogeneous]:
    """Release rows non-homogeneously by two phases, the second one to its end.

    No guarantee for k >= 3. The first phase is that of ``two_phase``, which then makes
    a short search for negative cycles from each original. Here cycles are searched as
    in the paper: labels spread through one tree of all originals, a cycle is looked for
    upstream of a label that was lowered three times, and what a cycle made stale is
    forgotten. Trees are searched one after the other until one finds no cycle.

    Parameters
    ----------
    table
        At most 31 quasi-identifiers; for gcp, steps of their trees.
    requirement
        k-anonymity.
    objective
        Stars or gcp, weighted or not; columns to be kept are.
    time_limit
        Seconds; the cycles that were cancelled by then are kept.
    seed
        Of the order in which records are looked at, and of the roots of trees.

    Raises
    ------
    NotSupportedError
        As ``two_phase``.

    See Also
    --------
    starmin.heuristics.nonhomogeneous.two_phase : with short searches, faster.
    starmin.heuristics.nonhomogeneous.rematching : fewer stars.

    References
    ----------
    K. Murakami, T. Uno: Optimization algorithm for k-anonymization of datasets with
    low information loss, International Journal of Information Security 2018,
    section 3.2.2.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.catalogue.generators import census
    >>> from starmin.heuristics.nonhomogeneous.two_phase import two_phase
    >>> table, requirement = census(1_000, sensitive="none"), KAnonymity(3)
    >>> two_phase(table, requirement).value
    3055
    >>> two_phase_to_the_end(table, requirement).value
    3042
    """
    return two_phase(
        table,
        requirement,
        objective=objective,
        time_limit=time_limit,
        seed=seed,
        display=display,
        params=TO_THE_END,
    )
