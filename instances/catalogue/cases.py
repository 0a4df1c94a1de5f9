"""A seeded public health table: cases of an illness, as agencies publish them."""

import numpy as np

from starmin.instances.arrays import Ints
from starmin.instances.tables.random_codes import MOST_ROWS, Bits, expect, wheel
from starmin.instances.tables.table import Table

_COUNTIES = 12
_MONTHS = tuple(f"2024-{month:02}" for month in range(1, 13))
_AGES = ("0-17", "18-49", "50-64", "65+")
_RACES = ("White", "Black", "Asian", "American Indian", "Pacific Islander", "Multiple")
_VALUES = (
    tuple(f"county {number:02}" for number in range(1, _COUNTIES + 1)),
    _MONTHS,
    _AGES,
    ("female", "male"),
    _RACES,
    ("not Hispanic", "Hispanic"),
    ("no", "yes", "unknown"),
    ("no", "yes"),
)
_NAMES = ("county", "reported", "age", "sex", "race", "ethnicity", "hospital", "died")
_WEIGHTS: tuple[tuple[int, ...], ...] = (
    tuple(4096 >> number for number in range(_COUNTIES)),
    (9, 7, 4, 3, 2, 2, 3, 3, 4, 6, 8, 9),
    (15, 45, 22, 18),
    (52, 48),
    (700, 150, 80, 25, 10, 35),
    (85, 15),
    (60, 15, 25),
    (97, 3),
)


def cases(n: int = 5000, seed: int = 0) -> Table:
    """Generate cases of an illness: where, when, who, and how they ended.

    Twelve counties, each with half as many cases as the one before; months, age groups,
    sex, race, ethnicity; in hospital or not, dead or not, both of which are more
    frequent among the old.

    Parameters
    ----------
    n
        Cases.
    seed
        Equal seeds give equal tables, whatever the machine or version of numpy.

    Raises
    ------
    TableError
        A parameter is out of range.

    Examples
    --------
    >>> table = cases(1000, seed=1)
    >>> table.d, table.dictionary("sex")
    (8, ('female', 'male'))
    """
    expect("n", n, 1, MOST_ROWS)
    bits = Bits(seed)
    codes = np.empty((len(_NAMES), n), np.int32)
    for j, weights in enumerate(_WEIGHTS):
        codes[j] = wheel(np.array(weights, np.int64))[bits.draw(n)]
    old: Ints = np.flatnonzero(codes[_NAMES.index("age")] == len(_AGES) - 1)
    for name, weights in (("hospital", (35, 45, 20)), ("died", (85, 15))):
        worse = wheel(np.array(weights, np.int64))
        codes[_NAMES.index(name), old] = worse[bits.draw(len(old))]
    return Table(_NAMES, codes, _VALUES, _NAMES, name="cases")
