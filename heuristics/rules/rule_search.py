"""Rows answer each other along prices, then moves open and close combinations."""

import math
from collections.abc import Callable
from concurrent.futures import Executor, wait

import numpy as np

from starmin.heuristics.rules import RULE_SEARCH
from starmin.heuristics.rules.answers import (
    Guide,
    answer_by_turns,
    fill_up,
    forget,
    repair_all,
)
from starmin.heuristics.rules.rows import COST, Rows, count_shown, hide_rare
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
from starmin.instances.runs.cores import cores, resting
from starmin.instances.runs.threads import Threads
from starmin.models.rules.price_function import PriceFunction
from starmin.models.rules.price_steps import PriceSteps
from starmin.models.rules.program import RuleProgram
from starmin.models.rules.rule_ilp import close
from starmin.models.rules.rule_prices import raise_prices

_TICK = 0.05  # seconds between looks at the clock


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
        self.ended = np.zeros(1, np.int64)
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
                    self.ended,
                )
            )

    def search(self, pool: Executor, stagnation: int) -> Limit | None:
        """Start, and move until time or patience end."""
        params, run = self.params, self.run
        self._in_time(pool, self._answer, params.turn_share * run.remaining)
        self._in_time(pool, self._mend, params.repair_share * run.remaining)
        self._in_time(pool, self._hasten, params.haste_share * run.remaining)
        # It is not watched: rows only ever hide more, so it soon ends.
        self._in_time(pool, self._settle, math.inf)
        self._in_time(pool, self._fill_up, params.fill_share * run.remaining)
        self._share()
        idle = 0
        while not run.closed and len(self.items):
            if run.remaining <= 0:
                return Limit.TIME
            gained = sum(self._in_time(pool, self._move, run.remaining))
            self._share()
            idle = 0 if gained else idle + params.moves
            if idle >= stagnation:
                break
        return None

    def _in_time(
        self, pool: Executor, call: Callable[[int, int], int], seconds: float
    ) -> list[int]:
        """Call for each worker with a seed; loops break off once the time is over."""
        self.ended[0] = 0
        end = self.run.elapsed + seconds
        workers = range(len(self.rows))
        seeds = self.rng.integers(0, 2**31 - 1, len(workers)).tolist()
        calls = [pool.submit(call, *each) for each in zip(workers, seeds, strict=True)]
        try:
            with resting():
                while wait(calls, _TICK).not_done:
                    left = min(end - self.run.elapsed, self.run.remaining)
                    self.ended[0] = int(left <= 0)
        finally:
            # An interrupt: the pool waits for its calls.
            self.ended[0] = 1
        return [call.result() for call in calls]

    def _answer(self, worker: int, seed: int) -> int:
        rows, guide = self.rows[worker], self.guides[worker]
        return int(answer_by_turns(rows, guide, self.params.turns, seed))

    def _mend(self, worker: int, _: int) -> int:
        rows, guide = self.rows[worker], self.guides[worker]
        return int(repair_all(rows, guide, self.params.repairs))

    def _hasten(self, worker: int, _: int) -> int:
        """Repair what is left by larger steps."""
        rows, guide = self.rows[worker], self.guides[worker]
        hasty = guide._replace(step=self.params.haste * guide.step)
        return int(repair_all(rows, hasty, self.params.repairs))

    def _settle(self, worker: int, _: int) -> int:
        """Leave nothing that too few rows show, whatever that costs."""
        rows, coarsest = self.rows[worker], self._coarsest()
        if not hide_rare(rows, coarsest):
            # All is hidden that may be: nobody shows anything too rare then.
            rows.codes[:] = coarsest
            count_shown(rows)
        forget(self.guides[worker])
        return 0

    def _fill_up(self, worker: int, seed: int) -> int:
        fill_up(self.rows[worker], self.guides[worker], seed)
        return 0

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
