"""The best full-domain recoding: one level for each column, other rows suppressed."""

import math

from starmin.heuristics.recoding import FULL_DOMAIN
from starmin.heuristics.recoding.level_lattice import LevelLattice
from starmin.heuristics.recoding.level_search import LatticeSearch
from starmin.instances import (
    STARS,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)


def full_domain(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    suppress: float = 1.0,
    time_limit: float = math.inf,
    display: bool = False,
) -> Result:
    r"""Generalizes each column to one level and suppresses the classes that fail.

    Exact among *full-domain* recodings with suppression. All values of a column are
    generalized to the same level of its hierarchy (``levels.column_levels``); rows that
    are equal then are a class. Classes that fail the requirement are suppressed: they
    form one class more, which must satisfy it, too, or be empty. A row pays what the
    nodes of the levels lose, a suppressed one what the roots lose:

    .. math:: \min_{v} \sum_{i \notin S(v)} \sum_j w_j c_j(v_j, x_{ij})
              + |S(v)| \sum_j w_j c_j(\top)

    The idea: of all nodes between ``low`` and ``high`` of the lattice none costs less
    than its rows do at ``low``, and rows whose class at ``high`` has fewer rows than
    the requirement asks of any class are suppressed at all of them. Boxes of nodes are
    halved, the cheapest first, until the cheapest is a single node.

    What is published of a class may lose less than the level does, if its rows agree
    on more; ``value`` counts this, ``stats["level_value"]`` what was minimized.

    Parameters
    ----------
    table, requirement, objective
        Any problem but for tuples. Columns to be kept stay at level 0, and suppressed
        rows form a class for each combination of their values.
    suppress
        The greatest share of rows that may be suppressed.
    time_limit
        Seconds; if it strikes, the best node among those met is returned.

    See Also
    --------
    incognito : without suppression, charged for what classes publish.

    Notes
    -----
    A group-by of the row types for each node that is asked: of the 12,960 nodes of
    Adult, nine columns with taxonomies, k = 5, a few hundred.

    References
    ----------
    F. Kohlmayer, F. Prasser, C. Eckert, A. Kemper, K. Kuhn, Flash: efficient, stable
    and optimal k-anonymity, PASSAT 2012.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales, Taxonomy
    >>> rows = [["cat"], ["cat"], ["dog"], ["dog"], ["rat"], ["owl"]]
    >>> table = Table.from_rows(["a"], rows, qi=["a"])
    >>> tree = Taxonomy.parse("{tame{cat,dog},wild{rat,owl}}")
    >>> objective = Objective("gcp", scales=Scales.of(table, (), {"a": tree}))
    >>> result = full_domain(table, KAnonymity(2), objective=objective)
    >>> result.best.groups.tolist(), result.stats["level_value"]
    ([0, 0, 1, 1, 2, 2], 8)
    """
    if not 0 <= suppress <= 1:
        raise ValueError(f"Expected suppress from 0 to 1, got {suppress}.")
    if objective.scales_of(table).roofs:
        raise NotSupportedError(
            "Expected no column with a highest level, as suppressed rows have none."
        )
    run = Run(table, requirement, objective, time_limit, display, FULL_DOMAIN)

    def search() -> None:
        lattice = LevelLattice(table, requirement, objective, suppress)
        nodes = LatticeSearch(lattice)
        try:
            nodes.run(run.check_time)
        finally:  # The best node so far is published, whatever ended the search.
            best, suppressed = lattice.partition(nodes.best)
            run.offer(best)
            run.stats |= {
                "levels": ",".join(map(str, nodes.best)),
                "level_value": nodes.value,
                "suppressed": suppressed,
                "asked": lattice.asked,
            }

    return run.carry_out(search)
