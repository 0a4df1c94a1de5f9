"""Dual ascent: prices of rows are raised until groups pay no more than them."""

import math
from collections.abc import Iterator

import numpy as np

from starmin.instances import GCP, Objective, Partition, Requirement, Result, Run, Table
from starmin.instances.arrays import Ints
from starmin.instances.errors import NotSupportedError
from starmin.models.bounds import DUAL_ASCENT
from starmin.models.bounds.cheapest_groups import RowGroups, has_room
from starmin.models.bounds.group_columns import rise_by_groups
from starmin.models.bounds.slack_search import raise_prices

_AT_A_TIME = 16  # types between two looks at the clock
_WORK = 5_000  # types that are looked at for one of them before it is cut short
# What is proven is told after so many seconds, then each time so many times later.
_FIRST, _LATER = 0.3, 1.5
_MOST_GROUP = 500  # rows, of which the costs add up in 64 bits


def dual_ascent(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = GCP,
    time_limit: float = math.inf,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    r"""Bound losses from below by prices of rows that are raised one after the other.

    The dual of the set-partitioning program over all groups: any prices are a bound if
    no group of k rows pays less than its prices,

    .. math::
        LB = \max \sum_i p_i \quad \text{with} \quad
        \sum_{i \in G} p_i \le k \, c_G \quad \text{for all } G, |G| = k,

    where a row pays :math:`c_G` in G. It begins with what each row pays in the cheapest
    group that it can be in. Then the prices are raised by falling price: each one by
    what the group of its row leaves that pays least above its prices, found by branch
    and bound over the ranges that groups with it may publish. So a row that is far from
    all others is charged what all rows of its group pay. Searches that take long are
    cut short.

    Then prices come near to the best ones by column generation: a linear program over
    the groups that are known has prices that are too high; groups are guessed that pay
    less; some of the way to these prices, groups are looked for that pay less, which
    become known, and prices are lowered until no group does.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, l-diversity, several of them; stars or gcp. Under
        l-diversity by frequency the groups are those of K = max(k, l) rows of which no
        more than K / l, rounded up, have the same value of one sensitive column. Of
        distinct l-diversity only that a group has l rows is used.
    time_limit, display
        Seconds; progress is printed to stderr.
    initial
        A release, whose groups are known from the beginning.

    Returns
    -------
    Result
        Without a release; ``lower_bound`` and its certificate. What is proven when the
        time is up holds for the rows looked at.

    Raises
    ------
    NotSupportedError
        Another requirement or objective; large groups.

    See Also
    --------
    starmin.models.bounds.own_pattern : the prices that it begins with, and faster.
    starmin.models.boxes.box_program : proves optima of small tables.

    Notes
    -----
    O(m^2 d) for m distinct rows and d columns, and more where many rows are near to
    each other. 2,000 rows by 4 columns in a tenth of a second; 8,000 in ten seconds.
    Column generation ends at the value of the relaxation on a thousand rows in seconds
    or a minute, the longer the larger the groups are.

    References
    ----------
    Bilde and Krarup (1977), Erlenkotter (1978): dual ascent for facility location.
    Ben-Ameur and Neto (2007): column generation between prices that hold and others.

    Examples
    --------
    >>> from starmin.instances import KAnonymity, Scales
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["9"]], qi=["a"])
    >>> objective = Objective("gcp", scales=Scales.of(table, ["a"]))
    >>> dual_ascent(table, KAnonymity(3), objective=objective).lower_bound
    24
    """
    run = Run(table, requirement, objective, time_limit, display, DUAL_ASCENT)
    core = requirement.core
    types = table.sensitive_types if core.diversity > 1 else table.row_types
    rows = core.rows
    if rows > _MOST_GROUP or not has_room(types, rows):
        raise NotSupportedError(
            f"dual_ascent takes groups of at most {_MOST_GROUP} rows, fewer in large "
            f"tables; here {rows} of {len(types)} row types."
        )

    def search() -> None:
        groups, known = RowGroups(run, types, rows), list[Ints]()
        if isinstance(initial, Partition):
            places = np.argsort(groups.order)[types.inverse]  # of rows, by their types
            known = [places[rows] for rows in initial.members()]
        prices, told = np.zeros(len(types), np.int64), 0.0

        def visited() -> Iterator[Ints]:
            yield from groups.costs()
            yield from _raised(groups, prices, known)

        try:
            for found in visited():
                prices = found
                if run.elapsed > _LATER * told + _FIRST:
                    groups.prove(prices, DUAL_ASCENT.name)
                    told = run.elapsed
        finally:
            groups.prove(prices, DUAL_ASCENT.name)

    return run.carry_out(search)


def _raised(groups: RowGroups, prices: Ints, known: list[Ints]) -> Iterator[Ints]:
    """Raise all prices, as far as there is time; visit them after some at a time."""
    own, run, search = prices.copy(), groups.run, groups.search
    by_cost = np.argsort(own, kind="stable")
    for end in range(len(own), 0, -_AT_A_TIME):
        run.check_time()
        begin = max(0, end - _AT_A_TIME)
        raise_prices(search, own, by_cost, begin, end, prices, _WORK)
        yield prices
    limits = groups.ceiling, known, run.check_time, lambda: run.remaining
    yield from rise_by_groups(search, prices, *limits)
