"""Whether some boxes cover all combinations of values, column by column."""

from collections.abc import Sequence

import numpy as np

from starmin.instances.arrays import Bools

MOST = 2_000  # steps of one question


def covered(boxes: Sequence[Bools]) -> bool:
    """Return whether each combination of values lies in a box.

    Parameters
    ----------
    boxes
        For each column: for each box and value whether the box has it.

    Returns
    -------
    bool
        False where it is not so, or not found in 2,000 steps.

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
