"""How many rows of a table change, and because of which columns: counts alone."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from starmin.instances import Table

_MUCH = 0.5  # of the rows change, from which columns to leave out are named
_MOST_LEFT_OUT = 3
_CELLS = 10_000_000  # beyond, one column to leave out is looked for
_SEED = 76
_Keys = npt.NDArray[np.uint64]


def cost_words(table: Table, qi: Sequence[str], k: int) -> str:
    """Say how many rows change by all quasi-identifiers, and without the dearest ones.

    Rows are compared by sums of random numbers of 64 bits, one for each value, so that
    a column is left out by a subtraction: two of a million different rows are taken for
    one with a probability of 3e-8.

    Examples
    --------
    >>> rows = [["f", str(i)] for i in range(6)]
    >>> table = Table.from_rows(["sex", "born"], rows, qi=["sex", "born"])
    >>> print(cost_words(table, ["sex", "born"], 2))
    By these 2 quasi-identifiers, as they stand, 6 of 6 rows look like
    no other, and change; without born 0.
    """
    rng = np.random.default_rng(_SEED)
    marks = {c: rng.integers(0, 2**64, len(table.dictionary(c)), np.uint64) for c in qi}
    keys = np.zeros(table.n, np.uint64)
    for column in qi:
        keys += marks[column][table.column(column)]
    below = _rows_below(keys, k)
    many = f"these {len(qi)} quasi-identifiers, as they stand"
    many = many if len(qi) > 1 else f"{qi[0]}, as it stands"
    others = "no other" if k == 2 else f"fewer than {k - 1:,} others"
    said = f"By {many}, {below:,} of {table.n:,} rows look like\n{others}, and change"
    left, gone = list(qi), list[str]()
    most = _MOST_LEFT_OUT if table.n * len(qi) <= _CELLS else 1
    while below > _MUCH * table.n and len(left) > 1 and len(gone) < most:
        without = {c: _rows_below(keys - marks[c][table.column(c)], k) for c in left}
        dearest = min(left, key=without.__getitem__)
        if without[dearest] >= below:
            break
        below = without[dearest]
        keys -= marks[dearest][table.column(dearest)]
        left.remove(dearest)
        gone.append(dearest)
        listed = " and ".join(filter(None, [", ".join(gone[:-1]), gone[-1]]))
        said += f"; without {listed} {below:,}"
    return f"{said}."


def _rows_below(keys: _Keys, k: int) -> int:
    """Count the rows that fewer than k - 1 others have the key of."""
    ordered = np.sort(keys)
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[starts, len(keys)])
    return int(sizes[sizes < k].sum())
