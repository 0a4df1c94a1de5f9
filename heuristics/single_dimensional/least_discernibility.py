"""The single-dimensional recoding of least discernibility."""

import math

from starmin.heuristics.single_dimensional import LEAST_DISCERNIBILITY
from starmin.heuristics.single_dimensional.recoding_metrics import discernibility
from starmin.heuristics.single_dimensional.search_recodings import search_recodings
from starmin.instances import (
    STARS,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
    least_size,
)


def least_discernibility(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    r"""Finds the single-dimensional recoding of least discernibility.

    Exact among single-dimensional recodings without suppressed rows. Each row is
    charged the number of rows that it cannot be told from:

    .. math:: \sum_g |g|^2

    That is ``stats["discernibility"]``; the value of the result is the objective's.

    Parameters
    ----------
    table, requirement, objective
        Any problem; the objective says how columns are recoded.
    time_limit
        Seconds; if it strikes, the best recoding among those met is returned.

    See Also
    --------
    single_dimensional : the least loss instead; what recodings there are.

    Notes
    -----
    Bayardo and Agrawal may also suppress rows, which cost n each. Here rows that are
    published as nothing would have to be a group themselves.

    References
    ----------
    R. J. Bayardo, R. Agrawal, Data privacy through optimal k-anonymization, ICDE 2005.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales
    >>> table = Table.from_rows(["p"], [["1"], ["2"], ["3"], ["8"], ["9"]], qi=["p"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["p"]))
    >>> result = least_discernibility(table, KAnonymity(2), objective=gcp)
    >>> result.stats["discernibility"]
    13
    """
    run = Run(table, requirement, objective, time_limit, display, LEAST_DISCERNIBILITY)
    return search_recodings(
        run, discernibility(least_size(requirement)), "discernibility"
    )
