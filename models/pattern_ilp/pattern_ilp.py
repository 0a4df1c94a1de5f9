"""The pattern formulation solved to proven optimality, or as near as time allows."""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from starmin.instances import (
    STARS,
    Limit,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Floats
from starmin.instances.runs.checkpoint import begin_at
from starmin.models.bounds.pattern_lp import relax, write_program
from starmin.models.distinct.distinct_prices import DistinctParams
from starmin.models.lagrangian_relaxation.price_bound import lagrangian_fixing
from starmin.models.pattern_ilp import PATTERN_ILP
from starmin.models.pattern_ilp.split_counts import DEFAULTS, TreeParams
from starmin.models.pattern_program.cut_separation import group_cuts
from starmin.models.pattern_program.destroy_operators import offer_rounded
from starmin.models.pattern_program.kernel_search import (
    Strengthened,
    kernel_search,
    reduced_cost_fixing,
)
from starmin.models.pattern_program.pattern_program import PatternProgram, cut_rows
from starmin.models.patterns.coarse_losses import run_with_prices
from starmin.models.patterns.patterns import (
    TooManyPairsError,
    expect_no_tuples,
    expect_stars,
)
from starmin.models.solvers.linear_solver import (
    LinearSolver,
    LpSolution,
    note_relaxation,
)
from starmin.models.solvers.mip_search import KernelSearchParams
from starmin.models.solvers.program import Rows


@dataclass(frozen=True)
class PatternIlpParams:
    """Constants that steer the exact search."""

    cut_rounds: int = 12  # rounds of group-count cuts at most
    cut_share: float = 0.15  # share of the time that is left for them
    # cuts end with a round that raises the bound by less than this share of it
    cut_gain: float = 1e-4
    # round_share, round_share_opening: share of the time that is left for rounding the
    # relaxation: where no pattern is opened by a binary, so that the relaxation is all
    # but integral, and where some are
    round_share: float = 0.2
    round_share_opening: float = 0.05
    kernel: KernelSearchParams = field(default_factory=KernelSearchParams)
    # the search under distinct l-diversity
    distinct: DistinctParams = field(default_factory=DistinctParams)
    # where there are more than a million pairs, whether those are searched that prices
    # leave; else they are refused
    priced: bool = True
    # root_incidences, root_share, root: from this size on, the bound of the cuts is
    # certified before the search, in at most this share of the time that is left; and
    # with these parameters a tree is searched where the first release is so good that
    # little else is left
    root_incidences: int = 10_000
    root_share: float = 0.15
    root: TreeParams = field(default_factory=lambda: TreeParams(most_incidences=10_000))
    # proof_share, proof_seconds: where the search ends before the time, a tree is
    # searched that certifies the optimum: for what is left of the time or, if there is
    # no limit, for so many times the time until then, and at least so many seconds
    proof_share: float = 1.0
    proof_seconds: float = 10.0


def pattern_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
    params: PatternIlpParams = PatternIlpParams(),
) -> Result:
    r"""Solves star minimisation exactly: k-anonymity, l-diversity or both.

    l-diversity in its frequency form or, by
    ``starmin.models.distinct.distinct_reduction``, its distinct one.

    The formulation is that of ``starmin.models.pattern_program.pattern_program`` over
    the closed patterns with enough support: integer ``x[p, t]`` copies of distinct row
    t are released as pattern p; for k-anonymity a binary ``y[p]`` opens a pattern. It
    is exact since the groups of a release that render alike are one pattern, and a
    pattern that is not closed can be exchanged for the closed one on the same types.

    The search has three steps. (1) The linear relaxation gives prices, the certified
    bound, and for k-anonymity group-count cuts
    (``starmin.models.pattern_program.pattern_program``) are added to it. (2) For each
    pair (p, t) the relaxation tells what a release must cost at least that uses it
    (``starmin.models.lagrangian_relaxation.price_bound``,
    ``starmin.models.pattern_program.kernel_search``). A *kernel* of the
    pairs with the lowest such costs is searched with much effort on heuristics
    (kernel search); then neighbourhoods of the incumbent are solved anew
    (``starmin.models.pattern_program.destroy_operators``). Whatever a kernel's own
    optimum, no release costs less than the smaller of it and the cheapest pair
    left out. (3) Concurrently the whole program is searched for the bound, without the
    pairs that cost too much to be in a better release than the best one known. The
    first release comes from the relaxation itself
    (``starmin.models.pattern_program.destroy_operators``).

    Every solution is rounded, dealt to its open patterns anew by a min-cost flow
    (k-anonymity), rebuilt as a partition and recounted.

    Parameters
    ----------
    table, requirement, objective
        The problem: ``KAnonymity``, ``LDiversity`` (frequency), ``DistinctDiversity``
        (either in every sensitive column) or several of them; stars or gcp, with
        weights and kept columns.

    Returns
    -------
    Result
        Its certificate is a tree (``starmin.models.pattern_ilp.branch_and_bound``) that
        proves the value optimal, where one was found in time; else it proves the bound
        of the prices. What branch and bound of the solver proves beyond that, and for
        distinct diversity all, is the solver's word.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, more than 20 columns to star, or, for distinct
        diversity, too many pairs of a pattern and a distinct row.

    See Also
    --------
    starmin.models.bounds.pattern_lp : the relaxation alone.
    starmin.models.tuples.tuple_ilp : the fewest suppressed tuples.

    Notes
    -----
    Two threads. 214,144 rows by 5 columns (k = 5, 20) are proven in seconds, 30,162
    rows by 4 or 5 columns in seconds (k = 2) to a gap of a few tenths of a per cent
    in two minutes (k = 5). Memory grows with the pairs: at most 2^d per type.

    Distinct diversity, where only rows that are no group must be placed
    (``starmin.models.distinct.distinct_reduction``), Adult by 5 columns, occupation
    sensitive: 876 stars for l = 2, proven in 5 to 20 s; 2,847 for l = 4 after a minute,
    bound 2,840. 7 columns are too many for value and bound alike: better
    ``local_search``.

    References
    ----------
    Chakaravarthy, Pandit and Sabharwal (2010), section 4; Bredereck, Nichterlein and
    Niedermeier, Pattern-Guided k-Anonymity (2013).

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> rows = [["x", "a", "b"], ["z", "c", "d"], ["y", "a", "b"], ["z", "c", "e"]]
    >>> table = Table.from_rows(["1", "2", "3"], rows, qi=["1", "2", "3"])
    >>> result = pattern_ilp(table, KAnonymity(2))
    >>> result.value, result.status.value
    (4, 'optimal')
    """
    expect_no_tuples(objective)
    if requirement.core.distinct > 1:
        expect_stars(objective)
    run = Run(table, requirement, objective, time_limit, display, PATTERN_ILP)

    def search() -> Limit | None:
        begin_at(run, initial)
        if requirement.core.distinct > 1:
            from starmin.models.distinct.distinct_search import solve_distinct

            done = solve_distinct(run, seed, params.distinct)
        else:
            done = _solve(run_with_prices(run), seed, params)
        return None if done else Limit.TIME

    return run.carry_out(search)


def _solve(run: Run, seed: int, params: PatternIlpParams) -> bool:
    """Relax, tighten, round and search; whether it ended before the time did."""
    try:
        program = write_program(run)
    except TooManyPairsError:
        if not params.priced:
            raise
        return _solve_priced(run, seed, params)
    solver = LinearSolver(program.program)
    solution = relax(run, program, solver)
    if solution is None:
        return False
    rank = _rank(program, solution)
    solution, cuts = _tighten(run, program, solver, solution, params)
    tight = replace(program.program, rows=program.program.rows + cuts)
    note_relaxation(run, tight, solution, "pattern_ilp")
    least = np.maximum(rank, reduced_cost_fixing(program, solution, tight))
    problem = Strengthened(run, program, cuts, least, rank, seed)
    useful = rank <= problem.threshold(params.kernel.kernel_size)
    share = params.round_share if program.k == 1 else params.round_share_opening
    offer_rounded(run, program, solution.x, useful, share, seed)
    if cuts and not run.closed and program.incidences >= params.root_incidences:
        limit = params.root_share * run.remaining
        _prove(run, program, solution, limit, params.root)
    done = run.closed or kernel_search(problem, params.kernel)
    if done:
        _certify(run, program, solution, params)
    return done


def _solve_priced(run: Run, seed: int, params: PatternIlpParams) -> bool:
    """Search what prices leave of patterns that are too many to list."""
    from starmin.models.pattern_ilp.priced_program import priced_program
    from starmin.models.pattern_ilp.prove import prove

    found = priced_program(run, seed)
    if run.closed:
        return True
    if found is None:
        return False
    program, prices = found
    whole = program.patterns.unit.whole(prices)
    least = lagrangian_fixing(program.patterns, whole, program.k, program.l)
    rank = least / program.patterns.unit.per_cost
    problem = Strengthened(run, program, (), rank, rank, seed)
    done = kernel_search(problem, params.kernel)
    if done and run.remaining > 0:
        prove(run, program, prices, run.remaining)
    return done


def _certify(
    run: Run, program: PatternProgram, solution: LpSolution, params: PatternIlpParams
) -> None:
    """Search a tree that proves the value optimal, where nothing else certified it."""
    certified = -1 if run.certificate is None else run.certificate.bound
    if run.is_enough(certified):
        return
    limit = max(params.proof_seconds, params.proof_share * run.elapsed)
    if math.isfinite(run.time_limit):
        limit = run.remaining
    _prove(run, program, solution, limit)


def _prove(
    run: Run,
    program: PatternProgram,
    solution: LpSolution,
    limit: float,
    params: TreeParams = DEFAULTS,
) -> None:
    """Search a tree."""
    from starmin.models.pattern_ilp.prove import prove  # has a dozen loops

    duals = solution.dual[: len(program.types)]
    prove(run, program, duals, limit, params)


def _rank(program: PatternProgram, solution: LpSolution) -> Floats:
    """Return what releases with an incidence cost at least, to choose kernels by.

    Prices are sharper where patterns must be opened. For l-diversity many incidences
    cost the same by prices alone, and the duals of the diversity rows tell more.
    """
    if program.l > 1:
        return reduced_cost_fixing(program, solution)
    unit = program.patterns.unit
    prices = unit.whole(solution.dual[: len(program.types)])
    least = lagrangian_fixing(program.patterns, prices, program.k)
    return np.asarray(least / unit.per_cost)


def _tighten(
    run: Run,
    program: PatternProgram,
    solver: LinearSolver,
    solution: LpSolution,
    params: PatternIlpParams,
) -> tuple[LpSolution, tuple[Rows, ...]]:
    """Add group-count cuts as long as they raise the bound."""
    cuts: list[Rows] = []
    started, budget = run.elapsed, params.cut_share * run.remaining
    while program.k > 1 and len(cuts) < params.cut_rounds:
        found = group_cuts(program, solution.x)
        if not found or run.elapsed - started > budget:
            break
        rows = cut_rows(program, found)
        solver.add(rows)
        tighter = solver.solve(run.remaining)
        if tighter is None:
            break
        cuts.append(rows)
        gained, solution = tighter.value - solution.value, tighter
        if gained < params.cut_gain * max(1.0, solution.value) and len(cuts) > 1:
            break
    return solution, tuple(cuts)
