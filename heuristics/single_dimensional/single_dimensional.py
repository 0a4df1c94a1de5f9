"""The single-dimensional recoding that loses least."""

import math

from starmin.heuristics.single_dimensional import SINGLE_DIMENSIONAL
from starmin.heuristics.single_dimensional.recoding_metrics import loss
from starmin.heuristics.single_dimensional.search_recodings import search_recodings
from starmin.instances import (
    STARS,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
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
    columns are published as they are or not at all (``splits.Splits``). Groups are
    charged for their own ranges, which are within those of the recoding;
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
