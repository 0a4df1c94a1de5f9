"""Rows answer each other along prices, then moves open and close combinations."""

import math
from collections.abc import Callable
from concurrent.futures import Executor, wait

import numpy as np

from starmin.heuristics.rules import RULE_SEARCH
from starmin.heuristics.rules.answers import (
    MOST_CHANGED,
    Guide,
    answer_by_turns,
    fill_up,
    forget,
    repair_all,
    ruin,
)
from starmin.heuristics.rules.rows import CHANGED, COST, FEW, Rows, count_shown, hide
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
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.runs.cores import Threads, cores, resting
from starmin.models.rules.price_function import PriceFunction, PriceSteps
from starmin.models.rules.rule_bounds import grow_trees, raise_prices
from starmin.models.rules.rule_ilp import close
from starmin.models.rules.rule_program import RuleProgram
from starmin.models.rules.set_pool import weaker


@compiled
def hide_rare(rows: Rows, coarsest: Ints) -> bool:
    """Let rows hide more until too few show nothing; False where something is left.

    Those who show something rare hide one more of its columns. Where what is rare is
    that all is hidden, further rows hide all. Rows only ever hide more, so this ends
    soon. ``coarsest`` is by row the code that hides all.
    """
    while rows.numbers[FEW]:
        i, changed = rows.few[0], False
        for further in (False, True):
            if changed:
                break
            for x in range(rows.starts[i], rows.starts[i + 1]):
                e = rows.entries[x]
                care, want = rows.choices.care[e], rows.choices.want[e]
                t = rows.entry_owner[e]
                for r in range(rows.row_starts[t], rows.row_starts[t + 1]):
                    if rows.place[i] < 0 or rows.codes[r] == coarsest[r]:
                        continue
                    if (rows.codes[r] & care == want) == further:
                        continue
                    code = coarsest[r]
                    if not further:
                        code = _one_more(rows, r, care, code)
                    rows.numbers[CHANGED] = 0
                    hide(rows, r, code)
                    changed = True
        if not changed:
            return False
    return True


@inner
def _one_more(rows: Rows, r: int, care: int, coarsest: int) -> int:
    """Return a code that hides one more of some columns, and shows least rare."""
    best, least = coarsest, 1 << 30
    for a in range(len(rows.bits)):
        left = rows.bits[a] & coarsest & ~rows.codes[r]
        if left & care == 0:
            continue
        code = rows.codes[r] | (left & -left)
        found = _rare_shown(rows, r, code)
        if 0 <= found < least:
            best, least = code, found
    return int(best)


@inner
def _rare_shown(rows: Rows, r: int, code: int) -> int:
    """Return how much a row would show that is too rare then; -1: that never may be."""
    choices, t, found = rows.choices, rows.owner[r], 0
    for e in range(choices.starts[t], choices.starts[t + 1]):
        i, care, want = choices.item[e], choices.care[e], choices.want[e]
        if code & care != want:
            continue
        if i < 0:
            return -1
        more = rows.codes[r] & care != want
        if rows.shown[i] + more < rows.need[i]:
            found += 1
    return found


_TICK = 0.05  # seconds between looks at the clock


class Moves:
    """Masks of a program, one for each thread, and moves that improve them."""

    def __init__(
        self,
        run: Run[Mask],
        function: PriceFunction,
        prices: Ints,
        params: RuleSearchParams,
        seed: int,
        workers: int,
        codes: Ints | None = None,
    ) -> None:
        self.run, self.program, self.params = run, function.program, params
        program = function.program
        function.solve_types(prices)
        # What rows hide at first: what is cheapest, or what is nearly a mask.
        self.first = np.repeat(function.codes, program.copies)
        if codes is not None:
            self.first = codes
        row = program.mean_star_cost * function.unit.per_cost
        items = max(1, len(prices)) / max(1, len(program))
        first = round(min(params.first, params.together / items) * row)
        least = function.values + program.base_costs * function.unit.per_cost
        # By classes a set is shown by its whole class or not at all: no row's own wish.
        self.wishes = params.wishes if weaker(run.requirement) is None else 0.0
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
                    np.full(len(program.need), first),
                    np.zeros(len(program.need) + 1, np.int64),
                    first,
                    max(1, round(params.step * row)),
                    round(params.most * row),
                    least,
                    round(row),
                    np.zeros(len(prices), np.int64),
                    np.zeros((2, room), np.int64),
                    self.ended,
                )
            )

    @property
    def best(self) -> Ints:
        """What the copies of open types hide in the best mask."""
        return min(self.rows, key=lambda rows: int(rows.numbers[COST])).codes

    def search(self, pool: Executor, stagnation: int) -> None:
        """Start, and move until patience or this share of the time end."""
        params, run, program = self.params, self.run, self.program
        coarsest = np.repeat(program.codes(program.sets - 1), program.copies)

        def answer(rows: Rows, guide: Guide, seed: int) -> int:
            return int(answer_by_turns(rows, guide, params.turns, seed))

        def mend(rows: Rows, guide: Guide, _: int) -> int:
            return int(repair_all(rows, guide, params.repairs))

        def hasten(rows: Rows, guide: Guide, seed: int) -> int:
            hasty = guide._replace(step=params.haste * guide.step)
            return mend(rows, hasty, seed)

        def settle(rows: Rows, guide: Guide, _: int) -> int:
            if not hide_rare(rows, coarsest):
                # All is hidden that may be: nobody shows anything too rare then.
                rows.codes[:] = coarsest
                count_shown(rows)
            forget(guide)
            return 0

        def move(rows: Rows, guide: Guide, seed: int) -> int:
            given = self.items, params.moves, self.wishes, seed
            return int(ruin(rows, guide, *given))

        self._in_time(pool, answer, params.turn_share * run.remaining)
        self._in_time(pool, mend, params.repair_share * run.remaining)
        self._in_time(pool, hasten, params.haste_share * run.remaining)
        # It is not watched: rows only ever hide more, so it soon ends.
        self._in_time(pool, settle, math.inf)
        self._in_time(pool, fill_up, params.fill_share * run.remaining)
        self._share()
        idle, end = 0, run.elapsed + params.move_share * run.remaining
        while not run.closed and len(self.items) and idle < stagnation:
            if (left := min(end - run.elapsed, run.remaining)) <= 0:
                break
            gained = sum(self._in_time(pool, move, left))
            self._share()
            idle = 0 if gained else idle + params.moves

    def _in_time(
        self, pool: Executor, call: Callable[..., int], seconds: float
    ) -> list[int]:
        """Call for each mask with a seed; loops break off once the time is over."""
        self.ended[0] = 0
        end = self.run.elapsed + seconds
        seeds = self.rng.integers(0, 2**31 - 1, len(self.rows)).tolist()
        given = zip(self.rows, self.guides, seeds, strict=True)
        calls = [pool.submit(call, *each) for each in given]
        try:
            with resting():
                while wait(calls, _TICK).not_done:
                    left = min(end - self.run.elapsed, self.run.remaining)
                    self.ended[0] = int(left <= 0)
        finally:
            # An interrupt: the pool waits for its calls.
            self.ended[0] = 1
        return [call.result() for call in calls]

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


MOVES = 20  # that an integer program counts for, where patience is counted


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

    Prices are raised first, and trees grown, as in ``rule_prices``; each row shows what
    is cheapest by them. Some combinations are then shown by too few rows. So rows
    *answer* what the others show, one after the other: each takes the set of columns
    whose stars and prices are least, plus a weight for each combination that this
    brings farther from nobody and from enough rows. Weights grow until nothing is left
    to mend; what does not come to be shown by enough rows is closed. Then moves let a
    row that pays much show a cheaper set, open a combination or close one; rows answer,
    and what costs no more is kept (iterated local search). Each thread makes moves of
    its own; from time to time all go on from the best. Where few sets of columns are
    near to the bound, CP-SAT looks among them before, as in ``rule_ilp``; that often
    ends the search with a proof. Of rules by classes the bound is a linear relaxation;
    rows begin with its largest sets of columns, and integer programs of neighbourhoods
    mend what is then shown by too few, where each row that is lacking costs some stars.

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
    stagnation
        Stop after so many moves of each thread without a gain; an integer program
        counts for twenty.

    Returns
    -------
    Result
        With the bound of the prices and its certificate.

    See Also
    --------
    starmin.models.rules.rule_bounds : the bound alone.

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
        program = RuleProgram.of(table, requirement, objective, run.check_time)
        slots = cores()
        with Threads(slots) as pool:
            function = PriceFunction(program, pool, slots)
            steps = PriceSteps(function)
            classes = weaker(requirement) is not None
            share = params.class_share if classes else params.price_share
            run.begin("prices")
            raised = raise_prices(run, steps, share * run.remaining)
            prices, first = steps.best, None
            if raised.relaxation is not None and run.remaining > 0 and not run.closed:
                first = raised.relaxation.codes()
            if run.remaining > 0 and not run.closed and raised.ended:
                run.begin("trees")
                share = params.class_tree_share if classes else params.tree_share
                share *= run.remaining
                prices = grow_trees(run, steps, share).prices()
            if not run.closed and raised.ended:
                run.begin("proof")
                most = max(params.moment, params.proof_share * run.elapsed)
                close(run, steps, params.sets, min(most, run.remaining / 2), seed)
            if run.closed:
                return None
            # HiGHS takes a moment to import.
            from starmin.heuristics.rules.neighbourhoods import Neighbourhoods

            if first is not None:
                run.begin("neighbourhoods")
                parts = Neighbourhoods(run, function, prices, first, params, seed)
                if parts.mend(slots, params.mend_share * run.remaining):
                    return parts.search(slots, stagnation // MOVES)
                first = parts.codes
            run.begin("moves")
            moves = Moves(run, function, prices, params, seed, slots, first)
            moves.search(pool, stagnation)
        if run.closed or not len(moves.items):
            return None
        run.begin("neighbourhoods")
        function = PriceFunction(program)
        parts = Neighbourhoods(run, function, prices, moves.best, params, seed)
        return parts.search(slots, stagnation // MOVES)

    return run.carry_out(
        search, lambda: run.offer(Mask.coarsest(table, requirement, objective))
    )
