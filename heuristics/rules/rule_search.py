"""Rows answer each other along prices, then moves open and close combinations."""

import math
from concurrent.futures import Executor

import numpy as np

from starmin.heuristics.rules import RULE_SEARCH
from starmin.heuristics.rules.answers import (
    Guide,
    answer_by_turns,
    fill_up,
    forget,
    repair_all,
)
from starmin.heuristics.rules.rows import COST, Rows, count_shown
from starmin.heuristics.rules.ruin import MOST_CHANGED, ruin
from starmin.heuristics.rules.search_params import PARAMS, RuleSearchParams
from starmin.instances import (
    STARS,
    Limit,
    Mask,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Ints
from starmin.instances.runs.cores import cores
from starmin.instances.runs.threads import Threads
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.price_steps import PriceSteps
from starmin.models.rules.program import RuleProgram
from starmin.models.rules.rule_ilp import close
from starmin.models.rules.rule_prices import raise_prices


def rule_search(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    workers: int | None = None,
    display: bool = False,
    stagnation: int = 20_000,
    params: RuleSearchParams = PARAMS,
) -> Result[Mask]:
    r"""Find few stars for rules over combinations, near to the bound of prices.

    Prices are raised first, as in ``rule_prices``; each row shows what is cheapest by
    them. Some combinations are then shown by too few rows. So rows *answer* what the
    others show, one after the other: each takes the set of columns whose stars and
    prices are least, plus a weight for each combination that this brings farther from
    nobody and from enough rows. Weights grow until nothing is left to mend; what does
    not come to be shown by enough rows is closed. Then moves open a combination or
    close one, rows answer, and what costs no more is kept (iterated local search). Each
    thread makes moves of its own; from time to time all go on from the best. Where few
    sets of columns are near to the bound, CP-SAT looks among them before, as in
    ``rule_ilp``; that often ends the search with a proof.

    Parameters
    ----------
    table, requirement, objective
        The problem: rules over combinations; stars or tuples.
    time_limit
        Seconds, of which prices get a share.
    seed
        Of the moves.
    workers
        Threads; default: one for each core.
    display
        Print progress to stderr.
    stagnation
        Stop after so many moves of each thread without a gain.
    params
        Constants of the search.

    Returns
    -------
    Result
        With the bound of the prices and its certificate.

    See Also
    --------
    starmin.models.rules.rule_prices : the bound alone.

    Examples
    --------
    >>> from starmin.instances import Combinations
    >>> rows = [["0", "x"], ["0", "y"], ["0", "y"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> rule_search(table, Combinations(2, 2))
    Result(value=2, lower_bound=2, optimal)
    """
    run = Run[Mask](
        *(table, requirement, objective, time_limit, display, RULE_SEARCH),
        workers=workers,
    )

    def search() -> Limit | None:
        program = RuleProgram.of(table, requirement, objective)
        slots = cores()
        with Threads(slots) as pool:
            function = PriceFunction(program, pool, slots)
            steps = PriceSteps(function)
            share = params.price_share * run.remaining
            run.begin("prices")
            raise_prices(run, steps, share, pool, slots)
            if not run.closed:
                run.begin("proof")
                close(run, steps, params.sets, params.proof_share * run.elapsed, seed)
            if run.closed:
                return None
            run.begin("moves")
            moves = _Moves(run, function, steps.best, params, seed, slots)
            return moves.search(pool, stagnation)

    return run.carry_out(
        search, lambda: run.offer(Mask.coarsest(table, requirement, objective))
    )


class _Moves:
    """Masks of a program, one for each thread, and moves that improve them."""

    def __init__(
        self,
        run: Run[Mask],
        function: PriceFunction,
        prices: Ints,
        params: RuleSearchParams,
        seed: int,
        workers: int,
    ) -> None:
        self.run, self.program, self.params = run, function.program, params
        program = function.program
        function.solve_types(prices)
        self.first = np.repeat(function.codes, program.copies)
        row = program.mean_star_cost * function.unit.per_cost
        self.rng = np.random.default_rng(seed)
        self.items = np.flatnonzero(np.diff(program.entries[0]))
        self.rows, self.guides = list[Rows](), list[Guide]()
        room = int(program.sets.max(initial=1))
        for _ in range(workers):
            own = program, function.unit.per_cost, self.first, 4 * MOST_CHANGED
            self.rows.append(Rows.of(*own))
            self.guides.append(
                Guide(
                    prices,
                    np.full(len(program.need), round(params.first * row)),
                    np.zeros(len(program.need) + 1, np.int64),
                    round(params.first * row),
                    max(1, round(params.step * row)),
                    round(params.most * row),
                    np.zeros(len(prices), np.int64),
                    np.zeros((2, room), np.int64),
                )
            )

    def search(self, pool: Executor, stagnation: int) -> Limit | None:
        """Start, and move until time or patience end."""
        workers = range(len(self.rows))
        list(pool.map(self._start, workers, self._seeds()))
        self._share()
        idle, params = 0, self.params
        while not self.run.closed and len(self.items):
            if self.run.remaining <= 0:
                return Limit.TIME
            calls = pool.map(self._move, workers, self._seeds())
            gained = sum(list(calls))
            self._share()
            idle = 0 if gained else idle + params.moves
            if idle >= stagnation:
                break
        return None

    def _seeds(self) -> list[int]:
        return [int(s) for s in self.rng.integers(0, 2**31 - 1, len(self.rows))]

    def _start(self, worker: int, seed: int) -> None:
        rows, guide, params = self.rows[worker], self.guides[worker], self.params
        answer_by_turns(rows, guide, params.turns, seed)
        if not repair_all(rows, guide, params.repairs):
            # All is hidden that may be: nobody shows anything too rare then.
            rows.codes[:] = self._coarsest()
            count_shown(rows)
        forget(guide)
        fill_up(rows, guide, seed)

    def _coarsest(self) -> Ints:
        program = self.program
        sets = program.sets - 1
        return np.repeat(program.codes(sets), program.copies)

    def _move(self, worker: int, seed: int) -> int:
        rows, guide = self.rows[worker], self.guides[worker]
        moves = self.params.moves
        return int(ruin(rows, guide, self.items, moves, seed))

    def _share(self) -> None:
        """Offer the best mask to the run; all threads go on from it."""
        best = min(self.rows, key=lambda rows: int(rows.numbers[COST]))
        mask = self.program.mask(best.codes)
        run = self.run
        if run.value is None or mask.value(run.table, run.objective) < run.value:
            run.offer(mask)
        for rows in self.rows:
            if rows.numbers[COST] > best.numbers[COST]:
                rows.codes[:] = best.codes
                count_shown(rows)
