"""Nested releases by prices and annealing of whole classes."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from starmin.heuristics.annealing import WITHIN_ANNEALING
from starmin.heuristics.annealing.annealing_schedule import most_increase, seed_moves
from starmin.heuristics.annealing.annealing_state import (
    Held,
    Worth,
    empty_held,
    put,
    reassign,
    take_back,
    wide,
)
from starmin.heuristics.annealing.dealt_rows import (
    MoveLog,
    Nodes,
    empty_log,
    empty_nodes,
)
from starmin.instances import (
    STARS,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.instances.runs.checkpoint import begin_at
from starmin.instances.runs.search_control import spend
from starmin.models.pattern_variants.within import (
    TOLERANCE,
    Atoms,
    WithinPrices,
    list_class_patterns,
    offer_unions,
)
from starmin.models.patterns.common_patterns import Listing


class FittingAtoms(NamedTuple):
    """The patterns, the atoms that fit, and for each atom its patterns."""

    start: Ints  # start, atom: the atoms that fit a pattern, by pattern
    atom: Ints
    # first, choice: the patterns that an atom fits, by atom, the most promising ones
    # first
    first: Ints
    choice: Ints
    cost: Ints  # of a row, by pattern
    size: Ints  # by atom
    least: int  # how many rows a pattern that is used has


class Dealt(NamedTuple):
    """Atoms dealt to patterns, as in ``annealing_state.State``: node a is atom a."""

    k: int
    l: int
    patterns: FittingAtoms
    worth: Worth
    nodes: Nodes
    held: Held
    log: MoveLog


@inner
def recruit(fitting: FittingAtoms, dealt: Dealt, to: int, left: int) -> int:
    """Return the atom that most cheaply joins a pattern which lacks rows; -1: none.

    It comes from where enough rows stay, or none, or from ``left``, where too few stay.
    """
    start, atom, _, _, cost, size, least = fitting
    group, load = dealt.nodes.group, dealt.held.load
    best, found, lack = np.inf, -1, least - load[to]
    for e in range(start[to], start[to + 1]):
        b = atom[e]
        at = group[b]
        if at == to:
            continue
        rest = load[at] - size[b]
        if rest >= least or rest == 0 or (at == left and load[at] < least):
            paid = size[b] * (cost[to] - cost[at]) + np.random.random()
            if size[b] < lack:
                paid += lack - size[b]  # what is still to come costs something, too
            if paid < best:
                best, found = paid, b
    return found


@inner
def cheapest_open(fitting: FittingAtoms, dealt: Dealt, a: int, but: int) -> int:
    """Return the cheapest pattern in use that an atom fits, but for one; -1: none."""
    _, _, first, choice, cost, _, least = fitting
    found, load = -1, dealt.held.load
    for e in range(first[a], first[a + 1]):
        p = choice[e]
        if p == but or load[p] < least:
            continue
        if found < 0 or cost[p] < cost[found]:
            found = p
    return found


@compiled
def anneal(
    fitting: FittingAtoms,
    dealt: Dealt,
    best: Int32s,
    values: Ints,
    temperature: float,
    skew: float,
    steps: int,
) -> None:
    """Take so many steps at a temperature.

    An atom is drawn, and a pattern that it fits. If this is not in use it takes in
    others until it has enough rows; if too few rows stay where the atom was, they go to
    the cheapest patterns in use. All this is done, or undone.

    In ``dealt``, which is changed, node a is atom a, with all its rows. ``best`` is the
    cheapest that was found, the pattern of each atom, and ``values`` what it costs now,
    and at best. ``temperature`` is in the unit of costs; patterns are drawn by the
    power ``skew`` of a uniform number, first ones most often.
    """
    _, _, first, choice, _, size, least = fitting
    log, pattern, load = dealt.log, dealt.nodes.group, dealt.held.load
    for _ in range(steps):
        a = np.random.randint(len(size))
        many = first[a + 1] - first[a]
        drawn = int(many * np.random.random() ** skew)
        to, at = choice[first[a] + drawn], np.int64(pattern[a])
        if to == at:
            continue
        log.size[0] = 0
        change, valid = reassign(dealt, a, at, to, size[a]), True
        while valid and load[to] < least:
            b = recruit(fitting, dealt, to, at)
            if b < 0 or log.size[0] == len(log.types):
                valid = False
                break
            change += reassign(dealt, b, wide(pattern[b]), to, size[b])
        while valid and 0 < load[at] < least:
            b = wide(dealt.nodes.type[dealt.nodes.first_of_group[at]])
            new = cheapest_open(fitting, dealt, b, at)
            if new < 0 or log.size[0] == len(log.types):
                valid = False
                break
            change += reassign(dealt, b, at, new, size[b])
        if valid and change <= most_increase(temperature, np.random.random()):
            values[0] += change
            if values[0] < values[1]:
                values[1] = values[0]
                best[:] = pattern
            continue
        take_back(dealt, 0)


def posed(atoms: Atoms, listing: Listing, reduced: Floats, least: int) -> FittingAtoms:
    """Return what fits, the patterns of each atom by what they cost beside its price.

    ``reduced`` is by pair of a pattern and an atom, a class of the earlier release.
    """
    order = np.lexsort((reduced, listing.item))
    first = np.searchsorted(listing.item[order], np.arange(len(atoms) + 1))
    choice = listing.pattern[order]
    return FittingAtoms(
        listing.start, listing.item, first, choice, listing.cost, atoms.size, least
    )


def dealt_greedily(fitting: FittingAtoms) -> Ints:
    """Return a pattern of each atom: cheap ones first, with all atoms left that fit.

    Those that fit no pattern with enough rows go to the cheapest one in use; and where
    there is none, to the dearest that they fit, with atoms of others until it has
    enough. ``fitting`` has a release.
    """
    start, atom, first, choice, cost, size, least = fitting
    dealt = np.full(len(size), -1, np.int64)
    for p in np.argsort(cost, kind="stable").tolist():
        fits = atom[start[p] : start[p + 1]]
        free = fits[dealt[fits] < 0]
        if size[free].sum() >= least:
            dealt[free] = p
    rows = np.bincount(dealt[dealt >= 0], size[dealt >= 0], len(cost)).astype(np.int64)
    for a in np.flatnonzero(dealt < 0).tolist():
        mine = choice[first[a] : first[a + 1]]
        opened = mine[rows[mine] > 0]
        if len(opened):
            p = int(opened[cost[opened].argmin()])
        else:
            p = int(mine[cost[mine].argmax()])
            _gather(fitting, dealt, rows, p, int(size[a]))
        dealt[a] = p
        rows[p] += size[a]
    return dealt


def _gather(fitting: FittingAtoms, dealt: Ints, rows: Ints, p: int, have: int) -> None:
    """Move all atoms of other patterns to one, until it has enough rows."""
    fits = fitting.atom[fitting.start[p] : fitting.start[p + 1]]
    while have + rows[p] < fitting.least:
        others = np.unique(dealt[fits[(dealt[fits] >= 0) & (dealt[fits] != p)]])
        outside = np.setdiff1d(np.arange(len(dealt)), fits)
        whole = np.setdiff1d(others, dealt[outside]).tolist()
        q = whole[int(fitting.cost[whole].argmax())] if whole else -1
        if q < 0:
            return
        rows[p] += rows[q]
        rows[q] = 0
        dealt[dealt == q] = p


@compiled
def put_all(dealt: Dealt, pattern: Ints, size: Ints) -> None:
    """Put each atom into its pattern; ``dealt``, without rows before, is updated."""
    for a in range(len(pattern)):
        put(dealt, a, pattern[a], size[a])


_PROPOSAL = 1  # units of work


@dataclass(frozen=True)
class WithinParams:
    """Numbers that steer the annealing of whole classes."""

    price_share: float = 0.4  # of the time, what prices may take
    # hot, cold: the first and the last temperature, in mean costs of a star
    hot: float = 6.0
    cold: float = 0.3
    # patterns of an atom are drawn by this power of a uniform number: those that cost
    # little beside its price most often
    skew: float = 3.0
    steps: int = 400  # for each class of the earlier release
    batch: int = 20_000  # steps at one temperature


WITHIN_PARAMS = WithinParams()


def within_annealing(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    initial: Partition | None = None,
) -> Result:
    """Solves nested releases: each class a union of classes of an earlier release.

    Prices of the rows of each class prove a bound (``within_prices``) and say which
    patterns are near to being worth it. Then classes are dealt to patterns by simulated
    annealing. Where diversity is asked for, too, what fails is merged in the end.

    Parameters
    ----------
    table, requirement, objective
        The problem: ``Within``.
    time_limit
        Seconds; the best release and bound until then are returned.
    seed
        Of all random choices.
    display
        Print a line (time, value, bound, gap) to stderr at each improvement.
    initial
        A release to improve on.

    Returns
    -------
    Result
        With the bound of ``within_prices`` and its certificate.

    Raises
    ------
    NotSupportedError
        Another requirement or objective, or too many patterns.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.requirements.within import nested_within
    >>> rows = [["0", "x"], ["0", "y"], ["1", "x"], ["1", "y"], ["1", "y"]]
    >>> table = Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> nested = nested_within(table, KAnonymity(2), np.array([0, 0, 1, 1, 2]))
    >>> within_annealing(*nested).value
    5
    """
    run = Run(table, requirement, objective, time_limit, display, WITHIN_ANNEALING)

    def search() -> None:
        begin_at(run, initial)
        atoms = Atoms.of(run)
        listing = list_class_patterns(run, atoms)
        prices = WithinPrices(run, atoms, listing, WITHIN_PARAMS.price_share)
        prices.improve(TOLERANCE)
        if not run.closed:
            run.check_time()
            _anneal(run, atoms, listing, prices.reduced(), seed)

    return run.carry_out(search)


def _anneal(
    run: Run, atoms: Atoms, listing: Listing, reduced: Floats, seed: int
) -> None:
    """Deal classes to patterns, hot first, and offer the best deal."""
    params = WITHIN_PARAMS
    problem = posed(atoms, listing, reduced, atoms.least)
    count, pattern = len(atoms), dealt_greedily(problem)
    alike = np.zeros(count, np.int64)
    dealt = Dealt(
        atoms.least,
        1,
        problem,
        Worth(alike, np.zeros(count)),
        empty_nodes(count, count, len(problem.cost)),
        empty_held(len(problem.cost), alike, 1),
        empty_log(count),
    )
    put_all(dealt, pattern, problem.size)
    offer_unions(run, atoms, pattern)
    value = int((atoms.size * listing.cost[pattern]).sum())
    best, values = dealt.nodes.group.copy(), np.array([value, value])
    star = max(1.0, float(listing.cost.max()) / run.table.d)
    seed_moves(seed)
    before, steps, left = run.elapsed, params.steps * len(atoms), run.remaining
    done = 0
    while done < steps and run.remaining > 0:
        past = max(done / steps, (run.elapsed - before) / left)
        heat = star * params.hot * (params.cold / params.hot) ** past
        many = min(params.batch, steps - done)
        anneal(problem, dealt, best, values, heat, params.skew, many)
        done += many
        spend(_PROPOSAL * many)
    run.stats["proposals"] = done
    offer_unions(run, atoms, best.astype(np.int64))
    run.check_time()
