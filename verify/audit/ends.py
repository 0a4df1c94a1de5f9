"""Ends: the cells that are known since ranges begin and end at people's values."""

from decimal import Decimal

import numpy as np

from starmin.instances import Coding, Table
from starmin.verify.audit.classes import Classes
from starmin.verify.audit.inference import MAX_WORST, SOUND, Inference, Worst
from starmin.verify.cells.time_cells import reading_of
from starmin.verify.releases.range_ends import exact_sides, range_ends

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
    published, or, where there are none, by their last digits.

    Parameters
    ----------
    classes
        Of a release.
    coding
        How the release is coded. A range of the least width was widened, and tells
        nothing for sure.
    aligned
        The original's rows in the order of the release, if at hand: then what is not so
        is counted.
    original
        The original in any order, if at hand.

    Returns
    -------
    Inference or None
        None where no column has such ranges.

    Examples
    --------
    >>> from starmin.instances import Coding
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
