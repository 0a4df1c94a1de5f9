"""Small tables with ranges, solved by column generation over groups in boxes."""

import math

from starmin.instances import (
    GCP,
    Certificate,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.models.boxes import BOX_PROGRAM
from starmin.models.boxes.box_search import BoxSearch
from starmin.models.boxes.master.exact import DEFAULTS, BoxParams


def box_program(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = GCP,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    prices: Certificate | None = None,
    params: BoxParams = DEFAULTS,
) -> Result:
    r"""Solves small tables exactly, ranges of numbers included, and certifies it.

    Groups of more than 2k - 1 rows can be split, which costs no more. So let every
    group G have k to 2k - 1 rows, and be published as a *box* B: in each column a
    range, a node of a tree, or a star. With :math:`z_{GB}` groups G in box B, of which
    a row pays :math:`c_B`,

    .. math::
        \min \sum_{G, B} |G|\, c_B\, z_{GB} \quad \text{subject to} \quad
        \sum_{G, B} |G \cap t|\, z_{GB} = s_t, \quad z_{GB} \in \{0, 1, 2, \dots\}

    for each distinct row t, of which there are :math:`s_t` rows. With l-diversity by
    frequency groups have fewer than :math:`2 l \lceil k / l \rceil` rows; with distinct
    l-diversity they have any number of rows
    (``starmin.models.boxes.walk.box_data``).

    *Column generation.* HiGHS solves the relaxation over some groups. At its prices the
    cheapest group of a box has the dearest rows, and a walk over boxes, column by
    column, finds those whose cheapest group is worth less than nothing: the walk ends
    wherever all types left could not pay for the columns chosen so far. The first
    prices are those of ``starmin.models.bounds.dual_ascent``, which prove a bound; the
    first groups are the cheapest ones at them, and boxes are looked for between the
    prices that prove most and those of HiGHS (stabilization).

    *Box cuts* (``starmin.models.boxes.master.side_constraints``). At most ``|S| / k``
    groups lie in a set S of rows. That closes nearly all of the gap, and as its
    coefficient depends on the box alone, pricing stays exact.

    *Fixing.* Prices and multipliers that prove LB rule out each box of a worth of
    U - LB or more, where U is what the best release costs: a few hundred are left.

    *Several columns* (``starmin.models.boxes.master.side_constraints``). Boxes are
    found by what groups need in one sensitive column. What they need in others are rows
    of the program at nodes.

    *Tree.* On these, branch and bound splits on the number of groups inside a set of
    rows. What a node proves is recomputed in whole numbers from its prices and
    multipliers; floating point proves nothing. The certificate has them all.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, l-diversity by frequency or distinct, in each
        sensitive column, or several of these; gcp or stars, with weights and kept
        columns.
    time_limit, display
        Wall-clock seconds, after which the best release, the bound and the gap are
        returned; a line on stderr at each improvement.
    seed, params
        Of the solver's random choices; constants that steer the search.
    initial
        A release to improve on. A good one helps much.
    prices
        A proof of kind ``group_prices`` for this problem, whose prices it begins with;
        by default it has ``dual_ascent`` find some.

    Returns
    -------
    Result
        Its certificate proves all of the bound.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many distinct rows.

    Notes
    -----
    Exponential in the worst case. Tables of 150 rows and three to six columns mostly
    take seconds.

    References
    ----------
    Barnhart, Johnson, Nemhauser, Savelsbergh, Vance (1998), Branch-and-price: column
    generation for solving huge integer programs. Chvatal (1973), Edmonds polytopes and
    a hierarchy of combinatorial problems, for cuts by dividing and rounding.

    Examples
    --------
    Consecutive groups lose 248 here, and no groups lose less than 206.

    >>> from starmin.instances import KAnonymity, Scales
    >>> rows = [[str(x)] for x in (0, 49, 50, 51, 100)]
    >>> table = Table.from_rows(["x"], rows, ["x"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> result = box_program(table, KAnonymity(2), objective=gcp)
    >>> result.value, result.certified_bound, sorted(result.best.sizes.tolist())
    (206, 206, [2, 3])
    """
    run = Run(table, requirement, objective, time_limit, display, BOX_PROGRAM)

    def search() -> Limit | None:
        run.offer(initial or Partition.coarsest(table, objective))
        if run.closed:
            return None
        run.check_time()
        steps = BoxSearch(run, seed, params, prices)
        if initial is None:
            steps.begin()
        return steps.search()

    return run.carry_out(search)
