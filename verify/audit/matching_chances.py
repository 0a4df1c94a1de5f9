"""Chances of who is who in a non-homogeneous release, by counting perfect matchings."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

from starmin.instances.arrays import Bools, Floats, Ints
from starmin.verify.audit.classes import Classes
from starmin.verify.audit.inference import MAX_WORST, SOUND, Inference, Worst
from starmin.verify.beyond import BeyondError, expect_time

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

    Examples
    --------
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
    # A pair is in a perfect matching iff its ends are in one strong component of the
    # graph with each row joined to its match.
    owner = np.empty(n, np.int64)
    owner[match] = np.arange(n)
    swap = csr_array((ones, (rows, owner[people])), shape=(n, n))
    parts, part = connected_components(swap, directed=True, connection="strong")
    inside = part[rows] == part[owner[people]]
    rows, people = rows[inside], people[inside]
    order = np.argsort(part[rows], kind="stable")
    rows, people = rows[order], people[order]
    start = np.searchsorted(part[rows], np.arange(parts + 1))
    sizes = np.bincount(part, minlength=parts)
    above, counted = np.zeros(n, bool), 0
    for each in np.flatnonzero(sizes <= MOST_ROWS).tolist():
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
        may = boxes[0][c][kinds[0]]
        for j in range(1, len(boxes)):
            may = may & boxes[j][c][kinds[j]]
        near = np.flatnonzero(may)
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
