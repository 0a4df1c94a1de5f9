"""Seeded tables: without structure, with planted groups, and of normal numbers."""

from math import erf, sqrt

import numpy as np

from starmin.instances.arrays import Int32s
from starmin.instances.tables.random_codes import (
    MOST_ROWS,
    SLOTS,
    Bits,
    even_wheel,
    expect,
    wheel,
)
from starmin.instances.tables.table import Table

_MOST_COLUMNS = 1000


def uniform(
    n: int = 1000, d: int = 5, alphabet: int = 4, sensitive: int = 0, seed: int = 0
) -> Table:
    """Generate a table whose cells are independent and uniform.

    The QI columns are q1, q2, .., with ``alphabet`` values each; the sensitive column s
    has ``sensitive`` values, and there is none if that is 0. Both are at most 65,536.
    Equal seeds give equal tables, whatever the machine or version of numpy. Raises
    TableError where a parameter is out of range.

    Examples
    --------
    >>> table = uniform(100, d=3, alphabet=2, sensitive=5, seed=1)
    >>> table.qi, table.sensitive, len(table.row_types)
    (('q1', 'q2', 'q3'), ('s',), 8)
    """
    codes = _empty(n, d, alphabet, sensitive)
    bits = Bits(seed)
    values = even_wheel(alphabet)
    for j in range(d):
        codes[j] = values[bits.draw(n)]
    return _table("uniform", codes, alphabet, sensitive, bits)


def clustered(
    n: int = 1000,
    d: int = 5,
    alphabet: int = 4,
    centres: int = 10,
    noise: int = 20,
    sensitive: int = 0,
    seed: int = 0,
) -> Table:
    """Draw noisy copies of a few random rows: good groups exist, but overlap.

    As many rows as ``centres`` are copied, each as often as the others; then ``noise``
    per cent of the QI cells are drawn anew. The QI columns are q1, q2, .., with
    ``alphabet`` values each; the sensitive column s has ``sensitive`` values, and there
    is none if that is 0. These and ``centres`` are at most 65,536. Equal seeds give
    equal tables, whatever the machine or version of numpy. Raises TableError where a
    parameter is out of range.

    Examples
    --------
    >>> len(clustered(1000, d=8, alphabet=9, centres=5, noise=0).row_types)
    5
    """
    expect("centres", centres, 1, SLOTS)
    expect("noise", noise, 0, 100)
    codes = _empty(n, d, alphabet, sensitive)
    bits = Bits(seed)
    values = even_wheel(alphabet)
    centre_of_row = even_wheel(centres)[bits.draw(n)]
    for j in range(d):
        centre = values[bits.draw(centres)]
        anew = bits.draw(n) < np.uint32(noise * SLOTS // 100)
        codes[j] = np.where(anew, values[bits.draw(n)], centre[centre_of_row])
    return _table("clustered", codes, alphabet, sensitive, bits)


def normal(n: int = 1000, d: int = 10, tenths: int = 10, seed: int = 0) -> Table:
    """Generate a table of independent normal numbers, rounded to whole ones.

    The random tables of Murakami and Uno; they do not say how they round. ``tenths`` is
    the standard deviation in tenths, from 1 to 1000: 10 and 15 in the paper. Numbers
    rarer than one in 65,536 do not occur. The columns are q1, q2, ..; equal seeds give
    equal tables, whatever the machine or version of numpy. Raises TableError where a
    parameter is out of range.

    References
    ----------
    K. Murakami, T. Uno: Optimization algorithm for k-anonymization of datasets with
    low information loss, International Journal of Information Security 2018.

    Examples
    --------
    >>> table = normal(10_000, d=2, tenths=15)
    >>> sorted(map(int, table.dictionary("q1")))
    [-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6]
    """
    expect("tenths", tenths, 1, 1000)
    codes = _empty(n, d, 1, 0)
    deviation = tenths / 10
    most = int(5 * deviation) + 1
    ends = [erf((v + 0.5) / deviation / sqrt(2)) for v in range(-most - 1, most + 1)]
    shares = np.diff(ends) / 2
    shares[shares < 1 / SLOTS] = 0
    slots = wheel(np.rint(shares * 2**40).astype(np.int64))
    first, last = int(slots[0]), int(slots[-1])
    bits = Bits(seed)
    for j in range(d):
        codes[j] = slots[bits.draw(n)] - np.int32(first)
    numbers = tuple(str(code - most) for code in range(first, last + 1))
    qi = tuple(f"q{j + 1}" for j in range(d))
    return Table(qi, codes, (numbers,) * d, qi, name="normal")


def _empty(n: int, d: int, alphabet: int, sensitive: int) -> Int32s:
    expect("n", n, 1, MOST_ROWS)
    expect("d", d, 1, _MOST_COLUMNS)
    expect("alphabet", alphabet, 1, SLOTS)
    expect("sensitive", sensitive, 0, SLOTS)
    return np.empty((d + (sensitive > 0), n), np.int32)


def _table(
    name: str, codes: Int32s, alphabet: int, sensitive: int, bits: Bits
) -> Table:
    columns, n = codes.shape
    qi = tuple(f"q{j + 1}" for j in range(columns - (sensitive > 0)))
    dictionaries = [tuple(map(str, range(alphabet)))] * len(qi)
    if not sensitive:
        return Table(qi, codes, tuple(dictionaries), qi, name=name)
    codes[-1] = even_wheel(sensitive)[bits.draw(n)]
    dictionaries.append(tuple(map(str, range(sensitive))))
    return Table((*qi, "s"), codes, tuple(dictionaries), qi, ("s",), name)
