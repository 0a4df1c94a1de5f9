"""Generalization along the Hilbert curve for l-diversity, by the mean extent."""

from starmin.heuristics.line import L_MEAN
from starmin.heuristics.line.rows_on_line import expect_few_boundaries, offer_groups
from starmin.instances import STARS, Objective, Requirement, Result, Run, Table
from starmin.instances.arrays import Int32s, Ints
from starmin.models.one_dimensional import l_mean as program
from starmin.models.one_dimensional.sorted_values import Values


def l_mean(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    seed: int = 0,
    display: bool = False,
) -> Result:
    """Group rows that are near on a Hilbert curve by the mean extent, l-diverse.

    On the line the mean is the least of all ordered groups of l to 2l - 1 different
    values; other groups may have a smaller one, and there is no guarantee for what
    they lose in the table.

    Parameters
    ----------
    table, requirement
        l-diversity by frequency, l a whole number; one sensitive column.
    objective
        ``gcp`` with any scales, or stars.
    seed
        Changes nothing: the curve is not drawn at random.

    Raises
    ------
    NotSupportedError
        Several sensitive columns, or more rows and values than the program ends for.

    See Also
    --------
    starmin.models.one_dimensional.l_mean : the program.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009.

    Examples
    --------
    >>> from starmin.instances import LDiversity, Scales
    >>> rows = [["1", "a"], ["9", "b"], ["2", "b"], ["8", "a"]]
    >>> table = Table.from_rows(["x", "s"], rows, ["x"], ["s"])
    >>> gcp = Objective("gcp", scales=Scales.of(table, ["x"]))
    >>> l_mean(table, LDiversity(2), objective=gcp).best.groups.tolist()
    [0, 1, 0, 1]
    """
    expect_few_boundaries(table)
    run = Run(table, requirement, objective, display=display, method=L_MEAN)
    l = requirement.core.diversity

    def groups_of(values: Values, sensitive: Int32s) -> Ints:
        return program.l_mean(values, sensitive, l)[1]

    return run.carry_out(lambda: offer_groups(run, groups_of, seed))
