"""A seeded table whose sensitive value depends, more or less, on the other columns."""

import numpy as np

from starmin.instances.tables.random_codes import (
    MOST_ROWS,
    SLOTS,
    Bits,
    even_wheel,
    expect,
)
from starmin.instances.tables.table import Table

_COEFFICIENTS = (1, 3, 7, 9)  # each digit decides
_DIGITS = tuple(map(str, range(10)))


def correlated(n: int = 1000, correlation: int = 50, seed: int = 0) -> Table:
    r"""Generate a table of digits, the sensitive one in part a sum of the others.

    The four QI columns are independent and uniform; the sensitive value is

    .. math:: s = (A_1 + 3 A_2 + 7 A_3 + 9 A_4) \bmod 10

    in ``correlation`` per cent of the rows, and a random digit in the others. The more
    it is, the farther apart are rows of different values.

    Parameters
    ----------
    n
        Rows.
    correlation
        From 0 to 100.
    seed
        Equal seeds give equal tables, whatever the machine or version of numpy. For
        other correlations only sensitive values differ.

    Raises
    ------
    TableError
        A parameter is out of range.

    References
    ----------
    G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis, A framework for efficient data
    anonymization under privacy and accuracy constraints, ACM TODS 34(2), 2009, section
    7.2, where the coefficients are not named.

    Examples
    --------
    >>> table = correlated(1000, correlation=100)
    >>> table.d, len(table.sensitive_types) == len(table.row_types)
    (4, True)
    """
    expect("n", n, 1, MOST_ROWS)
    expect("correlation", correlation, 0, 100)
    bits, digits = Bits(seed), even_wheel(10)
    codes = np.empty((5, n), np.int32)
    codes[4] = 0
    for j, coefficient in enumerate(_COEFFICIENTS):
        codes[j] = digits[bits.draw(n)]
        codes[4] += coefficient * codes[j]
    codes[4] %= 10
    free = bits.draw(n) >= np.uint32(correlation * SLOTS // 100)
    codes[4] = np.where(free, digits[bits.draw(n)], codes[4])
    qi = ("q1", "q2", "q3", "q4")
    return Table((*qi, "s"), codes, (_DIGITS,) * 5, qi, ("s",), "correlated")
