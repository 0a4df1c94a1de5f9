"""Find the best single-dimensional recoding: of least loss, discernibility or error."""

import math

from starmin.heuristics.recoding import (
    LEAST_CLASSIFICATION_ERROR,
    LEAST_DISCERNIBILITY,
    SINGLE_DIMENSIONAL,
)
from starmin.heuristics.recoding.set_enumeration import (
    classification,
    discernibility,
    loss,
    search_recodings,
)
from starmin.instances import (
    STARS,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
    least_size,
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


def single_dimensional(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    r"""Recodes each column by itself, in the best of all such ways.

    Exact among *single-dimensional* (global) recodings: each value is published as the
    same range or node wherever it occurs, and the rows that are equal then are a group.
    Numbers are cut into ranges anywhere, trees through any of their nodes, and flat
    columns are published as they are or not at all (``set_enumeration.Splits``). Groups
    are charged for their own ranges, which are within those of the recoding;
    ``stats["recoded"]`` counts the cells that the recoding itself makes coarser.

    The idea: a recoding is a set of splits, and a finer one never loses more. Sets are
    enumerated as a tree, which ``SetEnumeration`` prunes.

    Parameters
    ----------
    table, requirement, objective
        Any problem. Columns to be kept are published as they are.
    time_limit
        Seconds; if it strikes, the best recoding among those met is returned.

    See Also
    --------
    top_down_specialization : the same recodings, greedily.
    incognito : one level for all of a column, optimal.

    Notes
    -----
    Exponential in the number of splits at worst; a group-by of n rows for each set that
    is asked.

    References
    ----------
    R. J. Bayardo, R. Agrawal, Data privacy through optimal k-anonymization, ICDE 2005.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales
    >>> rows = [["1", "a"], ["2", "b"], ["8", "a"], ["9", "b"]]
    >>> table = Table.from_rows(["p", "q"], rows, qi=["p", "q"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["p"]))
    >>> result = single_dimensional(table, KAnonymity(2), objective=gcp)
    >>> result.best.groups.tolist()
    [0, 1, 0, 1]
    """
    run = Run(table, requirement, objective, time_limit, display, SINGLE_DIMENSIONAL)
    return search_recodings(run, loss(table, objective))
