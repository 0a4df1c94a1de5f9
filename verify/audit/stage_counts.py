"""Counts: how many rows of each value a class of a later stage must have."""

import numpy as np

from starmin.instances.arrays import Bools
from starmin.verify.audit.classes import Classes
from starmin.verify.audit.inference import SOUND, Inference
from starmin.verify.beyond import expect_time


def stage_counts(classes: Classes, k: int, out: list[Bools]) -> Inference:
    """Count the cells that are known since values of an earlier stage were too rare.

    A tool that generalizes by stages published whatever had k rows. A class of s rows,
    taken apart by one column one level lower, is made of m combinations that were not
    published, of at most k - 1 rows each. So each has at least s - (m - 1)(k - 1).

    Parameters
    ----------
    classes
        Of a k-anonymous release made by stages.
    k
        The requirement.
    out
        What ``exclusion`` rules out: such values make no combination.

    Examples
    --------
    >>> from starmin.instances import Table
    >>> from starmin.verify.audit.classes import classes_of
    >>> from starmin.verify.cells.cells import PlainCells
    >>> rows = [["*", "1"]] * 5 + [["f", "2"], ["m", "2"]]
    >>> released = Table.from_rows(["sex", "age"], rows, qi=["sex", "age"])
    >>> plain = {"sex": PlainCells(), "age": PlainCells()}
    >>> (classes,) = classes_of([released], plain)
    >>> none = [np.zeros((classes.number, 2), bool)] * 2
    >>> stage_counts(classes, 4, none).pinned
    4
    """
    narrowed = pinned = 0
    impossible = np.zeros(classes.number, bool)
    false = None if classes.truth is None else 0
    for j, column in enumerate(classes.columns):
        expect_time()
        truly = classes.truly(j)
        for c in np.flatnonzero(classes.hidden[:, j]).tolist():
            children = column.children[classes.codes[c, j]]
            there = (children >= 0) & ~out[j][c]
            kinds, sizes = np.unique(children[there], return_counts=True)
            if len(kinds) == 0:
                continue
            s, m = int(classes.sizes[c]), len(kinds)
            impossible[c] |= m * (k - 1) < s
            least = s - (m - 1) * (k - 1)
            if least <= 0 or impossible[c]:
                continue
            narrowed += m * least
            pinned += int(np.count_nonzero(sizes == 1)) * least
            if false is not None and truly is not None:
                for kind in kinds:
                    rows = int(truly[c, children == kind].sum())
                    false += max(0, least - rows)
    return Inference(
        SOUND,
        hidden=classes.hidden_cells,
        narrowed=narrowed,
        pinned=pinned,
        false=false,
        contradictions=int(np.count_nonzero(impossible)),
    )
