"""What an attacker knows of the sensitive values of one class: its possible worlds."""

from dataclasses import dataclass

import numpy as np

from starmin.instances.arrays import Bools, Floats, Ints
from starmin.verify.audit.fixed_pairs import fixed_pairs
from starmin.verify.audit.minimality.cheaper_publishing import ruled_out
from starmin.verify.audit.minimality.dealing import count_dealt
from starmin.verify.audit.minimality.one_value_proof import always
from starmin.verify.audit.minimality.sampling import draw_worlds
from starmin.verify.audit.minimality.types_in_classes import TypesInClasses
from starmin.verify.audit.minimality.worlds import count_worlds
from starmin.verify.beyond import expect_time

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


def worlds_of(
    known: TypesInClasses, wanted: Ints, k: int, l: int, seed: int = 0
) -> list[ClassWorlds]:
    """Return what is known of some classes.

    Of the classes ``wanted`` those whose rows have one type, or one value, are left
    out: of them nothing is ruled out. Each class has to satisfy ``k`` and ``l``; the
    ``seed`` is of what is drawn.
    """
    classes = known.classes
    order = np.lexsort((known.of_row, classes.of_row))
    start = np.concatenate([[0], np.cumsum(classes.sizes)])
    mixed = []
    for c in wanted.tolist():
        rows = order[start[c] : start[c + 1]]
        kinds = known.of_row[rows]
        if kinds[0] != kinds[-1] and np.count_nonzero(known.counts[c]) > 1:
            mixed.append((c, rows))
    pairs = [
        (kind, c)
        for c, rows in mixed
        for kind in np.unique(known.of_row[rows]).tolist()
    ]
    if not pairs:
        return []
    types, above = np.array(pairs, np.int64).T
    places, near = known.cheaper(types, above)
    rng, found, done = np.random.default_rng(seed), [], 0
    for c, rows in mixed:
        expect_time()
        kinds = np.unique(known.of_row[rows])
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
    given = types, counts, single, double
    few = len(rows) <= MOST_ROWS
    splits = cheaper_splits(known, c, rows, max(k, l))
    out = out or _splits_hold(truth, counts, splits, max(k, l), l)
    loose = np.flatnonzero(~single)
    apart = not double.size or not double[np.ix_(loose, loose)].any()
    if apart and len(splits) == 0 and len(rows) * np.prod(counts + 1.0) <= MOST_STATES:
        dealt = count_dealt(types, counts, single)
        impossible = not dealt.any()
        chances = dealt / max(dealt[0].sum(), 1e-300)
        certain = np.count_nonzero(dealt, axis=1) == 1
        return ClassWorlds(rows, values, chances, certain, False, impossible, out)
    if few:
        number, hits = count_worlds(*given, splits, k, l, MOST_STEPS)
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


def _splits_hold(truth: Ints, counts: Ints, splits: Ints, least: int, l: int) -> bool:
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
