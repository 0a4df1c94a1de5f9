"""Guess values by the deFinetti attack, and who is who by counting matchings."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from starmin.instances.arrays import Bools, Floats, Int32s, Ints
from starmin.verify.audit.classes import Classes, crossed
from starmin.verify.audit.inference import (
    MAX_WORST,
    SOUND,
    STATISTICAL,
    Inference,
    Worst,
)
from starmin.verify.exact import BeyondError, expect_time
from starmin.verify.nonhomogeneous.anonymity_graph import strong_parts

# The deFinetti attack: sensitive values guessed by what all classes say together.

ROUNDS = 15
SWEEPS = 10  # of fitting chances to rows and classes in turn


def definetti(
    columns: Sequence[Int32s | Ints],
    values: Int32s | Ints,
    groups: Int32s | Ints,
    l: int,
    truth: Int32s | Ints | None,
) -> Inference:
    """Guess the sensitive value of each row from quasi-identifiers and classes.

    Kifer (Attacks on privacy and deFinetti's theorem, SIGMOD 2009): begins with each
    row as likely to have each value of its class, learns by naive Bayes which values go
    with which quasi-identifiers, makes of this new chances that add up to the counts of
    each class (Sinkhorn), and so on, fifteen times. Then the values of each class are
    given to its rows by falling chance. O(n d v) for each round, for v values.

    The ``columns`` are the quasi-identifiers as codes by row, ``groups`` the class of
    each row, and ``truth`` its sensitive value, if known; the ``values`` of a class may
    be in any order of its rows. In what is returned ``above`` counts rows with a chance
    above 1/l, ``false`` those of them whose likeliest value is not theirs; ``right`` is
    the share of rows that are guessed right, ``base`` that by the most frequent value
    of each class, ``naive_bayes`` that of naive Bayes from the table itself.

    >>> x = s = np.tile([0, 1, 0, 2, 1, 2], 10)
    >>> definetti([x], s, np.arange(60) // 2, 2, s).more["right"] > 0.9
    True
    """
    wide = [column.astype(np.int64) for column in columns]
    values, groups = values.astype(np.int64), groups.astype(np.int64)
    chances, counts = learned(wide, values, groups)
    above = chances.max(axis=1) * l > 1 + 1e-3
    false = None
    more: dict[str, float | None] = {"right": None, "naive_bayes": None}
    if truth is not None:
        guess = dealt(chances, counts, groups)
        own = np.eye(counts.shape[1])[truth]
        table = likelihood(wide, own).argmax(axis=1)
        false = int(np.count_nonzero(above & (chances.argmax(axis=1) != truth)))
        more = {
            "right": float((guess == truth).mean()),
            "naive_bayes": float((table == truth).mean()),
        }
    base = float(counts.max(axis=1).sum() / len(values))
    return Inference(
        STATISTICAL,
        above=int(np.count_nonzero(above)),
        false=false,
        more=more | {"base": base},
    )


def learned(
    columns: Sequence[Ints], values: Ints, groups: Ints
) -> tuple[Floats, Floats]:
    """Return the chance of each value for each row, and the counts of each class."""
    shape = int(groups.max()) + 1, int(values.max()) + 1
    counts = crossed(groups, values, shape).astype(float)
    chances = counts[groups] / counts[groups].sum(axis=1, keepdims=True)
    chances = chances * (1 + 1e-3 * np.random.default_rng(0).random(chances.shape))
    for _ in range(ROUNDS):
        expect_time()
        chances = fitted(likelihood(columns, chances), counts, groups)
    return chances, counts


def likelihood(columns: Sequence[Ints], chances: Floats) -> Floats:
    """Return how likely each row is for each value, by naive Bayes, rows scaled."""
    told = np.log(chances.sum(axis=0) + 1e-9)
    told = np.repeat(told[None], len(chances), axis=0)
    for column in columns:
        sums = np.full((int(column.max()) + 1, chances.shape[1]), 1.0)
        np.add.at(sums, column, chances)
        told += np.log(sums / sums.sum(axis=0))[column]
    return np.asarray(np.exp(told - told.max(axis=1, keepdims=True)))


def fitted(told: Floats, counts: Floats, groups: Ints) -> Floats:
    """Scale chances by row and value to sums of 1, and to counts by class, in turn."""
    chances = np.where(counts[groups] > 0, told + 1e-30, 0.0)
    for _ in range(SWEEPS):
        chances /= chances.sum(axis=1, keepdims=True)
        sums = np.zeros_like(counts)
        np.add.at(sums, groups, chances)
        chances *= (counts / np.where(sums > 0, sums, 1))[groups]
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def dealt(chances: Floats, counts: Floats, groups: Ints) -> Ints:
    """Give the values of each class to its rows, the surest pairs first.

    The ``chances`` are by row and value, ``counts`` by class and value.
    """
    left, found = counts.copy(), np.full(len(chances), -1, np.int64)
    width = chances.shape[1]
    ties = np.random.default_rng(0).permutation(chances.size)
    order = ties[np.argsort(-chances.ravel()[ties], kind="stable")]
    order = order[counts[groups].ravel()[order] > 0]
    for place in order.tolist():
        row, value = divmod(place, width)
        if found[row] < 0 and left[groups[row], value] > 0:
            found[row] = value
            left[groups[row], value] -= 1
    return found


# Chances of who is who in a non-homogeneous release, by counting perfect matchings.

MOST_ROWS = 12  # of a part whose matchings are counted
MOST_PAIRS = 3 * 10**7


def matchings(classes: Classes, k: int) -> Inference:
    """Find people who are linked to a released row with a chance above 1/k.

    Whoever knows the quasi-identifiers of all people knows which of them each released
    row may be. If all ways to match people and rows are equally likely, the chance of a
    pair is the share of perfect matchings that have it: a ratio of two permanents.
    Pairs in no perfect matching are left out, and each part of the rest that has few
    rows is counted by itself; of larger parts nothing is said.

    The release may have a class for each row; ``k`` is what is asked of it. In what is
    returned, ``above`` counts released rows, and ``more`` says how many rows are in
    parts that were counted (``counted``).

    >>> from starmin.instances import Table
    >>> from starmin.verify.audit.classes import classes_of
    >>> from starmin.verify.cells.cells import PlainCells
    >>> people = Table.from_rows(["x"], [["a"], ["b"], ["c"]], qi=["x"])
    >>> released = Table.from_rows(["x"], [["*"], ["*"], ["c"]], qi=["x"])
    >>> classes = classes_of([released], {"x": PlainCells()}, people, [people])[0]
    >>> matchings(classes, 2).above
    1
    """
    truth = classes.truth
    assert truth is not None
    n = truth.shape[1]
    fits = _pairs(classes, truth)
    rows, people = fits[:, 0], fits[:, 1]
    ones = np.ones(len(fits), np.int8)
    graph = csr_array((ones, (rows, people)), shape=(n, n))
    match = maximum_bipartite_matching(graph, perm_type="column")
    if (match < 0).any():
        return Inference(SOUND, contradictions=1, more={"counted": 0})
    part, of_person = strong_parts(rows, people, match[rows] == people, n, n)
    inside = part[rows] == of_person[people]
    rows, people = rows[inside], people[inside]
    order = np.argsort(part[rows], kind="stable")
    rows, people = rows[order], people[order]
    sizes = np.bincount(part)
    start = np.searchsorted(part[rows], np.arange(len(sizes) + 1))
    above, counted = np.zeros(n, bool), 0
    for each in np.flatnonzero((sizes > 0) & (sizes <= MOST_ROWS)).tolist():
        expect_time()
        here = slice(start[each], start[each + 1])
        members = np.unique(rows[here])
        whose = np.unique(people[here])
        may = np.zeros((len(members), len(whose)), bool)
        at = np.searchsorted(members, rows[here]), np.searchsorted(whose, people[here])
        may[at] = True
        counted += len(members)
        above[members] = _chances(may) * k > 1 + 1e-9
    worst = np.flatnonzero(above)[:MAX_WORST].tolist()
    return Inference(
        SOUND,
        above=int(np.count_nonzero(above)),
        worst=tuple(Worst(row + 1, f"is one person's above 1/{k}") for row in worst),
        more={"counted": counted, "rows": n},
    )


def _pairs(classes: Classes, truth: Ints) -> Ints:
    """Return the pairs of a released row and a person that it may be."""
    order = np.argsort(classes.of_row, kind="stable")
    start = np.concatenate([[0], np.cumsum(classes.sizes)])
    kinds, of_person = np.unique(truth, axis=1, return_inverse=True)
    by_kind = np.argsort(of_person.reshape(-1), kind="stable")
    first = np.searchsorted(
        of_person.reshape(-1)[by_kind], np.arange(kinds.shape[1] + 1)
    )
    boxes = [classes.boxes(j) for j in range(len(classes.columns))]
    found, number = [], 0
    for c in range(classes.number):
        if c % 256 == 0:
            expect_time()
        may = [box[c][values] for box, values in zip(boxes, kinds, strict=True)]
        near = np.flatnonzero(np.logical_and.reduce(may))
        people = np.concatenate(
            [by_kind[first[t] : first[t + 1]] for t in near] or [np.empty(0, np.int64)]
        )
        rows = order[start[c] : start[c + 1]]
        number += len(rows) * len(people)
        if number > MOST_PAIRS:
            raise BeyondError("too many people may be too many rows")
        pairs = np.stack([np.repeat(rows, len(people)), np.tile(people, len(rows))])
        found.append(pairs.T)
    return np.concatenate(found).astype(np.int64)


def _chances(may: Bools) -> Floats:
    """Return for each row of a part the greatest chance of one person."""
    s = len(may)
    if s == 1:
        return np.ones(1)
    before = np.zeros(2**s)
    before[0] = 1
    sizes = np.array([mask.bit_count() for mask in range(2**s)])
    layers = [np.flatnonzero(sizes == size) for size in range(s + 1)]
    for i in range(s):
        for person in np.flatnonzero(may[i]):
            free = layers[i][(layers[i] >> person & 1) == 0]
            before[free | 1 << person] += before[free]
    after = np.zeros(2**s)
    after[-1] = 1
    best = np.zeros(s)
    for i in range(s - 1, -1, -1):
        layer = layers[i]
        for person in np.flatnonzero(may[i]):
            free = layer[(layer >> person & 1) == 0]
            through = after[free | 1 << person]
            after[free] += through
            best[i] = max(best[i], float(before[free] @ through))
    return np.asarray(best / before[-1])
