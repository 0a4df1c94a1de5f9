"""Ends: the cells that are known since ranges begin and end at people's values."""

from collections.abc import Mapping

import numpy as np

from starmin.instances import Table
from starmin.verify.audit.classes import Classes
from starmin.verify.audit.inference import MAX_WORST, SOUND, Inference, Worst
from starmin.verify.releases.range_ends import range_ends


def ends(
    classes: Classes,
    unrounded: Mapping[str, str | None],
    aligned: Table | None = None,
    forms: Mapping[str, str] | None = None,
) -> Inference | None:
    """Count the cells that are known from both ends of ranges that are not rounded.

    Assumes that a range is no longer than the values of its class ask for. Then one row
    of the class has the lower end, and another one the upper end.

    Parameters
    ----------
    classes
        Of a release.
    unrounded
        Columns whose ranges are not rounded, each with the least width of a range: a
        shorter one was widened, and tells nothing for sure.
    aligned
        The original's rows in the order of the release, if at hand: then what is not so
        is counted.
    forms
        By column of times how they are written.

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
    >>> found = ends(classes, {"age": None})
    >>> found.hidden, found.pinned
    (3, 2)
    """
    pinned = hidden = whole = 0
    worst: list[Worst] = []
    for j, column in enumerate(classes.columns):
        if column.name not in unrounded:
            continue
        least = float(unrounded[column.name] or 0)
        ranged = (column.widths > least)[classes.codes[:, j]]
        hidden += int(classes.sizes[ranged].sum())
        two = ranged & (classes.sizes > 1)
        pinned += 2 * int(np.count_nonzero(two))
        alone = two & (classes.hidden.sum(axis=1) == 1)
        whole += 2 * int(np.count_nonzero(alone))
        for c in np.flatnonzero(alone)[: MAX_WORST - len(worst)].tolist():
            text = classes.released.dictionary(column.name)[classes.codes[c, j]]
            why = f"two rows of its class have the ends of {text}, and no other star"
            worst.append(Worst(int(classes.first[c]) + 1, why))
    if not hidden:
        return None
    false, more = None, {}
    if aligned is not None:
        told = range_ends(aligned, classes.released, unrounded, forms)
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
