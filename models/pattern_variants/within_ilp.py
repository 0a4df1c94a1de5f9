"""Nested releases of few classes, solved to proven optimality."""

import math

import numpy as np
from scipy.sparse import csr_matrix

from starmin.instances import (
    STARS,
    Limit,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Ints
from starmin.instances.requirements.requirement import of_kind
from starmin.instances.requirements.within import Within
from starmin.models.pattern_variants import WITHIN_ILP
from starmin.models.pattern_variants.within_prices import (
    Atoms,
    list_class_patterns,
    unions,
)
from starmin.models.patterns.common_patterns import Listing
from starmin.models.solvers.mip_search import solve_program
from starmin.models.solvers.program import PatternColumns, Program, capped

MAX_PAIRS = 20_000


def within_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    r"""Finds the cheapest release within an earlier one, where classes are few.

    For each pattern p and class a that fits it, :math:`x_{ap}` says whether a is
    published as p; :math:`y_p` whether any is.

    .. math::
        \min \sum_{ap} w_a cost_p x_{ap} \quad \text{subject to} \quad
        \sum_p x_{ap} = 1, \quad x_{ap} \le y_p, \quad
        \sum_a w_a x_{ap} \ge K y_p

    with :math:`w_a` rows of a, and K rows that every group has. For diversity, of
    :math:`w_{as}` rows of a with the sensitive value s,

    .. math::
        \sum_a w_{as} x_{ap} \le h_p, \quad l h_p \le \sum_a w_a x_{ap}; \qquad
        z_{ps} \le \sum_{a: w_{as} > 0} x_{ap}, \quad
        l y_p \le \sum_s z_{ps}

    by frequency, and for different values.

    Parameters
    ----------
    table, requirement, objective
        The problem: ``Within``.
    time_limit
        Wall-clock seconds; the best release, the bound and the gap are returned.
    seed
        For the solver's random choices.
    display
        Print a line (time, value, bound, gap) to stderr at each improvement.
    initial
        A release to improve on.

    Returns
    -------
    Result
        Without certificate: what is proven is the solver's word.

    Raises
    ------
    NotSupportedError
        Another requirement, or more than 20,000 pairs of a class and a pattern.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.requirements.within import nested_within
    >>> rows = [["0", "x"], ["0", "y"], ["1", "x"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> within_ilp(*nested_within(table, KAnonymity(2), np.array([0, 0, 1, 1]))).value
    4
    """
    run = Run(table, requirement, objective, time_limit, display, WITHIN_ILP)
    asked = of_kind(requirement, Within)
    assert asked is not None

    def search() -> Limit | None:
        run.offer(initial or Partition.coarsest(table, objective))
        run.check_time()
        atoms = Atoms.of(table, objective)
        listing = list_class_patterns(table, atoms, objective, asked.least, run.pace())
        if len(listing.item) > MAX_PAIRS:
            raise NotSupportedError(
                f"Expected at most {MAX_PAIRS:,} pairs of a class and a pattern, got "
                f"{len(listing.item):,}."
            )
        return solve_program(
            run,
            _program(run, atoms, listing, asked),
            WITHIN_ILP.name,
            lambda whole: unions(run, atoms, _dealt(listing, whole)),
            seed=seed,
        )

    return run.carry_out(search)


def _program(run: Run, atoms: Atoms, listing: Listing, asked: Within) -> Program:
    """Return the program: x, y, then h and z of each sensitive column."""
    rows, core = atoms.size[listing.item], asked.inner.core
    dealt = listing.pattern, listing.item, listing.cost, np.ones(len(atoms))
    made = PatternColumns(*dealt, weight=rows)
    y = made.add(made.count)
    made.rows += [made.only(y), made.enough(y, asked.least, rows)]
    for column in run.table.sensitive:
        values = atoms.of_row, run.table.column(column)
        held = csr_matrix((np.ones(run.table.n), values))[listing.item].tocoo()
        pairs = made.pairs(held.col, held.row)
        if core.diversity > 1:
            h = made.add(made.count, 0, run.table.n)
            most = h[pairs.pattern], pairs.number, pairs.entry, held.data
            made.rows += [made.enough(h, core.diversity, rows), capped(*most)]
        if core.distinct > 1:
            z = made.add(len(pairs.pattern))
            made.rows += made.different(z, pairs, y, core.distinct)
    return made.program()


def _dealt(listing: Listing, whole: Ints) -> Ints:
    """Return the pattern of each atom at a point in whole numbers."""
    chosen = np.flatnonzero(whole[: len(listing.item)])
    of_atom = np.zeros(int(listing.item.max()) + 1, np.int64)
    of_atom[listing.item[chosen]] = listing.pattern[chosen]
    return of_atom
