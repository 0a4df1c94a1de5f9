"""Differencing: what several releases of one table show together, row by row."""

from collections.abc import Sequence

import numpy as np

from starmin.instances.arrays import Bools, Ints
from starmin.verify.audit.classes import Classes
from starmin.verify.audit.inference import MAX_WORST, Inference, Worst
from starmin.verify.audit.inference import SOUND as LABEL
from starmin.verify.beyond import expect_time


def in_one_order(releases: Sequence[Classes]) -> Inference | None:
    """Intersect the cells of releases row by row, as if their rows were in one order.

    The ``releases`` are two or more of one table. In what is returned, ``hidden``
    counts the cells of the release that hides most, ``narrowed`` those that another
    release tells more of, ``pinned`` those that together have one value, and ``whole``
    the rows of which each cell is known so. Rows that would have no value in some
    column are contradictions: then the orders differ. None where the numbers of rows
    differ.

    Notes
    -----
    O(n d) after a group-by of each column.

    Examples
    --------
    >>> from starmin.instances import Table
    >>> from starmin.verify.audit.classes import classes_of
    >>> from starmin.verify.cells.cells import PlainCells
    >>> def table(*rows): return Table.from_rows(["a", "b"], rows, qi=["a", "b"])
    >>> one = table("*x", "*x", "2y")
    >>> two = table("1x", "2*", "2*")
    >>> plain = {"a": PlainCells(), "b": PlainCells()}
    >>> found = in_one_order(classes_of([one, two], plain))
    >>> found.hidden, found.narrowed, found.pinned, found.whole
    (2, 2, 2, 2)
    """
    if len({release.released.n for release in releases}) > 1:
        return None
    most = max(releases, key=lambda release: release.hidden_cells)
    hidden_in_row = most.hidden[most.of_row]
    sizes = [_together(releases, j) for j in range(len(most.columns))]
    left = np.stack([together for together, _, _ in sizes], axis=1)
    own = np.stack([alone for _, alone, _ in sizes], axis=1)
    own = own[:, :, releases.index(most)]
    fits = np.asarray((left > 0).all(axis=1))
    narrowed = hidden_in_row & (left < own) & fits[:, None]
    pinned = narrowed & (left == 1)
    whole = hidden_in_row.any(axis=1) & (pinned | ~hidden_in_row).all(axis=1)
    right = np.stack([right for _, _, right in sizes], axis=1)
    worst = [
        Worst(row + 1, f"{np.count_nonzero(pinned[row])} hidden cells are shown")
        for row in np.argsort(-pinned.sum(axis=1), kind="stable")[:MAX_WORST].tolist()
        if pinned[row].any()
    ]
    return Inference(
        LABEL,
        hidden=most.hidden_cells,
        narrowed=int(np.count_nonzero(narrowed)),
        pinned=int(np.count_nonzero(pinned)),
        whole=int(np.count_nonzero(whole)),
        false=None if most.truth is None else int((pinned & ~right).sum()),
        contradictions=int(np.count_nonzero(~fits)),
        worst=tuple(worst),
    )


def _together(releases: Sequence[Classes], j: int) -> tuple[Ints, Ints, Bools]:
    """Return for each row how many values a cell has together, and in each release.

    And whether its value in the original is one of them; True without an original.
    """
    expect_time()
    codes = np.stack([each.codes[each.of_row, j] for each in releases], axis=1)
    kinds, which = np.unique(codes, axis=0, return_inverse=True)
    masks = [each.columns[j].masks[kinds[:, i]] for i, each in enumerate(releases)]
    both = np.logical_and.reduce(masks)
    together = both.sum(axis=1)
    alone = np.stack([mask.sum(axis=1) for mask in masks], axis=1)
    which = which.reshape(-1)
    right = np.ones(len(which), bool)
    for release in releases:
        if release.truth is not None:
            right &= both[which, release.truth[j]]
    return together[which].astype(np.int64), alone[which].astype(np.int64), right
