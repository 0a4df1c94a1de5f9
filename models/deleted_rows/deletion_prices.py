"""A lower bound on releases that rows may be left out of."""

import math

from starmin.instances import STARS, Objective, Requirement, Result, Run, Table
from starmin.models.deleted_rows import DELETION_PRICES
from starmin.models.deleted_rows.deletion_bound import improve_prices
from starmin.models.deleted_rows.deletion_problem import DeletionProblem
from starmin.models.patterns.closed_listing import closed_patterns


def deletion_prices(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    """Bounds releases in which rows may be deleted at a price.

    Prices of distinct rows are improved as those of
    ``starmin.models.bounds.lagrangian`` are; none is above what a deleted row costs.

    Parameters
    ----------
    table, requirement, objective
        The problem: ``DeletedRows``.
    time_limit
        Seconds; the best bound until then is returned.
    display
        Print progress to stderr.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many columns.

    Examples
    --------
    >>> from starmin.instances import DeletedRows, KAnonymity
    >>> rows = [["0", "x"], ["0", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> deletion_prices(table, DeletedRows(KAnonymity(2))).lower_bound
    2
    """
    run = Run(table, requirement, objective, time_limit, display, DELETION_PRICES)

    def search() -> None:
        problem = DeletionProblem.of(run)
        patterns = closed_patterns(
            table, problem.types, objective, problem.k, problem.l, run.check_time
        )
        improve_prices(run, patterns, problem)
        run.check_time()

    return run.carry_out(search)
