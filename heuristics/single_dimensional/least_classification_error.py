"""The single-dimensional recoding that keeps labels apart best."""

import math

from starmin.heuristics.single_dimensional import LEAST_CLASSIFICATION_ERROR
from starmin.heuristics.single_dimensional.recoding_metrics import classification
from starmin.heuristics.single_dimensional.search_recodings import search_recodings
from starmin.instances import (
    STARS,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)


def least_classification_error(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    label: str | None = None,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    r"""Finds the single-dimensional recoding of least classification error.

    Exact among single-dimensional recodings without suppressed rows. Each row has a
    label, and is charged 1 if its label is not the most frequent one of its group
    (ties: any one of them). That is ``stats["classification_error"]``; the value of the
    result is the objective's.

    Parameters
    ----------
    table, requirement, objective
        Any problem; the objective says how columns are recoded.
    label
        The column of labels; default: the first sensitive column.
    time_limit
        Seconds; if it strikes, the best recoding among those met is returned.

    See Also
    --------
    single_dimensional : the least loss instead; what recodings there are.

    References
    ----------
    R. J. Bayardo, R. Agrawal, Data privacy through optimal k-anonymization, ICDE 2005.
    V. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales
    >>> rows = [["1", "x"], ["2", "x"], ["3", "x"], ["8", "y"], ["9", "y"]]
    >>> table = Table.from_rows(["p", "s"], rows, qi=["p"], sensitive=["s"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["p"]))
    >>> result = least_classification_error(table, KAnonymity(2), objective=gcp)
    >>> result.stats["classification_error"]
    0
    """
    if label is None and not table.sensitive:
        raise NotSupportedError(
            "Expected a sensitive column, whose values are the labels of rows."
        )
    named = table.sensitive[0] if label is None else label
    run = Run(
        table, requirement, objective, time_limit, display, LEAST_CLASSIFICATION_ERROR
    )
    return search_recodings(
        run, classification(table.column(named)), "classification_error"
    )
