"""What an attacker knows of the sensitive values of one class: its possible worlds."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from starmin.instances.arrays import Bools, Floats, Ints
from starmin.instances.loops.compiled import compiled, inner
from starmin.verify.audit.cheaper_publishing import ruled_out
from starmin.verify.audit.classes import TypesInClasses
from starmin.verify.audit.shuffled import fixed_pairs
from starmin.verify.exact import expect_time

# Chances of values where single rows alone are ruled out, by a program; compiled.


@compiled
def count_dealt(types: Ints, counts: Ints, single: Bools) -> Floats:
    """Count in how many worlds each row has each value, none ruled out by two rows.

    Rows are dealt their values one after the other; a state is what is left of each
    value. The worlds through a step are those that lead to it times those after it.

    The ``types`` are those of the rows of a class, ``counts`` says how often it has
    each of its values, and ``single`` by type and value what is ruled out.
    """
    s, n = len(types), len(counts)
    weight = np.ones(n + 1, np.int64)
    for v in range(n):
        weight[v + 1] = weight[v] * (counts[v] + 1)
    states = weight[n]
    before = np.zeros((s + 1, states))
    after = np.zeros((s + 1, states))
    before[0, states - 1] = 1.0
    after[s, 0] = 1.0
    for i in range(s):
        for state in range(states):
            if before[i, state] > 0:
                for v in range(n):
                    left = state // weight[v] % (counts[v] + 1)
                    if left > 0 and not single[types[i], v]:
                        before[i + 1, state - weight[v]] += before[i, state]
    hits = np.zeros((s, n))
    for i in range(s - 1, -1, -1):
        for state in range(states):
            for v in range(n):
                left = state // weight[v] % (counts[v] + 1)
                if left > 0 and not single[types[i], v]:
                    rest = after[i + 1, state - weight[v]]
                    after[i, state] += rest
                    hits[i, v] += before[i, state] * rest
    return hits


# A proof that all rows of a type have one value, by constraint programming.

SECONDS = 5.0  # for one proof


def always(
    rows: Ints, counts: Ints, single: Bools, double: Bools, type_: int, value: int
) -> bool:
    """Prove by CP-SAT that in no world a row of a type has another value.

    The class has ``rows`` by type and ``counts`` by value; ``single`` and ``double``
    are what is ruled out: see ``ruled_out``. False where there is such a world, or none
    is ruled out in time.

    >>> free = np.zeros((2, 2), bool), np.zeros((4, 4), bool)
    >>> two = np.array([1, 1])
    >>> always(two, two, *free, 0, 0)
    False
    >>> free[0][1, 0] = True
    >>> always(two, two, *free, 0, 0)
    True
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    m, n = single.shape
    most = np.where(single, 0, np.minimum.outer(rows, counts)).tolist()
    number = [[model.new_int_var(0, many, "") for many in each] for each in most]
    for t in range(m):
        model.add(sum(number[t]) == int(rows[t]))
    for v in range(n):
        model.add(sum(number[t][v] for t in range(m)) == int(counts[v]))
    some: dict[int, cp_model.IntVar] = {}

    def there(pair: int) -> cp_model.IntVar:
        if pair not in some:
            some[pair] = model.new_bool_var("")
            count = number[pair // n][pair % n]
            model.add(count == 0).only_enforce_if(some[pair].Not())
        return some[pair]

    for x, y in np.argwhere(np.triu(double)).tolist():
        if single[x // n, x % n] or single[y // n, y % n]:
            continue
        if x == y:
            model.add(number[x // n][x % n] <= 1)
        else:
            model.add_bool_or(there(x).Not(), there(y).Not())
    model.add(number[type_][value] <= int(rows[type_]) - 1)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    # Interrupts are Python's; a step of presolve has an open report of a wrong answer.
    solver.parameters.catch_sigint_signal = False
    solver.parameters.presolve_inclusion_work_limit = 0
    solver.parameters.max_time_in_seconds = SECONDS
    return bool(solver.solve(model) == cp_model.INFEASIBLE)


# Worlds of a class with many rows, drawn by exchanges of two values; compiled.


@compiled
def draw_worlds(
    types: Ints, now: Ints, single: Bools, double: Bools, draws: Ints, hits: Ints
) -> None:
    """Count how often each row has each value in worlds that are drawn.

    From a world the values of two rows are exchanged if that is possible; all worlds
    that can be reached so are equally likely. A world is counted after as many draws as
    there are rows.

    The ``types`` are by row, and so are the values ``now``: a world at first, and the
    last one in the end. ``single`` and ``double`` are what is ruled out: see
    ``ruled_out``. Each of the ``draws`` has two rows, whose exchange is tried. To
    ``hits``, by row and value, is added how often each was counted.
    """
    s, width = hits.shape
    paired = s if len(double) > 0 else 0
    for step in range(len(draws)):
        a, b = draws[step]
        v, w = now[a], now[b]
        if v != w and types[a] != types[b]:
            fits = not (single[types[a], w] or single[types[b], v])
            if fits and paired:
                x, y = types[a] * width + w, types[b] * width + v
                fits = not double[x, y]
                for c in range(paired):
                    if not fits:
                        break
                    if c != a and c != b:
                        z = types[c] * width + now[c]
                        fits = not (double[x, z] or double[y, z])
            if fits:
                now[a], now[b] = w, v
        elif v != w:
            now[a], now[b] = w, v
        if step % s == s - 1:
            for c in range(s):
                hits[c, now[c]] += 1


# All ways to deal the values of a class to its rows, as far as they are possible.


@inner
def _splits_hold(
    choice: Ints, counts: Ints, splits: Ints, within: Ints, k: int, l: int
) -> Any:
    """Return whether some split of the rows leaves two classes that hold."""
    s = len(choice)
    for mask in splits:
        within[:] = 0
        size = 0
        for row in range(s):
            if mask >> row & 1:
                within[choice[row]] += 1
                size += 1
        if size < k or s - size < k:
            continue
        holds = True
        for v in range(len(counts)):
            if within[v] * l > size or (counts[v] - within[v]) * l > s - size:
                holds = False
                break
        if holds:
            return True
    return False


@compiled
def count_worlds(
    types: Ints,
    counts: Ints,
    single: Bools,
    double: Bools,
    splits: Ints,
    k: int,
    l: int,
    most: int,
) -> tuple[int, Ints]:
    """Count the worlds of a class, and those in which each row has each value.

    By row of the class, ``types`` are numbered from 0; ``counts`` says how often it has
    each of its values, and ``single`` and ``double`` what is ruled out: see
    ``ruled_out``. The ``splits`` are sets of rows, as bits, that with the others would
    cost less as two classes: a world in which both hold, by ``k`` and ``l``, is ruled
    out.

    The number of worlds is -1 where there are too many, as counting ends after ``most``
    steps; the other numbers are by row and value.
    """
    s, n = len(types), len(counts)
    hits = np.zeros((s, n), np.int64)
    left = counts.copy()
    choice = np.full(s, -1, np.int64)
    within = np.zeros(n, np.int64)
    worlds, steps, i = 0, 0, 0
    while i >= 0:
        steps += 1
        if steps > most:
            return -1, hits
        if i == s:
            if not _splits_hold(choice, counts, splits, within, k, l):
                worlds += 1
                for row in range(s):
                    hits[row, choice[row]] += 1
            i -= 1
            continue
        if choice[i] >= 0:
            left[choice[i]] += 1
        v = choice[i] + 1
        while v < n:
            if left[v] > 0 and not single[types[i], v]:
                fits = True
                for before in range(i):
                    if double[types[i] * n + v, types[before] * n + choice[before]]:
                        fits = False
                        break
                if fits:
                    break
            v += 1
        if v == n:
            choice[i] = -1
            i -= 1
        else:
            choice[i] = v
            left[v] -= 1
            i += 1
    return worlds, hits


MOST_ROWS = 9  # of a class whose worlds are counted one by one
MOST_STEPS = 5 * 10**5  # of counting them
MOST_STATES = 2 * 10**5  # of dealing values to rows one after the other
MOST_PAIRED = 40  # rows of a class of which two are looked at together
DRAWS = 1_000  # exchanges for each row of a larger class
PIECE = 10**6  # of them, between two looks at the clock


@dataclass(frozen=True, eq=False)
class ClassWorlds:
    """The chances of values in one class."""

    rows: Ints  # of the release, sorted by type
    values: Ints  # those that occur in it
    chances: Floats  # by row and value: its share of the possible worlds
    certain: Bools  # by row: whether its value is proven
    sampled: bool  # whether the worlds were drawn, not counted
    impossible: bool  # whether there is no world: then nothing is inferred
    # whether the true world is ruled out: then the release could be improved
    truth_out: bool


def worlds_of(known: TypesInClasses, wanted: Ints, k: int, l: int) -> list[ClassWorlds]:
    """Return what is known of some classes.

    Of the classes ``wanted`` those whose rows have one type, or one value, are left
    out: of them nothing is ruled out.
    """
    classes = known.classes
    order = np.lexsort((known.of_row, classes.of_row))
    start = np.concatenate([[0], np.cumsum(classes.sizes)])
    mixed = []
    for c in wanted.tolist():
        rows = order[start[c] : start[c + 1]]
        kinds = np.unique(known.of_row[rows])
        if len(kinds) > 1 and np.count_nonzero(known.counts[c]) > 1:
            mixed.append((c, rows, kinds))
    pairs = [(kind, c) for c, _, kinds in mixed for kind in kinds.tolist()]
    if not pairs:
        return []
    types, above = np.array(pairs, np.int64).T
    places, near = known.cheaper(types, above)
    rng, found, done = np.random.default_rng(0), [], 0
    for c, rows, kinds in mixed:
        expect_time()
        own = places[done : done + len(kinds) + 1]
        done += len(kinds)
        here = near[own[0] : own[-1]], own - own[0]
        found.append(_of_class(known, c, rows, here, k, l, rng))
    return found


def _of_class(
    known: TypesInClasses,
    c: int,
    rows: Ints,
    cheaper: tuple[Ints, Ints],
    k: int,
    l: int,
    rng: np.random.Generator,
) -> ClassWorlds:
    values = np.flatnonzero(known.counts[c])
    counts = known.counts[c, values]
    types = np.unique(known.of_row[rows], return_inverse=True)[1]
    single, double = ruled_out(
        *(counts, values, cheaper[1], cheaper[0], known.counts, known.tops),
        *(known.classes.sizes, k, l, MOST_PAIRED),
    )
    truth = np.searchsorted(values, known.values[rows])
    out = _excluded(types, truth, len(values), single, double)
    splits = cheaper_splits(known, c, rows, max(k, l))
    out = out or _class_worlds_splits_hold(truth, counts, splits, max(k, l), l)
    loose = np.flatnonzero(~single)
    apart = not double.size or not double[np.ix_(loose, loose)].any()
    if apart and len(splits) == 0 and len(rows) * np.prod(counts + 1.0) <= MOST_STATES:
        dealt = count_dealt(types, counts, single)
        chances = dealt / max(dealt[0].sum(), 1e-300)
        certain = np.count_nonzero(dealt, axis=1) == 1
        return ClassWorlds(rows, values, chances, certain, False, not dealt.any(), out)
    if len(rows) <= MOST_ROWS:
        given = types, counts, single, double, splits, k, l
        number, hits = count_worlds(*given, MOST_STEPS)
        if number >= 0:
            chances = hits / max(number, 1)
            certain = chances.max(axis=1) == 1
            return ClassWorlds(rows, values, chances, certain, False, number == 0, out)
    if out:
        nothing = np.zeros((len(rows), len(values)))
        unproven = np.zeros(len(rows), bool)
        return ClassWorlds(rows, values, nothing, unproven, True, True, True)
    chances = _drawn(types, truth, single, double, rng)
    certain = _certain(types, truth, counts, chances, single, double)[types]
    return ClassWorlds(rows, values, chances, certain, True, False, False)


def _drawn(
    types: Ints, truth: Ints, single: Bools, double: Bools, rng: np.random.Generator
) -> Floats:
    """Return for each row and value its share of worlds that are drawn."""
    s, width = len(types), single.shape[1]
    hits, now = np.zeros((s, width), np.int64), truth.copy()
    piece = s * max(1, PIECE // s)
    number = DRAWS * s
    for done in range(0, number, piece):
        expect_time()
        draws = rng.integers(s, size=(min(piece, number - done), 2))
        draw_worlds(types, now, single, double, draws, hits)
    shares = np.zeros(single.shape)  # of types, whose rows are alike
    np.add.at(shares, types, hits / DRAWS)
    mean: Floats = shares / np.bincount(types)[:, None]
    return mean[types]


def _certain(
    types: Ints,
    truth: Ints,
    counts: Ints,
    chances: Floats,
    single: Bools,
    double: Bools,
) -> Bools:
    """Return for each type whether all its rows have one value in all worlds.

    Where no two rows are ruled out together, worlds are flows from types to values, of
    which the truth is one; else what is so in all that were drawn is to be proven.
    """
    m, n = single.shape
    if not double.size:
        pairs = np.argwhere(~single)
        flow = np.bincount(types * n + truth, minlength=m * n)
        number = flow[pairs[:, 0] * n + pairs[:, 1]]
        fixed = fixed_pairs(pairs, number, m, n)
        whole = number == np.bincount(types)[pairs[:, 0]]
        return np.bincount(pairs[fixed & whole, 0], minlength=m) > 0
    first = np.unique(types, return_index=True)[1]
    certain = np.zeros(m, bool)
    for t in np.flatnonzero(chances[first].max(axis=1) == 1).tolist():
        expect_time()
        v = int(np.argmax(chances[first[t]]))
        certain[t] = always(np.bincount(types), counts, single, double, t, v)
    return certain


def _excluded(
    types: Ints, truth: Ints, width: int, single: Bools, double: Bools
) -> bool:
    """Return whether the true world of a class is ruled out."""
    if single[types, truth].any():
        return True
    if not double.size:
        return False
    pairs = types * width + truth
    once, counts = np.unique(pairs, return_counts=True)
    among = double[np.ix_(once, once)]
    twice = among.diagonal() & (counts > 1)
    np.fill_diagonal(among, False)
    return bool(among.any() or twice.any())


def _class_worlds_splits_hold(
    truth: Ints, counts: Ints, splits: Ints, least: int, l: int
) -> bool:
    """Return whether the true values would have let the class be split for less."""
    inside = splits[:, None] >> np.arange(len(truth)) & 1
    within = inside @ np.eye(len(counts), dtype=np.int64)[truth]
    size = inside.sum(axis=1)
    holds = (within.max(axis=1) * l <= size) & (size >= least)
    other = len(truth) - size
    holds &= ((counts - within).max(axis=1) * l <= other) & (other >= least)
    return bool(holds.any())


def cheaper_splits(known: TypesInClasses, c: int, rows: Ints, least: int) -> Ints:
    """Return the sets of a class's rows, as bits, that with the others cost less.

    A part pays in a column what the class pays if its rows differ there, else nothing:
    no less than it would.
    """
    s = len(rows)
    if s < 2 * least or s > MOST_ROWS:
        return np.empty(0, np.int64)
    masks = np.arange(1, 2 ** (s - 1), dtype=np.int64)
    inside = (masks[:, None] >> np.arange(s) & 1).astype(bool)
    fine = (inside.sum(axis=1) >= least) & ((~inside).sum(axis=1) >= least)
    masks, inside = masks[fine], inside[fine]
    classes = known.classes
    texts = classes.codes[c]
    paid = np.array(
        [column.losses[t] for column, t in zip(classes.columns, texts, strict=True)]
    )
    cells = known.types[known.of_row[rows]]
    total = np.zeros(len(masks))
    for part in (inside, ~inside):
        spread = part[:, :, None]
        high = np.where(spread, cells, -1).max(axis=1)
        low = np.where(spread, cells, np.iinfo(np.int64).max).min(axis=1)
        total += part.sum(axis=1) * ((high != low) @ paid)
    chosen: Ints = masks[total < s * classes.costs[c] - 1e-9]
    return chosen
