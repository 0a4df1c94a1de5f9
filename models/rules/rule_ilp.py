"""The least stars for rules over combinations, by CP-SAT on what prices leave."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from ortools.sat.python import cp_model

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
from starmin.instances.arrays import Bools, Ints
from starmin.models.rules import RULE_ILP
from starmin.models.rules.price_function import NearSets, PriceFunction, PriceSteps
from starmin.models.rules.rule_bounds import raise_prices
from starmin.models.rules.rule_program import RuleProgram
from starmin.models.solvers.cp_sat_search import Watcher
from starmin.models.solvers.cp_sat_search import search as search_by_cp_sat

# The program of rules over some sets of each row type, as CP-SAT takes it.


class PricedSets(NamedTuple):
    """Sets that are near under prices, and what is asked of a mask of them."""

    # function, prices, proven: prices by entry, and the bound that they prove, in the
    # unit of the function
    function: PriceFunction
    prices: Ints
    proven: int
    sets: NearSets  # those that each open type may hide
    budget: int  # how far above that bound the cost may be, in the unit


class IntegerProgram(Watcher):
    r"""How many rows of each type hide each of its sets.

    Types with one set are settled; items that enough of their rows show ask nothing
    more. A mask costs the bound of the prices, and in addition the reduced costs of its
    sets and for each item what its rows pay less than the best fill:

    .. math::

        \sum_t c(S) z_{tS} = L(\pi) + \sum_{t,S} \bar c_{tS} z_{tS}
        + \sum_i \Big(\max(0, f_i) - \sum_t \pi_{ti} u_{ti}\Big).

    No part is negative, so the bound stands in the program from the start, and each
    part is at most what may be paid in addition.

    Masks of other sets, or above the budget, cost ``ceiling`` or more. ``check_time``
    raises where no time is left: a program of all items takes its time. ``model`` is
    what CP-SAT solves.
    """

    def __init__(
        self, priced: PricedSets, ceiling: int, check_time: Callable[[], None]
    ) -> None:
        super().__init__(ceiling=ceiling)
        self._check_time = check_time
        self.priced, self.sets = priced, priced.sets
        self.program = priced.function.program
        self.model = cp_model.CpModel()
        self._rows: dict[int, cp_model.IntVar] = {}  # by set of a free type
        self._losses = list[cp_model.LinearExprT]()
        self._free: Bools = np.diff(self.sets.starts) > 1
        self._choose()
        self._ask()

    def _choose(self) -> None:
        """Let the rows of each type that is free hide its sets."""
        program, starts = self.program, self.sets.starts
        types = np.repeat(program.choices.types, np.diff(starts))
        costs = program.costs_of(self.sets.codes, types)
        alone = np.flatnonzero(~self._free)
        settled = int(costs[starts[alone]] @ program.copies[alone])
        for t in np.flatnonzero(self._free).tolist():
            self._check_time()
            copies = int(program.copies[t])
            own = range(int(starts[t]), int(starts[t + 1]))
            for s in own:
                self._rows[s] = self.model.new_int_var(0, copies, "")
            some = [self._rows[s] for s in own]
            if copies == 1:
                self.model.add_exactly_one(some)
            else:
                self.model.add(sum(some) == copies)
        rows, numbers = list(self._rows.values()), list(self._rows)
        weights = costs[numbers].tolist()
        self._cost = (
            program.fixed + settled + cp_model.LinearExpr.weighted_sum(rows, weights)
        )
        self.model.minimize(self._cost)

    def _ask(self) -> None:
        """Ask that each item is shown by enough rows or by none."""
        program, choices, sets = self.program, self.program.choices, self.sets
        prices, owner, item = self.priced.prices, program.owner, choices.item
        starts, entries = program.entries
        single = sets.codes[sets.starts[:-1]][owner]
        free = self._free[owner] & (item >= 0)
        settled = (single & choices.care == choices.want) & ~self._free[owner]
        settled &= item >= 0
        base, paid = np.zeros((2, len(program.need)), np.int64)
        np.add.at(base, item[settled], program.copies[owner[settled]])
        own = prices[settled] * program.copies[owner[settled]]
        np.add.at(paid, item[settled], own)
        values = self.priced.function.solve_types(prices)
        fills = self.priced.function.constant + values - self.priced.proven
        left = fills - int(paid.sum())
        for i in np.unique(item[free | settled]).tolist():
            self._check_time()
            own = entries[starts[i] : starts[i + 1]]
            need, some = int(program.need[i] - base[i]), own[free[own]]
            if not len(some):
                if need > 0:
                    self.model.add_bool_or([])
                continue
            fill = self._fill(own, int(program.need[i]))
            left -= max(0, fill) - int(paid[i])
            self._ask_of(some, need, bool(base[i]), fill, int(paid[i]))
        self._bound_cost(left)

    def _fill(self, entries: Ints, need: int) -> int:
        """Return the best fill of an item that is shown."""
        copies = self.program.copies[self.program.owner[entries]]
        prices = self.priced.prices[entries]
        order = np.argsort(-prices, kind="stable")
        prices, copies = prices[order], copies[order]
        before = np.cumsum(copies) - copies
        taken = np.where(prices > 0, copies, np.clip(need - before, 0, copies))
        return int(prices @ taken)

    def _ask_of(
        self, entries: Ints, need: int, is_open: bool, fill: int, paid: int
    ) -> None:
        """Ask one item of the entries of free types: so many rows more, or none."""
        model, program = self.model, self.program
        showing = list[tuple[int, list[cp_model.IntVar]]]()
        rows, weights = list[cp_model.IntVar](), list[int]()
        for e in entries.tolist():
            self._check_time()  # by classes nearly all types have the item
            t = int(program.owner[e])
            if some := self._showing(t, e):
                showing.append((int(program.copies[t]), some))
                rows += some
                weights += len(some) * [int(self.priced.prices[e])]
        budget = self.priced.budget
        shown: cp_model.LinearExprT = 1
        if is_open and need > 0:
            model.add(sum(rows) >= need)
        elif not is_open:
            shown = model.new_bool_var("")
            for copies, some in showing:
                if copies == 1:
                    for z in some:
                        model.add_implication(z, shown)
                else:
                    model.add(sum(some) <= copies * shown)
            model.add(sum(rows) >= need * shown)
        loss = model.new_int_var(0, budget, "")
        worth = cp_model.LinearExpr.weighted_sum(rows, weights)
        model.add(loss == max(0, fill) - paid - worth)
        model.add(loss >= (max(0, fill) - fill) * shown)
        model.add(loss >= max(0, fill) * (1 - shown))
        self._losses.append(loss)

    def _bound_cost(self, left: int) -> None:
        """Write the cost as the bound and what is paid in addition."""
        priced, rows = self.priced, list(self._rows.values())
        over = self.sets.over[list(self._rows)].tolist()
        paid = cp_model.LinearExpr.weighted_sum(rows, over)
        extra = left + paid + sum(self._losses)
        self.model.add(extra <= priced.budget)
        unit = priced.function.unit.per_cost
        self.model.add(unit * self._cost == priced.proven + extra)

    def _showing(self, t: int, e: int) -> list[cp_model.IntVar]:
        """Return the rows of a type that show the item of an entry, by set."""
        choices, starts = self.program.choices, self.sets.starts
        care, want = int(choices.care[e]), int(choices.want[e])
        own = range(int(starts[t]), int(starts[t + 1]))
        return [self._rows[s] for s in own if int(self.sets.codes[s]) & care == want]

    def hint(self, codes: Sequence[int]) -> None:
        """Name a mask to begin with, by the codes of the copies of open types."""
        at = 0
        for t, copies in enumerate(self.program.copies.tolist()):
            own = list(codes[at : at + copies])
            at += copies
            if self._free[t]:
                for s in range(int(self.sets.starts[t]), int(self.sets.starts[t + 1])):
                    number = own.count(int(self.sets.codes[s]))
                    self.model.add_hint(self._rows[s], number)

    def release(self) -> Mask:
        """Return the mask of the solution that was just found."""
        return self.program.mask(self.codes())

    def codes(self) -> Ints:
        """Return the codes of the copies of open types."""
        starts, codes = self.sets.starts, list[int]()
        for t, copies in enumerate(self.program.copies.tolist()):
            first, last = int(starts[t]), int(starts[t + 1])
            if last - first == 1:
                codes += copies * [int(self.sets.codes[first])]
                continue
            for s in range(first, last):
                codes += self.value(self._rows[s]) * [int(self.sets.codes[s])]
        return np.array(codes, np.int64)


MOST_SETS = 500_000
_PRICE_SHARE = 0.3  # of the time
_FIRST_SLACK = 0.25  # in mean costs of a star


def rule_ilp(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
) -> Result[Mask]:
    r"""Solve rules over combinations exactly on small tables.

    The program of ``models.rules.rule_program`` says how many rows of each type show
    which columns, and which combinations are shown at all. Prices, as in
    ``rule_prices``, give a bound L. A mask that costs L + s or less has only sets whose
    reduced cost, by these prices, is s or less: each row with another one would bring
    it above. So CP-SAT solves the program over the sets within s, s is doubled until
    that has a solution, and then widened once, to what a cheaper mask could have:

    .. math:: OPT \ge \min(OPT_s,\ \lfloor L + s \rfloor + 1).

    Parameters
    ----------
    table, requirement, objective
        The problem: rules over combinations; stars or tuples.
    time_limit, display
        Seconds; progress is printed to stderr.
    seed
        For the solver's random choices.

    Returns
    -------
    Result
        The certificate is that of the prices, whose bound may be below the optimum.

    See Also
    --------
    starmin.heuristics.rules.rule_search : finds masks of large tables.

    Examples
    --------
    >>> from starmin.instances import Combinations
    >>> rows = [["0", "x"], ["0", "y"], ["0", "y"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> rule_ilp(table, Combinations(2, 2))
    Result(value=2, lower_bound=2, optimal)
    """
    run = Run[Mask](table, requirement, objective, time_limit, display, RULE_ILP)

    def search() -> Limit | None:
        program = RuleProgram.of(table, requirement, objective, run.check_time)
        function = PriceFunction(program)
        steps = PriceSteps(function)
        raise_prices(run, steps, _PRICE_SHARE * run.remaining)
        if close(run, steps, MOST_SETS, math.inf, seed):
            return None
        return Limit.MEMORY if run.remaining > 0 else Limit.TIME

    return run.carry_out(
        search, lambda: run.offer(Mask.coarsest(table, requirement, objective))
    )


def close(
    run: Run[Mask], steps: PriceSteps, most: int, seconds: float, seed: int
) -> bool:
    """Solve the program over more and more sets, until no other can be cheaper.

    Returns whether that ended, not for the time (``seconds``) or because the sets were
    too many (``most``). The run learns what is found; ``steps`` has the prices.
    """
    function = steps.function
    unit, proven, end = function.unit.per_cost, steps.value, run.elapsed + seconds
    slack = round(_FIRST_SLACK * function.program.mean_star_cost * unit)

    def check_time() -> None:
        run.check_time()
        if run.elapsed > end:
            raise TimeoutError

    while not run.closed:
        if run.value is not None:
            slack = min(slack, (run.value - 1) * unit - proven)
        # A mask of these sets at just that cost is optimal: the budget allows for it.
        ceiling = (proven + slack) // unit + 1
        try:
            sets = NearSets.of(function, steps.best, slack, most, check_time)
            if sets is None:
                return False
            priced = PricedSets(function, steps.best, proven, sets, slack + unit)
            program = IntegerProgram(priced, ceiling, check_time)
        except TimeoutError:
            return False
        left = end - run.elapsed
        search_by_cp_sat(program.model, run, program, "rule_ilp", seed, seconds=left)
        if run.remaining <= 0 or run.elapsed > end:
            return run.closed
        slack = 2 * slack + 1
    return True
