"""Infer what hidden cells hold: by closure, by ends of ranges, and by exclusion."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

import numpy as np

from starmin.instances import Coding, Table
from starmin.instances.arrays import Bools, Ints
from starmin.verify.audit.classes import Classes
from starmin.verify.audit.inference import MAX_WORST, SOUND, Inference, Worst
from starmin.verify.cells.time_cells import reading_of
from starmin.verify.exact import BeyondError, expect_time
from starmin.verify.releases.range_ends import exact_sides, range_ends

# Closure: what is known of hidden cells because a node is never too wide.


def closure(classes: Classes) -> Inference:
    """Count the hidden cells that are known since each node is the lowest one.

    Assumes that a star or a node is published only where the rows of a class differ, so
    that they lie below two children of it at least. Where it has two children, each of
    them has a row below it: a cell is known one node lower, and its value if that child
    is one. A starred sex is at least one man and one woman. Least counts of values
    equal those over all multisets of rows that are published so, one column at a time.

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
        worst=_worst(classes, alone),
    )


def known_in_full(classes: Classes) -> Bools:
    """Return for each class whether closure tells all that is hidden of its rows."""
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


def _worst(classes: Classes, whole: Bools) -> tuple[Worst, ...]:
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


# Ends: the cells that are known since ranges begin and end at people's values.

_ONE = "a row of its class has the value at the exact end"


def ends(
    classes: Classes,
    coding: Coding,
    aligned: Table | None = None,
    original: Table | None = None,
) -> Inference | None:
    """Count the cells that are known from the ends of ranges that are not rounded.

    Assumes that a range is no longer than the values of its class ask for. Then one row
    of the class has the lower end, and another one the upper end. A step that moves no
    value rounds nothing; without the original that is judged by the numbers that are
    published, or, where there are none, by their last digits. A range of the least
    width was widened, and tells nothing for sure.

    ``aligned`` is the original's rows in the order of the release, if at hand: then
    what is not so is counted; ``original`` has them in any order. None where no column
    has such ranges.

    >>> from starmin.verify.audit.classes import classes_of
    >>> from starmin.verify.cells.read_cells import read_cells
    >>> rows = [["[31-33]"], ["[31-33]"], ["[31-33]"]]
    >>> released = Table.from_rows(["age"], rows, qi=["age"])
    >>> coding = Coding("generalization", numeric=("age",))
    >>> (classes,) = classes_of([released], read_cells(released, coding))
    >>> found = ends(classes, coding)
    >>> found.hidden, found.pinned
    (3, 2)
    """
    pinned = hidden = whole = 0
    worst: list[Worst] = []
    for j, column in enumerate(classes.columns):
        if column.name not in coding.least_widths:
            continue
        known = _known_ends(column.name, classes.released, coding, original)
        if not known:
            continue
        least = float(coding.least_widths[column.name] or 0)
        ranged = (column.widths > least)[classes.codes[:, j]]
        hidden += int(classes.sizes[ranged].sum())
        several = ranged & (classes.sizes > 1)
        pinned += known * int(np.count_nonzero(several))
        alone = several & (classes.hidden.sum(axis=1) == 1)
        whole += known * int(np.count_nonzero(alone))
        who = "two rows of its class have the ends" if known == 2 else _ONE
        for c in np.flatnonzero(alone)[: MAX_WORST - len(worst)].tolist():
            text = classes.released.dictionary(column.name)[classes.codes[c, j]]
            why = f"{who} of {text}, and no other star"
            worst.append(Worst(int(classes.first[c]) + 1, why))
    if not hidden:
        return None
    false, more = None, {}
    if aligned is not None:
        told = range_ends(aligned, classes.released, coding)
        false = pinned - (0 if told is None else told.ends)
        more = {"alone": 0 if told is None else told.alone}
    return Inference(
        SOUND,
        hidden=hidden,
        narrowed=pinned,
        pinned=pinned,
        whole=whole,
        false=false,
        worst=tuple(worst),
        more=more,
    )


def _known_ends(
    column: str, released: Table, coding: Coding, original: Table | None
) -> int:
    """Return how many ends of its ranges are values of a column: none, one or both."""
    step, there = coding.steps.get(column), released if original is None else original
    if step is None:
        return 2
    gaps = {coding.star, *coding.missing}
    texts = [text for text in there.dictionary(column) if text not in gaps]
    reading = reading_of(texts, coding.forms.get(column))
    found = [each for text in texts if (each := reading.ends(text)) is not None]
    numbers = {low for low, high in found if low == high}
    if not numbers:  # one that is written alike is next to each end
        tick = min((reading.tick(low) for low, _ in found), default=Decimal(0))
        numbers = {low + tick for low, _ in found}
    return sum(exact_sides(numbers, reading, step)) if numbers else 0


# Exclusion: values that a hidden cell cannot have, since the row would have moved.

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

    Returned is what is told, and for each column, class and value whether it is ruled
    out. ``hidden_by_class`` and ``narrowed_by_class`` count a hidden column of a class
    once, not each of its cells. O(g^2 d) comparisons of g classes; whether boxes cover
    a box is given up after 2,000 steps: then the value is not out.

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
    levels = classes.levels
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


def covered(boxes: Sequence[Bools], left: list[int] | None = None) -> bool:
    """Return whether each combination of values lies in a box.

    The ``boxes`` say for each column which values each box has. False where it is not
    so, or not found in the steps that are ``left``: 2,000 in all.
    """
    left = left or [MOST]
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
        covered([each[kinds[:, kind]] for each in rest], left)
        for kind in range(kinds.shape[1])
    )
