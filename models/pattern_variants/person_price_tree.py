"""Certificates where all rows of a person are published alike: a tree of prices."""

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from starmin.instances import Certificate, NotSupportedError, Objective, Persons, Table
from starmin.instances.arrays import Ints, distinct
from starmin.instances.releases.objective import tuples_as_stars
from starmin.instances.runs.search_control import Pace
from starmin.models.pattern_variants.person_ilp import Items, list_person_patterns
from starmin.models.solvers.linear_solver import LinearSolver, LpSolution
from starmin.models.solvers.program import PatternColumns, Program

KIND = "persons"
_MOST_PAIRS = 50_000  # of a pattern and a type: the relaxation is solved at each node
_MOST_NODES = 1_000
_UNIT = 1 << 20  # prices are multiples of 1 / _UNIT
_WHOLE = 1e-6


def prove_together(
    table: Table, asked: Persons, objective: Objective, value: int, seconds: float
) -> Certificate | None:
    r"""Prove that no release with all rows of a person alike costs less than a value.

    The relaxation deals persons of type t to patterns p that fit them,

    .. math::

        \min \sum_{tp} w_t cost_p x_{tp} \quad \text{subject to} \quad
        \sum_p x_{tp} = m_t, \quad x_{tp} \le m_t y_p, \quad
        \sum_t x_{tp} \ge K y_p, \quad 0 \le y_p \le 1.

    Its duals are prices, which prove a bound in whole numbers
    (``starmin.verify.checker.unions``). Where that is less than the value, a
    fractional :math:`y_p` is decided both ways.

    The requirement has all rows of a person in one group. The certificate is of the
    root alone where the tree is not done in so many ``seconds``; None where there are
    too many patterns, or highest levels.

    Examples
    --------
    >>> from starmin.instances import STARS, KAnonymity
    >>> rows = [["1", "p"], ["1", "p"], ["2", "q"], ["2", "r"]]
    >>> table = Table.from_rows(["a", "id"], rows, qi=["a"])
    >>> asked = Persons.of(table, KAnonymity(2), "id", pseudonym=True)
    >>> prove_together(table, asked, STARS, 4, 9.0).bound
    4
    """
    if objective.scales is not None and objective.scales.roofs:
        return None
    given, goal = table, objective
    if objective.once:
        with_ids = table.with_roles(table.qi, (asked.column,))
        given, goal = tuples_as_stars(with_ids, objective)
    try:
        tree = _Tree.of(given, asked, goal, value, time.monotonic() + seconds)
    except (NotSupportedError, TimeoutError):
        return None
    found = tree.search()
    if found is None:
        return None
    bound, nodes = found
    data = {"denominator": _UNIT, "patterns": tree.named, "nodes": nodes}
    return Certificate.of(table, asked, objective, KIND, bound, data)


@dataclass(eq=False)
class _Tree:
    """The types of persons, the patterns that fit them, and what is decided."""

    # rows, persons: by type: how many rows each person has, and how many persons there
    # are
    rows: Ints
    persons: Ints
    least: int  # how many persons a group has
    cost: Ints  # of a row, by pattern
    # pattern, member: the pairs of a pattern and a type that fits it, by pattern
    pattern: Ints
    member: Ints
    value: int  # value, end: what is to be proven, and until when
    end: float
    named: list[list[int]] = field(default_factory=list)

    @classmethod
    def of(
        cls, table: Table, asked: Persons, goal: Objective, value: int, end: float
    ) -> "_Tree":
        """Return what is to be solved; raise NotSupportedError where it is too much."""
        table = table.with_roles(table.qi)
        scales = goal.scales_of(table)
        items = Items.of(table, asked, scales)
        pace = Pace(remaining=lambda: end - time.monotonic())
        listing = list_person_patterns(items, goal, 10 * _MOST_PAIRS, pace)
        _, first = np.unique(items.of_row, return_index=True)
        few = table.take(first)
        cells = [[text or "" for text in few.cells(column)] for column in table.qi]
        keys = [*zip(*cells, items.copies.tolist(), strict=True)]
        place = {key: t for t, key in enumerate(sorted(set(keys)))}
        of_item = np.array([place[key] for key in keys])
        size = len(place)
        pairs = distinct(listing.pattern * size + of_item[listing.item])
        if len(pairs) > _MOST_PAIRS:
            raise NotSupportedError("Expected fewer patterns and persons.")
        rows = np.zeros(size, np.int64)
        rows[of_item] = items.copies
        persons = np.bincount(of_item, minlength=size)
        ends = pairs // size, pairs % size
        return cls(rows, persons, asked.least, listing.cost, *ends, value, end)

    def search(self) -> tuple[int, list[dict[str, Any]]] | None:
        """Return what is proven, and the nodes; None where nothing is."""
        if len(self.cost) == 0 or self._largest >= 2**60:
            return None
        nodes = list[dict[str, Any]]()
        waiting = [_Decided(frozenset(), frozenset())]
        names, at_root = dict[int, int](), None
        while waiting:
            decided = waiting.pop()
            solution = self._solve(decided) if len(nodes) < _MOST_NODES else None
            if solution is None:
                return at_root
            prices = np.rint(solution.dual[: len(self.rows)] * _UNIT).astype(np.int64)
            bound = -(-self._bound(prices, decided) // _UNIT)
            leaf = {"prices": prices.tolist()}
            if not nodes:
                at_root = (min(bound, self.value), [leaf]) if bound > 0 else None
            if bound >= self.value:
                nodes.append(leaf)
                continue
            p = self._fractional(solution)
            if p is None:
                return at_root
            nodes.append({"split": names.setdefault(p, len(names))})
            closed, opened = decided
            waiting += [_Decided(closed, opened | {p}), _Decided(closed | {p}, opened)]
        self.named = [self.member[self.pattern == p].tolist() for p in names]
        return self.value, nodes

    @cached_property
    def _largest(self) -> int:
        """A cost that no release reaches, in units: what is left undealt costs more."""
        whole = int(self.cost.max()) * int((self.rows * self.persons).sum())
        return 4 * _UNIT * (whole + self.value + 1) * (self.least + 1)

    @cached_property
    def _program(self) -> Program:
        """The columns x, y, and what is left undealt, by type and by pattern."""
        paid = 100 * (self.value + int(self.cost.max()) + 1)
        dealt = self.pattern, self.member, self.cost, self.persons
        most, rows = self.persons[self.member], self.rows[self.member]
        made = PatternColumns(*dealt, most, rows, integer=False)
        y = made.add(made.count, integer=False)
        types = np.arange(len(self.rows))
        undealt = made.add(len(types), paid, self.persons, integer=False)
        lacking = made.add(len(y), paid, self.least, integer=False)
        enough = made.enough(y, self.least).plus((np.arange(len(y)), lacking, 1))
        made.rows = [made.rows[0].plus((types, undealt, 1)), made.only(y), enough]
        return made.program()

    def _solve(self, decided: "_Decided") -> LpSolution | None:
        """Solve the relaxation of a node; None where there is no time for it."""
        seconds = self.end - time.monotonic()
        if seconds <= 0:
            return None
        program, pairs = self._program, len(self.member)
        lower, upper = program.lower.copy(), program.upper.copy()
        lower[pairs + np.array(sorted(decided.opened), np.int64)] = 1.0
        upper[pairs + np.array(sorted(decided.closed), np.int64)] = 0.0
        return LinearSolver(replace(program, lower=lower, upper=upper)).solve(seconds)

    def _bound(self, prices: Ints, decided: "_Decided") -> int:
        """Return what prices prove of a node, in units."""
        loss = _UNIT * self.cost[self.pattern] * self.rows[self.member]
        loss = loss - prices[self.member]
        order = np.lexsort((loss, self.pattern))
        loss, pattern = loss[order], self.pattern[order]
        persons = self.persons[self.member][order]
        starts = np.searchsorted(pattern, np.arange(len(self.cost)))
        before = np.cumsum(persons) - persons
        before -= before[starts][pattern]
        taken = np.where(loss < 0, persons, np.clip(self.least - before, 0, persons))
        worth = np.add.reduceat(loss * taken, starts)
        opened = np.zeros(len(self.cost), bool)
        opened[sorted(decided.opened)] = True
        worth = np.where(opened, worth, np.minimum(worth, 0))
        worth[sorted(decided.closed)] = 0
        return int((prices * self.persons).sum()) + int(worth.sum())

    def _fractional(self, solution: LpSolution) -> int | None:
        """Return the pattern that is nearest to half open; None: there is none."""
        y = solution.x[len(self.member) :][: len(self.cost)]
        near = np.minimum(y, 1.0 - y)
        p = int(near.argmax())
        return p if near[p] > _WHOLE else None


class _Decided(NamedTuple):
    """The patterns that nobody is published as, and those that somebody is."""

    closed: frozenset[int]
    opened: frozenset[int]
