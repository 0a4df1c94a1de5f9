"""The pattern formulation as a linear or integer program."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from starmin.instances import Objective, Partition, RowTypes, Table, group_by
from starmin.instances.arrays import (
    Bools,
    Floats,
    Indices,
    Int32s,
    IntArray,
    Ints,
    distinct,
)
from starmin.models.patterns.patterns import (
    Patterns,
    group_nodes,
    marked,
    numbers_of,
    places_in,
)
from starmin.models.solvers.program import INF, PatternColumns, Program, Rows

# Find the best release for a fixed set of open patterns by a min-cost flow.


def open_pattern_flow(
    patterns: Patterns, is_open: Bools, k: int, full: Bools | None = None
) -> Ints | None:
    r"""Solve k-anonymity exactly once it is known which patterns are open.

    With the set of open patterns fixed, the pattern formulation loses its binaries and
    is a flow with lower bounds: s(t) units leave each type, each may go to an open
    pattern that it fits at the pattern's cost, and each pattern must take k:

    .. math::

        \min \sum_{p,t} cost_p x_{pt}, \quad \sum_p x_{pt} = s_t, \quad
        \sum_t x_{pt} \ge k.

    Its vertices are integral, which is why ``x`` may be continuous in the integer
    program.

    ``full`` says which of the open patterns must take k rows; default: all. Where it is
    not known of some whether they are open, that is a relaxation. Returns copies of
    each type in each pattern, one number per pair of ``patterns``; None where no
    release has exactly these patterns open.

    Notes
    -----
    One run of cost scaling on at most ``d`` distinct costs; 1,500 types by 1,000
    open patterns take milliseconds.

    References
    ----------
    Chakaravarthy, Pandit and Sabharwal (2010), section 4: the program solved for
    each set of open patterns.

    Examples
    --------
    >>> from starmin.instances import STARS, Table
    >>> from starmin.models.patterns.closed_listing import closed_patterns
    >>> table = Table.from_rows(["a"], [["0"], ["0"], ["1"]], qi=["a"])
    >>> patterns = closed_patterns(table, table.row_types, STARS)
    >>> patterns.starred.tolist()
    [[False], [False], [True]]
    >>> open_pattern_flow(patterns, np.array([False, False, True]), 3).tolist()
    [0, 0, 2, 1]
    >>> open_pattern_flow(patterns, np.array([True, False, True]), 2) is None
    True
    """
    from ortools.graph.python import min_cost_flow  # a tenth of a second to import

    used = np.flatnonzero(is_open[patterns.pattern])
    m, opened = len(patterns.counts), np.flatnonzero(is_open)
    sink = m + len(opened)
    must = np.ones(len(opened), bool) if full is None else full[opened]
    asked = np.where(must, k, 0)
    surplus = int(patterns.counts.sum()) - int(asked.sum())
    if surplus < 0:
        return None
    node = np.zeros(len(patterns), np.int64)
    node[opened] = m + np.arange(len(opened))
    tails = patterns.types[used].astype(np.int32)
    heads = node[patterns.pattern[used]].astype(np.int32)
    flow = min_cost_flow.SimpleMinCostFlow()
    arcs = flow.add_arcs_with_capacity_and_unit_cost(
        np.concatenate([tails, node[opened].astype(np.int32)]),
        np.concatenate([heads, np.full(len(opened), sink, np.int32)]),
        np.concatenate([patterns.counts[tails], np.full(len(opened), max(surplus, 1))]),
        np.concatenate(
            [patterns.cost[patterns.pattern[used]], np.zeros(len(opened), np.int64)]
        ),
    )
    # The lower bound k of a pattern is a demand of k at its node.
    supplies = np.concatenate([patterns.counts, -asked, np.array([-surplus])])
    flow.set_nodes_supplies(np.arange(sink + 1, dtype=np.int32), supplies)
    if flow.solve() != flow.OPTIMAL:
        return None
    loads = np.zeros(len(patterns.types), np.int64)
    loads[used] = flow.flows(arcs[: len(used)])
    return loads


@dataclass(frozen=True, eq=False)
class PatternProgram:
    r"""The pattern formulation of star minimisation.

    Over patterns p and the row types t that agree with p on its kept columns, there are
    ``x[p, t]`` copies of t that are released as p:

    .. math::

        \min \sum_{p,t} cost_p x_{pt} \quad
        \sum_p x_{pt} = s_t, \quad
        \sum_t x_{pt} \ge k y_p, \quad x_{pt} \le s_t y_p, \quad
        \sum_{t: SA(t) = v} x_{pt} \le h_p, \quad l h_p \le \sum_t x_{pt}

    with ``y`` (binary) only for k-anonymity and ``h`` only for l-diversity: the most
    copies of one sensitive value. With several sensitive columns each has an ``h`` and
    such rows of its own. For k-anonymity alone ``x`` may be continuous: for fixed ``y``
    the rest is a flow with integral vertices. For l-diversity with one sensitive column
    it may be too, for fixed integer ``h``: copies flow from their type to a value of a
    pattern, where at most h fit, and on to the pattern, which at least l h reach. With
    several columns ``x`` is integer.
    """

    patterns: Patterns  # incidence number e of them is column e of the program (``x``)
    # columns ``x``, then ``h`` (if l > 1; column after sensitive column), then ``y``
    # (if k > 1). Its first rows are those of the types, in order: their duals are the
    # prices.
    program: Program
    k: int  # k, l: 1 where there is no such requirement
    l: int
    # how many distinct values an open pattern has in each sensitive column, by rows and
    # columns after those above; 1 where that is not required
    distinct: int = 1

    @property
    def types(self) -> RowTypes:
        """The m row types."""
        return self.patterns.row_types

    @property
    def sensitive(self) -> Int32s:
        """The codes of the sensitive values of the types, m x c."""
        return self.types.sensitive

    @property
    def incidences(self) -> int:
        """Number of columns ``x``."""
        return len(self.patterns.types)

    @property
    def heights(self) -> int:
        """Number of columns ``h``."""
        return len(self.patterns) * self.sensitive.shape[1] if self.l > 1 else 0

    @property
    def least_size(self) -> int:
        """How many rows a pattern has that is open."""
        return max(self.k, self.l)

    @property
    def first_y(self) -> int:
        """Number of the column ``y`` of the first pattern."""
        return self.incidences + self.heights

    def pattern_of_columns(self) -> Ints:
        """Return the pattern of each column of the program."""
        every = np.arange(len(self.patterns))
        repeats = self.heights // len(self.patterns) + (self.k > 1)
        return np.concatenate([self.patterns.pattern, np.tile(every, repeats)])

    def point(
        self, loads: IntArray, held: Ints | int = 0, values: list[Ints] | None = None
    ) -> Floats:
        """Return the values of all columns for ``loads``, one number per incidence.

        ``held`` are copies that each pattern has beside, and ``values`` those of each
        value, as ``held_values`` counts them.
        """
        columns = [loads.astype(float)]
        if self.l > 1:
            held_by = held_values(self.patterns, loads, values)
            columns += [counts.max(axis=1) for counts in held_by]
        if self.k > 1:
            of = np.bincount(self.patterns.pattern, loads, minlength=len(self.patterns))
            columns.append(held + of > 0)
        return np.concatenate(columns, dtype=float)


def held_values(
    patterns: Patterns, loads: IntArray, beside: list[Ints] | None = None
) -> list[Ints]:
    """Count the copies of each value in each pattern, and those that are there beside.

    Returns for each sensitive column an array of patterns x values; ``loads`` are by
    incidence.
    """
    counts = []
    for c, values in enumerate(patterns.row_types.sensitive.T):
        nothing = np.zeros((len(patterns), int(values.max()) + 1), np.int64)
        total = nothing if beside is None else beside[c].copy()
        np.add.at(total, (patterns.pattern, values[patterns.types]), loads)
        counts.append(total)
    return counts


def pattern_columns(
    patterns: Patterns,
    k: int,
    l: int,
    integer: tuple[bool, bool] | None = None,
    begun: tuple[Ints, list[Ints]] | None = None,
) -> PatternColumns:
    """Return the columns and rows of ``pattern_program``, which has ``begun``, too.

    ``integer`` says whether x and h are; None: where they have to.
    """
    sensitive = patterns.row_types.sensitive
    columns = sensitive.shape[1] if l > 1 else 0
    whole_x, whole_h = integer or (columns > 1, columns == 1)
    copies = patterns.counts[patterns.types]
    dealt = patterns.pattern, patterns.types, patterns.cost, patterns.counts, copies
    made = PatternColumns(*dealt, integer=whole_x)
    held, of_values = begun or (np.zeros(len(patterns), np.int64), None)
    rest = -held.astype(float)  # on the right-hand sides
    for c, codes in enumerate(sensitive.T[:columns]):
        own, most = codes[patterns.types], (patterns.support + held) // l
        least = 0 if of_values is None else of_values[c].max(axis=1)
        h = made.add(made.count, 0, most, lower=least, integer=whole_h)
        pairs = made.pairs(own)
        total, alike = made.frequent(h, pairs, l)
        if of_values is not None:
            value = np.zeros(len(pairs.pattern), np.int64)
            value[pairs.number] = own
            there = of_values[c][pairs.pattern, value].astype(float)
            total, alike = replace(total, lower=rest), replace(alike, upper=-there)
        made.rows += [total, alike]
    if k > 1:
        y = made.add(made.count, lower=held > 0)
        size, link = made.enough(y, k), made.only(y)
        if begun is not None:  # with y = 1 the first one reads: sum x - k >= -held
            is_open = held[patterns.pattern] > 0
            size = replace(size, lower=rest)
            link = replace(link, upper=np.where(is_open, INF, link.upper))
        made.rows += [size, link]
    return made


def pattern_program(
    patterns: Patterns,
    k: int = 1,
    l: int = 1,
    begun: tuple[Ints, list[Ints]] | None = None,
) -> PatternProgram:
    """Write the pattern formulation as an integer program.

    Parameters
    ----------
    patterns, k, l
        Usually the closed ones with support >= k and at least l sensitive values; by
        quasi-identifier and sensitive values where l > 1. 1 leaves a condition out.
    begun
        Copies that each pattern has already, which cost nothing and stay; and those of
        each value, as ``held_values`` counts them.
    """
    program = pattern_columns(patterns, k, l, begun=begun).program()
    return PatternProgram(patterns, program, k, l)


# Turn points of the pattern program into partitions, and back.


def partition_of(program: PatternProgram, point: Floats) -> Partition:
    """Return the partition that an integral point of the program stands for.

    For k-anonymity alone only the open patterns are taken from the point; the rows are
    dealt to them anew, and at least cost, by a flow. Raises ArithmeticError where the
    rounded point is no release.
    """
    patterns = program.patterns
    loads: Ints | None
    if program.k > 1 and program.l == 1:
        y = point[program.first_y : program.first_y + len(patterns)]
        loads = open_pattern_flow(patterns, y > 0.5, program.k)
    else:
        loads = np.rint(point[: program.incidences]).astype(np.int64)
    if loads is None:
        raise ArithmeticError("The open patterns of an integral point admit no flow.")
    return partition_of_loads(patterns, loads)


def partition_of_loads(patterns: Patterns, loads: Ints) -> Partition:
    """Return the partition with one group for each pattern that has rows."""
    used = np.flatnonzero(loads)
    return Partition.from_loads(
        patterns.row_types, patterns.pattern[used], patterns.types[used], loads[used]
    )


def loads_of(
    table: Table, objective: Objective, patterns: Patterns, partition: Partition
) -> Ints | None:
    """Count the copies of each type that a partition releases as each pattern.

    A group is released as the smallest nodes that cover its rows, which are a closed
    pattern. Where that is not among ``patterns``, it is released as the cheapest one
    there that all its rows fit. Returns one number per incidence of ``patterns``; None
    where the rows of some group fit no pattern together.
    """
    types = patterns.row_types
    of_rows = partition.of_rows(types.inverse)
    pairs = group_by([partition.groups, of_rows])
    group, type_ = partition.groups[pairs.first], of_rows[pairs.first]
    counts = pairs.summed(partition.copies)
    both = np.concatenate([patterns.nodes, group_nodes(table, objective, partition)])
    of_pattern, own = np.split(numbers_of(both), [len(patterns)])
    known = of_pattern[patterns.pattern] * len(types) + patterns.types
    order = np.argsort(known, kind="stable")
    known = known[order]
    wanted = own[group] * len(types) + type_
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    at = np.where(known[place] == wanted, order[place], -1)
    without = distinct(group[at < 0])
    if len(without):
        by_type = np.argsort(patterns.types, kind="stable")
        first = np.searchsorted(patterns.types[by_type], np.arange(len(types) + 1))
        begins = np.searchsorted(group, np.arange(partition.size + 1))
        for g in without.tolist():
            mine = slice(begins[g], begins[g + 1])
            lists = [by_type[first[t] : first[t + 1]] for t in type_[mine]]
            found = _cheapest_common(patterns, lists)
            if found is None:
                return None
            at[mine] = found
    loads = np.zeros(len(known), np.int64)
    np.add.at(loads, at, counts)
    return loads


def _cheapest_common(patterns: Patterns, lists: list[Indices]) -> list[int] | None:
    """Return of each list the incidence with the cheapest pattern that all have."""
    common = patterns.pattern[lists[0]]
    for incidences in lists[1:]:
        common = np.intersect1d(common, patterns.pattern[incidences], True)
    if len(common) == 0:
        return None
    best = common[patterns.cost[common].argmin()]
    return [int(one[patterns.pattern[one] == best][0]) for one in lists]


# Cuts for the pattern formulation: how many groups a set of rows can fill.


class GroupCut(NamedTuple):
    r"""A group-count cut: the set T of row types and the set I of patterns.

    Let T be a set of row types with S rows in all, q = S div k and r = k - S mod k.
    Any set I of patterns then satisfies

    .. math::
        \sum_{p \in I} y_p \le q + \frac1r \sum_{p \in I} \sum_{t \notin T} x_{pt}.

    For if q + j of them are open, j >= 1, they hold k (q + j) rows, at most S of
    them from T: at least k j - S mod k = k (j - 1) + r >= j r are imported. (It is
    the mixed-integer rounding of the sum of the size rows of I and the assignment
    rows of T.) The relaxation likes to open a fraction of several patterns on rows
    that cannot fill them all; these cuts forbid it.

    With l-diversity k stands for the larger of both: a pattern that is open has so many
    rows.
    """

    types: Ints
    patterns: Ints

    def imports(self, patterns: Patterns) -> Ints:
        """Return the incidences of I whose types are not in T."""
        inside = marked(len(patterns.counts), self.types)
        lengths = np.diff(patterns.starts)[self.patterns]
        mine = places_in(patterns.starts[self.patterns], lengths)
        return mine[~inside[patterns.types[mine]]]

    def limits(self, patterns: Patterns, k: int) -> tuple[int, int]:
        """Return r and q."""
        rows = int(patterns.counts[self.types].sum())
        return k - rows % k, rows // k


def cut_rows(program: PatternProgram, cuts: list[GroupCut]) -> Rows:
    """Write cuts as rows over the columns of a program.

    Examples
    --------
    >>> from starmin.instances import STARS, Table
    >>> from starmin.models.patterns.closed_listing import closed_patterns
    >>> from starmin.models.pattern_program.pattern_program import pattern_program
    >>> table = Table.from_rows(["a"], [["0"], ["1"], ["2"]], qi=["a"])
    >>> patterns = closed_patterns(table, table.row_types, STARS, least_support=2)
    >>> program = pattern_program(patterns, k=2)
    >>> cut = GroupCut(np.array([0, 1]), np.array([0]))
    >>> rows = cut_rows(program, [cut])  # y[0] - x[0, 2] / 2 <= 1
    >>> rows.column.tolist(), rows.value.tolist(), rows.upper.tolist()
    ([3, 2], [1.0, -0.5], [1.0])
    """
    patterns, k = program.patterns, program.least_size
    row, column, value, upper = [], [], [], []
    for number, cut in enumerate(cuts):
        imported, (r, q) = cut.imports(patterns), cut.limits(patterns, k)
        share = np.full(len(imported), -1 / r)
        row.append(np.full(len(cut.patterns) + len(imported), number))
        column.append(np.concatenate([program.first_y + cut.patterns, imported]))
        value.append(np.concatenate([np.ones(len(cut.patterns)), share]))
        upper.append(float(q))
    term = np.concatenate(row), np.concatenate(column), np.concatenate(value)
    return Rows.of(len(cuts), -INF, upper, term)
