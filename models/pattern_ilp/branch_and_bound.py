"""Branch and bound on the pattern formulation, whose tree is the certificate."""

import math
from dataclasses import replace
from typing import Any

from starmin.instances import (
    STARS,
    Limit,
    Objective,
    Partition,
    Problem,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.runs.checkpoint import begin_at
from starmin.models.bounds.pattern_lp import MAX_INCIDENCES, relax, write_program
from starmin.models.distinct.distinct_reduction import diverse_program
from starmin.models.pattern_ilp import BRANCH_AND_BOUND
from starmin.models.pattern_ilp.priced_program import priced_program
from starmin.models.pattern_ilp.prove import prove
from starmin.models.pattern_ilp.split_counts import DEFAULTS, TreeParams
from starmin.models.pattern_program.destroy_operators import offer_rounded
from starmin.models.pattern_program.pattern_program import PatternProgram
from starmin.models.patterns.closed_listing import closed_patterns
from starmin.models.patterns.coarse_losses import run_with_prices
from starmin.models.patterns.patterns import Sought, TooManyPairsError
from starmin.models.reductions.reduction import TuplesAsStars
from starmin.models.solvers.linear_solver import LinearSolver

# Of the time, for the first release: where no pattern is opened by a binary, so that
# the relaxation is all but integral, and where some are.
_ROUNDING_SHARE, _ROUNDING_SHARE_OPENING = 0.2, 0.05


def branch_and_bound(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    params: TreeParams = DEFAULTS,
) -> Result:
    r"""Solves star minimisation exactly, and certifies that it did.

    A tree of decisions: in each node a pattern gets a height of at most g, or of at
    least g + 1. The *height* is the number of rows of the most frequent sensitive
    value that are published as the pattern, and for k-anonymity alone, where only
    g = 0 is used, the number of all. Or the rows with a star in a column, some groups,
    or the groups with one of two distinct rows are counted, and the count is at most g,
    or at least g + 1 (``starmin.models.pattern_ilp.node_solver``). In each
    node the linear relaxation of ``starmin.models.pattern_program.pattern_program`` is
    solved by HiGHS, and strengthened by group-count cuts
    (``starmin.models.pattern_program.pattern_program``). Its duals, rounded to whole
    numbers, are prices :math:`\lambda` and multipliers :math:`\mu` of the cuts
    :math:`\sum_{p \in I} y_p - \frac1r \sum_{p \in I, t \notin T} x_{pt} \le q`, and
    prove of all releases that agree with the decisions

    .. math::
        \sum_t \lambda_t s_t - \sum_c \mu_c q_c + \sum_p w_p, \qquad
        w_p = \min_x \sum_t \Big(cost_p - \lambda_t
            - \sum_{c : p \in I_c, t \notin T_c} \frac{\mu_c}{r_c}\Big) x_t
            + \sum_{c : p \in I_c} \mu_c

    over the rows x that make a group of an allowed height, or 0 where p may be empty
    and that is less. This number alone bounds a node: floating point finds prices, and
    proves nothing. Leaves whose bound reaches the incumbent are closed. The node with
    the lowest bound comes first; of the splits of fractional patterns that one is
    chosen whose sides gain most in a few steps of the dual simplex method (strong
    branching). Several workers each take a node at a time.

    Under distinct diversity, and with several sensitive columns, the last splits are of
    the rows of one type in one pattern. With several columns prices prove less than the
    relaxation, as each column is looked at alone: not every optimum is certified then.

    Before that, the prices of the root rule out pairs of a pattern and a distinct row
    that every better release does without. Where there are more than a million pairs,
    they are not listed before prices have ruled most of them out
    (``starmin.models.pattern_ilp.priced_program``).

    Suppressed tuples are the stars of a table with one column in which each distinct
    row has a value of its own.

    Parameters
    ----------
    table, requirement, objective
        The problem: k-anonymity, frequency l-diversity, distinct l-diversity or several
        of them; in every sensitive column; stars, tuples or gcp, with weights and kept
        columns.

    Returns
    -------
    Result
        Its certificate is the tree, and proves all of the bound.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, more than 20 columns to star, or, for distinct
        diversity, more than a million pairs of a pattern and a distinct row.

    See Also
    --------
    starmin.models.pattern_ilp.pattern_ilp :
        finds releases faster, and ends by searching such a tree.

    Notes
    -----
    Exponential in the worst case. Where cuts close the gap, the tree is one node.

    References
    ----------
    Land and Doig (1960), An automatic method of solving discrete programming problems.
    Fisher (1981), The Lagrangian relaxation method for solving integer programming
    problems. Applegate, Bixby, Chvatal and Cook (1995), Finding cuts in the TSP, for
    strong branching.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> result = branch_and_bound(table, KAnonymity(2))
    >>> result.value, result.certified_bound
    (4, 4)
    """
    if objective.once:
        return _minimise_tuples(
            *(table, requirement, objective),
            time_limit=time_limit,
            seed=seed,
            display=display,
            initial=initial,
            params=params,
        )
    whole = Run(table, requirement, objective, time_limit, display, BRANCH_AND_BOUND)

    def search() -> Limit | None:
        begin_at(whole, initial)
        run = run_with_prices(whole)
        if requirement.core.distinct > 1:
            program = _write_distinct(run)
            solution = LinearSolver(program.program).solve(run.remaining)
        else:
            try:
                program = write_program(run)
            except TooManyPairsError:
                return _search_priced(run, seed, params)
            solution = relax(run, program, LinearSolver(program.program))
        if solution is None:
            return Limit.TIME
        run.hear()
        if program.distinct == 1 and (program.l == 1 or len(table.sensitive) == 1):
            useful = solution.x[: program.incidences] >= 0
            share = _ROUNDING_SHARE if program.k == 1 else _ROUNDING_SHARE_OPENING
            offer_rounded(run, program, solution.x, useful, share, seed)
        duals = solution.dual[: len(program.types)]
        proven = prove(run, program, duals, params=params)
        return None if proven or run.remaining > 0 else Limit.TIME

    return whole.carry_out(search)


def _search_priced(run: Run, seed: int, params: TreeParams) -> Limit | None:
    """Search what prices leave of patterns that are too many to list."""
    found = priced_program(run, seed)
    if run.closed:
        return None
    if found is None:
        return Limit.ITERATIONS
    proven = prove(run, *found, params=params)
    return None if proven or run.remaining > 0 else Limit.TIME


_WRITTEN_A_SECOND = 150_000  # pairs of a type and a pattern, under distinct diversity


def _write_distinct(run: Run) -> PatternProgram:
    """Write the formulation under distinct diversity, all types being placed."""
    (k, l), distinct = Sought.of(run)[3:5], run.requirement.core.distinct
    types, least = run.table.sensitive_types, max(l, distinct)
    asked = run.table, types, run.objective, max(k, least), least, run.check_time
    patterns = closed_patterns(*asked, MAX_INCIDENCES)
    # Neither the writing of a program nor its loading looks at the clock.
    if len(patterns.types) > _WRITTEN_A_SECOND * run.remaining:
        raise TimeoutError
    return diverse_program(patterns, k, distinct, l)


def _minimise_tuples(
    table: Table, requirement: Requirement, objective: Objective, **options: Any
) -> Result:
    """Minimise the stars of the table in which they are suppressed tuples."""
    BRANCH_AND_BOUND.expect(requirement, objective)
    easier = TuplesAsStars.of(Problem(table, requirement, objective))
    assert easier is not None
    stars, whole = easier.problem.objective, easier.problem.table
    found = branch_and_bound(whole, requirement, objective=stars, **options)
    proof = found.certificate
    return replace(found, certificate=proof and easier.lift_proof(proof))
