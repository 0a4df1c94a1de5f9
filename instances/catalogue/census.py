"""A seeded table like the census tables on which the literature measures."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Ints
from starmin.instances.errors import TableError
from starmin.instances.tables.random_codes import MOST_ROWS, Bits, expect, wheel
from starmin.instances.tables.table import Table

_CLASSES = 12  # walks of life, hidden: what makes the columns depend on each other
_UNIT = 10**9


@dataclass(frozen=True)
class _Column:
    name: str
    values: tuple[str, ...]
    weights: Callable[[int], Ints]
    """Weights of the values in hidden class c."""


def census(
    n: int = 10_000,
    sensitive: Literal["occupation", "income", "none"] = "occupation",
    seed: int = 0,
) -> Table:
    """Generate a table like the census tables SAL and OCC: columns, cardinalities.

    Age 79, gender 2, race 9, marital status 6, birth place 56, education 17 and work
    class 9 values; occupation or income 50. Values are skewed, and columns depend on
    each other: every person belongs to one of twelve hidden classes, and each class
    has its own distribution in each column. The population is always the same; the
    seed draws the persons.

    Parameters
    ----------
    n
        Rows.
    sensitive
        ``occupation`` (as in OCC) or ``income`` (as in SAL); ``none``: nothing is
        sensitive and occupation is the eighth QI column, as Murakami and Uno have it.
    seed
        Equal seeds give equal tables, whatever the machine or version of numpy.

    Raises
    ------
    TableError
        A parameter is out of range.

    Notes
    -----
    10 million rows take about two seconds and 350 MB.

    References
    ----------
    X. Xiao, K. Yi, Y. Tao: The Hardness and Approximation Algorithms for l-Diversity,
    EDBT 2010, Table 6 (domain sizes). K. Murakami, T. Uno: Optimization Algorithm for
    k-Anonymization of Datasets with Low Information Loss, 2018, Table 7.

    Examples
    --------
    >>> table = census(1000, sensitive="income", seed=7)
    >>> table.d, table.sensitive
    (7, ('income',))
    """
    return census_part(0, n, n, sensitive, seed)


def census_part(
    start: int,
    stop: int,
    n: int = 10_000,
    sensitive: Literal["occupation", "income", "none"] = "occupation",
    seed: int = 0,
) -> Table:
    """Generate some of the rows of ``census(n, sensitive, seed)``.

    ``start`` is the first row, a multiple of 4, and ``stop`` the one after the last;
    the other parameters are those of the whole table.

    Examples
    --------
    >>> census_part(4, 7, 10).rows() == census(10).rows()[4:7]
    True
    """
    expect("n", n, 1, MOST_ROWS)
    if sensitive not in ("occupation", "income", "none"):
        raise TableError(
            f"Expected sensitive = occupation, income or none, got {sensitive!r}."
        )
    last = _INCOME if sensitive == "income" else _OCCUPATION
    columns = (*_QI, last)
    bits = Bits(seed)

    def draw() -> npt.NDArray[np.uint16]:
        bits.skip(start)
        drawn = bits.draw(stop - start)
        bits.skip(4 * (-(-n // 4) - -(-stop // 4)))
        return drawn

    class_of_row = wheel(_UNIT // np.arange(2, _CLASSES + 2))[draw()]
    offset = class_of_row.astype(np.uint32) << 16
    codes = np.empty((len(columns), stop - start), np.int32)
    for j, column in enumerate(columns):
        wheels = np.concatenate([wheel(column.weights(c)) for c in range(_CLASSES)])
        codes[j] = wheels[offset | draw()]
    names = tuple(column.name for column in columns)
    return Table(
        names,
        codes,
        tuple(column.values for column in columns),
        names if sensitive == "none" else names[:-1],
        () if sensitive == "none" else names[-1:],
        "census",
    )


def _bell(size: int, centre: int, spread: int) -> Ints:
    """Draw ordered values around a centre; none is impossible."""
    away = (np.arange(size, dtype=np.int64) - centre) ** 4
    return _UNIT // 1000 * spread**4 // (spread**4 + away)


def _skewed(size: int, flat: int, power: int, shift: int) -> Ints:
    """Draw few frequent values and many rare ones, some favoured by the class."""
    common = _UNIT // (np.arange(size, dtype=np.int64) + flat) ** power
    return 12 * common + np.roll(common, shift)


def _numerals(first: int, size: int) -> tuple[str, ...]:
    return tuple(str(value) for value in range(first, first + size))


_QI = (
    _Column("age", _numerals(17, 79), lambda c: _bell(79, 3 + 6 * (7 * c % 12), 9)),
    _Column(
        "gender", ("female", "male"), lambda c: np.array([9, 4 + 5 * c % 12], np.int64)
    ),
    _Column("race", _numerals(1, 9), lambda c: _skewed(9, 1, 3, c)),
    _Column("marital_status", _numerals(1, 6), lambda c: _skewed(6, 1, 2, 5 * c)),
    _Column("birth_place", _numerals(1, 56), lambda c: _skewed(56, 1, 2, 17 * c)),
    _Column("education", _numerals(0, 17), lambda c: _bell(17, 4 + 5 * c % 12, 1)),
    _Column("work_class", _numerals(1, 9), lambda c: _skewed(9, 1, 3, 2 * c)),
)
_OCCUPATION = _Column(
    "occupation",
    _numerals(1, 50),
    lambda c: _bell(50, 13 * c % 50, 9) + _skewed(50, 6, 1, 13 * c) // 1000,
)
_INCOME = _Column("income", _numerals(1, 50), lambda c: _bell(50, 4 * c, 6))
