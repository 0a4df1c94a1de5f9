"""Closure: what is known of hidden cells because a node is never too wide."""

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.verify.audit.classes import Classes
from starmin.verify.audit.inference import MAX_WORST, SOUND, Inference, Worst
from starmin.verify.beyond import expect_time


def closure(classes: Classes) -> Inference:
    """Count the hidden cells that are known since each node is the lowest one.

    Assumes that a star or a node is published only where the rows of a class differ, so
    that they lie below two children of it at least. Where it has two children, each of
    them has a row below it: a cell is known one node lower, and its value if that child
    is one. A starred sex is at least one man and one woman.

    Parameters
    ----------
    classes
        Of a release.

    Notes
    -----
    O(g d) for g classes and d columns. Least counts of values equal those over all
    multisets of rows that are published so, one column at a time.

    Examples
    --------
    >>> from starmin.instances import Table
    >>> from starmin.verify.audit.classes import classes_of
    >>> from starmin.verify.cells.cells import PlainCells
    >>> rows = [["f", "1"], ["m", "1"], ["*", "2"], ["*", "2"]]
    >>> released = Table.from_rows(["sex", "age"], rows, qi=["sex", "age"])
    >>> plain = {"sex": PlainCells(), "age": PlainCells()}
    >>> found = closure(*classes_of([released], plain))
    >>> found.pinned, found.whole
    (2, 2)
    """
    lower, pinned = _counts(classes)
    false = None
    if classes.truth is not None:
        false = sum(
            int(np.count_nonzero((lower[:, j] > 0) & ~_spread(classes, j)))
            for j in range(len(classes.columns))
        )
    alone = _in_full(classes, pinned)
    impossible = (classes.sizes == 1) & _parted(classes)
    return Inference(
        SOUND,
        hidden=classes.hidden_cells,
        narrowed=int(lower.sum()),
        pinned=int(pinned.sum()),
        whole=int(classes.sizes[alone].sum()),
        false=false,
        contradictions=int(np.count_nonzero(impossible)),
        worst=_worst(classes, alone, pinned),
    )


def known_in_full(classes: Classes) -> Bools:
    """Return for each class whether closure tells all that is hidden of its rows.

    Examples
    --------
    >>> from starmin.instances import Table
    >>> from starmin.verify.audit.classes import classes_of
    >>> from starmin.verify.cells.cells import PlainCells
    >>> released = Table.from_rows(["sex"], [["f"], ["m"], ["*"], ["*"]], qi=["sex"])
    >>> known_in_full(*classes_of([released], {"sex": PlainCells()})).tolist()
    [False, False, True]
    """
    return _in_full(classes, _counts(classes)[1])


def _in_full(classes: Classes, pinned: Ints) -> Bools:
    one = classes.hidden.sum(axis=1) == 1
    return np.asarray(one & (pinned.sum(axis=1) == classes.sizes))


def _counts(classes: Classes) -> tuple[Ints, Ints]:
    """Return how many cells of each class and column are known better, and pinned."""
    lower = np.zeros(classes.hidden.shape, np.int64)
    pinned = np.zeros_like(lower)
    for j, column in enumerate(classes.columns):
        expect_time()
        codes = classes.codes[:, j]
        two = (column.parts == 2)[codes] & (classes.sizes > 1)
        single = np.array(
            [
                np.count_nonzero(column.child_sizes(code) == 1) if parts == 2 else 0
                for code, parts in enumerate(column.parts)
            ],
            np.int64,
        )
        lower[two, j] = 2
        pinned[two, j] = single[codes[two]]
    return lower, pinned


def _spread(classes: Classes, j: int) -> Bools:
    """Return for each class whether its rows lie below two children, in truth."""
    counts = classes.truly(j)
    assert counts is not None
    children = classes.columns[j].children[classes.codes[:, j]]
    below = [((children == child) & (counts > 0)).any(axis=1) for child in (0, 1)]
    return np.asarray(below[0] & below[1])


def _parted(classes: Classes) -> Bools:
    """Return for each class whether some node of it has two children or more."""
    parts = [
        column.parts[classes.codes[:, j]] > 1
        for j, column in enumerate(classes.columns)
    ]
    return np.asarray(np.any(parts, axis=0))


def _worst(classes: Classes, whole: Bools, pinned: Ints) -> tuple[Worst, ...]:
    cases = []
    for c in np.flatnonzero(whole)[:MAX_WORST].tolist():
        j = int(np.argmax(classes.hidden[c]))
        column = classes.columns[j]
        box = np.flatnonzero(column.masks[classes.codes[c, j]])
        values = " and ".join(str(column.leaves[i]) for i in box[:2])
        cases.append(
            Worst(
                int(classes.first[c]) + 1,
                f"the {classes.sizes[c]} rows of its class are {values} in "
                f"{column.name}: nothing of them is hidden",
            )
        )
    return tuple(cases)
