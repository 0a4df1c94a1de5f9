"""Exclusion: values that a hidden cell cannot have, since the row would have moved."""

from collections.abc import Iterator, Sequence

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.verify.audit.classes import Classes
from starmin.verify.audit.inference import MAX_WORST, SOUND, Inference, Worst
from starmin.verify.beyond import BeyondError, expect_time

MOST = 2_000  # steps of one question
CHUNK = 256  # classes that are compared with all others at a time
MOST_TEXTS = 20_000  # of a column: all are compared with all


def exclusion(classes: Classes, k: int, stages: bool) -> tuple[Inference, list[Bools]]:
    """Rule out values with which a row would have been published in another class.

    If a release cannot be improved by one row, no row of a class with more than k rows
    lies in the box of a cheaper class: it would have moved. If a tool generalizes by
    stages, no row lies in the box of a class of an earlier stage, whose levels are at
    most those of its class, and less in one: it would have been published then. A value
    is out where these boxes cover all of the class's box with that value.

    Parameters
    ----------
    classes
        Of a k-anonymous release.
    k
        The requirement.
    stages
        Whether the release was made by stages, or cannot be improved.

    Returns
    -------
    tuple
        What is told, and for each column, class and value whether it is ruled out.
        ``hidden_by_class`` and ``narrowed_by_class`` count a hidden column of a class
        once, not each of its cells.

    Notes
    -----
    O(g^2 d) comparisons of g classes, as bits; whether boxes cover a box is found by
    recursion over columns, and given up after 2,000 steps: then the value is not out.

    Examples
    --------
    >>> from starmin.instances import Table
    >>> from starmin.verify.audit.classes import classes_of
    >>> from starmin.verify.cells.cells import PlainCells
    >>> rows = [["a"], ["a"], ["b"], ["c"], ["*"], ["*"], ["*"]]
    >>> released = Table.from_rows(["x"], rows, qi=["x"])
    >>> (classes,) = classes_of([released], {"x": PlainCells()})
    >>> found, (out,) = exclusion(classes, 2, stages=False)
    >>> found.narrowed, found.pinned, found.contradictions
    (0, 0, 1)
    """
    out = [
        np.zeros((classes.number, len(each.leaves)), bool) for each in classes.columns
    ]
    for c, others in _earlier(classes, k, stages):
        _exclude(classes, c, others, out)
    return _counted(classes, out), out


def _earlier(classes: Classes, k: int, stages: bool) -> Iterator[tuple[int, Ints]]:
    """Yield classes with those that rows of theirs would have moved to."""
    columns = classes.columns
    if max(len(each.hidden) for each in columns) > MOST_TEXTS:
        raise BeyondError("a column has too many ranges")
    meets = [each.masks.astype(np.float32) for each in columns]
    meet = [np.asarray(mask @ mask.T > 0) for mask in meets]
    levels = np.stack(
        [each.levels[classes.codes[:, j]] for j, each in enumerate(columns)], axis=1
    )
    wanted = classes.hidden.any(axis=1)
    if not stages:
        wanted &= classes.sizes > k
    some = np.flatnonzero(wanted)
    for start in range(0, len(some), CHUNK):
        expect_time()
        part = some[start : start + CHUNK]
        near = np.ones((len(part), classes.number), bool)
        for j, each in enumerate(meet):
            near &= each[classes.codes[part, j]][:, classes.codes[:, j]]
        if stages:
            for j in range(len(columns)):
                near &= levels[:, j] <= levels[part, j, None]
            near &= levels.sum(axis=1) < levels[part].sum(axis=1)[:, None]
        else:
            near &= classes.costs < classes.costs[part, None] - 1e-9
        for i, c in enumerate(part.tolist()):
            others = np.flatnonzero(near[i])
            if len(others):
                yield c, others


def _exclude(classes: Classes, c: int, others: Ints, out: list[Bools]) -> None:
    """Rule out values of one class."""
    hidden = np.flatnonzero(classes.hidden[c]).tolist()
    boxes, leaves = [], []
    for j in hidden:
        column = classes.columns[j]
        box = np.flatnonzero(column.masks[classes.codes[c, j]])
        leaves.append(box)
        boxes.append(column.masks[np.ix_(classes.codes[others, j], box)])
    for place, j in enumerate(hidden):
        here = boxes[place]
        rest = [each for p, each in enumerate(boxes) if p != place]
        kinds, which = np.unique(here, axis=1, return_inverse=True)
        which = which.reshape(-1)
        for kind in range(kinds.shape[1]):
            inside = kinds[:, kind]
            if inside.any() and covered([each[inside] for each in rest]):
                out[j][c, leaves[place][which == kind]] = True


def _counted(classes: Classes, out: list[Bools]) -> Inference:
    narrowed = pinned = by_class = 0
    impossible = np.zeros(classes.number, bool)
    false = None if classes.truth is None else 0
    worst: list[Worst] = []
    for j, column in enumerate(classes.columns):
        boxes = classes.boxes(j)
        left = (boxes & ~out[j]).sum(axis=1)
        told = out[j].any(axis=1)
        impossible |= told & (left == 0)
        narrowed += int(classes.sizes[told & (left > 0)].sum())
        by_class += int(np.count_nonzero(told & (left > 0)))
        single = told & (left == 1)
        pinned += int(classes.sizes[single].sum())
        for c in np.flatnonzero(single)[: MAX_WORST - len(worst)].tolist():
            value = column.leaves[int(np.argmax(boxes[c] & ~out[j][c]))]
            why = f"all rows of its class have {value} in {column.name}"
            worst.append(Worst(int(classes.first[c]) + 1, why))
        if false is not None and (counts := classes.truly(j)) is not None:
            wrong = np.where(out[j], counts, 0).sum(axis=1)
            impossible |= wrong > 0
            false += int(wrong.sum())
    return Inference(
        SOUND,
        hidden=classes.hidden_cells,
        narrowed=narrowed,
        pinned=pinned,
        false=false,
        contradictions=int(np.count_nonzero(impossible)),
        worst=tuple(worst),
        more={
            "hidden_by_class": int(np.count_nonzero(classes.hidden)),
            "narrowed_by_class": by_class,
        },
    )


def covered(boxes: Sequence[Bools]) -> bool:
    """Return whether each combination of values lies in a box.

    The ``boxes`` say for each column which values each box has. False where it is not
    so, or not found in 2,000 steps.

    Examples
    --------
    >>> left, right = np.array([[True, False], [False, True]]), np.ones((2, 2), bool)
    >>> covered([left, right]), covered([left, left])
    (True, False)
    """
    return _covered(list(boxes), [MOST])


def _covered(boxes: list[Bools], left: list[int]) -> bool:
    left[0] -= 1
    if left[0] < 0:
        return False
    if not boxes:
        return True
    whole = np.stack([each.all(axis=1) for each in boxes], axis=1)
    if whole.all(axis=1).any():
        return True
    if not all(each.any(axis=0).all() for each in boxes):
        return False
    # The column whose values are told apart by the fewest boxes comes first.
    sizes = [(~whole[:, j]).sum() for j in range(len(boxes))]
    j = int(np.argmin(np.where(np.array(sizes) == 0, np.iinfo(np.int64).max, sizes)))
    rest = [each for p, each in enumerate(boxes) if p != j]
    kinds = np.unique(boxes[j], axis=1)
    return all(
        _covered([each[kinds[:, kind]] for each in rest], left)
        for kind in range(kinds.shape[1])
    )
