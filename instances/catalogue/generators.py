"""Seeded tables: without structure, with planted groups, and of normal numbers.

Equal seeds give equal tables, whatever the machine or version of numpy. All raise
TableError for a parameter out of range.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from math import erf, sqrt
from typing import Literal

import numpy as np
import numpy.typing as npt

from starmin.instances.arrays import Int32s, Ints
from starmin.instances.errors import TableError
from starmin.instances.tables.random_orders import (
    MOST_ROWS,
    SLOTS,
    Bits,
    even_wheel,
    expect,
    wheel,
)
from starmin.instances.tables.table import Table

# A seeded table like the census tables on which the literature measures.

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
    each other: every person belongs to one of twelve hidden classes, and each class has
    its own distribution in each column. The population is always the same; the seed
    draws the persons.

    ``sensitive`` is ``occupation`` (as in OCC) or ``income`` (as in SAL); ``none``:
    nothing is sensitive and occupation is the eighth QI column, as Murakami and Uno
    have it.

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


# Seeded tables on which the three-phase algorithm TP needs its later phases.


def hard_residue(
    l: int = 3, height: int = 10, phase: int = 3, d: int = 3, seed: int = 0
) -> Table:
    """Generate an l-eligible table on which TP ends in phase 2 or in phase 3.

    Two to l - 1 sensitive values, the pillars, have ``height`` rows each that share
    their QI values with no other value: phase 1 moves just these to the residue, which
    then has fewer than l values. For phase 3 every other group is thin (the most
    frequent of its values covers exactly 1/l of it) and holds a pillar, so that it is
    dead at once; for phase 2 there are, besides, enough groups without a pillar. Thin
    groups are added until the table as a whole is l-eligible.

    ``l`` is from 3 to 100: for l = 2 phase 3 never runs. ``phase`` is 2 or 3. No two
    groups agree on all of the ``d`` QI columns.

    References
    ----------
    X. Xiao, K. Yi, Y. Tao, The hardness and approximation algorithms for l-diversity,
    EDBT 2010, section 5; phase 3 never ran on their data.

    Examples
    --------
    >>> table = hard_residue(l=3, height=2, seed=1)
    >>> table.d, table.sensitive
    (3, ('s',))
    """
    expect("l", l, 3, 100)
    expect("height", height, 1, 10_000)
    expect("phase", phase, 2, 3)
    expect("d", d, 1, 20)
    groups = _lonely_and_thin(Bits(seed), l, height, phase)
    return _spread(Bits(seed + 1), groups, d)


def _lonely_and_thin(dice: Bits, l: int, height: int, phase: int) -> list[Counter[int]]:
    """Return the groups, each as its rows by sensitive value; pillars first."""
    pillars = range(2 + dice.below(l - 2))
    others = range(len(pillars), len(pillars) + 2 * l)
    groups = []
    for pillar in pillars:
        here = 1 + dice.below(height)
        groups += [Counter({pillar: here}), Counter({pillar: height - here})]
    total = sum(groups, Counter[int]())
    if phase == 2:
        spare = Counter[int]()
        while spare.total() < l * height:
            spare += _add_thin(dice, groups, total, l, [], others)
    while total.total() < l * max(total.values()):
        least = sorted(pillars, key=total.__getitem__)
        most = 2 if len(pillars) > 2 and dice.below(4) == 0 else 1
        _add_thin(dice, groups, total, l, least[:most], others)
    return [group for group in groups if group]


def _add_thin(
    dice: Bits,
    groups: list[Counter[int]],
    total: Counter[int],
    l: int,
    pillars: list[int],
    others: range,
) -> Counter[int]:
    """Add a thin group with these pillars and the rarest of the other values."""
    each = 1 + dice.below(3)
    rarest = sorted(others, key=lambda value: (total[value], dice.below(2**16)))
    group = Counter(dict.fromkeys([*pillars, *rarest[: l - len(pillars)]], each))
    last = rarest[l - len(pillars) - 1]
    if each > 1 and dice.below(2):  # its rows shared by two values, it stays thin
        group[last] -= 1
        group[rarest[l]] += 1
    groups.append(group)
    total += group
    return group


def _spread(dice: Bits, groups: list[Counter[int]], d: int) -> Table:
    """Make a table with other QI values for each group, rows in random order."""
    base = 2
    while base**d < len(groups):
        base += 1
    start = dice.below(base**d)
    rows = []
    for index, group in enumerate(groups):
        code = (start + index) % base**d
        qi = [str(code // base**j % base) for j in range(d)]
        for value, count in sorted(group.items()):
            rows += [[*qi, str(value)]] * count
    keys = [dice.below(2**16) for _ in rows]
    order = np.argsort(keys, kind="stable")
    names = [f"q{j + 1}" for j in range(d)]
    return Table.from_rows(
        [*names, "s"], [rows[i] for i in order], names, ["s"], "hard_residue"
    )


# A seeded survey: wide rows of yes and no, answered alike by people of a class.

_MOST = 1000  # columns, and classes


def survey(n: int = 20_000, d: int = 16, classes: int = 5, seed: int = 0) -> Table:
    r"""Generate a table of 0 and 1 from a latent-class model.

    It has ``n`` rows and ``d`` QI columns, q1, q2, .., at most 1000. A person is of a
    class, which is not published, and answers each question by chance, independently of
    the other ones: with 1 by the probability that the class has for it. So columns
    depend on each other through the classes alone, and rows are near to those of their
    class:

    .. math:: P(x) = \sum_c w_c \prod_j p_{cj}^{x_j} (1 - p_{cj})^{1 - x_j}

    Shares w of the classes differ by a factor of 5 at most. Of the probabilities p most
    are near 0 or 1: u is uniform and :math:`p = u^2 (3 - 2 u)`.

    ``classes`` is from 1, columns that are independent, to 1000.

    References
    ----------
    P. F. Lazarsfeld, N. W. Henry: Latent Structure Analysis, Houghton Mifflin 1968.

    Examples
    --------
    >>> table = survey(1000, seed=1)
    >>> table.d, table.dictionary("q16"), table.sensitive
    (16, ('0', '1'), ())
    """
    codes = _empty(n, d, 1, 0)
    expect("classes", classes, 1, _MOST)
    bits = Bits(seed)
    shares = SLOTS // 4 + bits.draw(classes).astype(np.int64)
    class_of_row = wheel(shares)[bits.draw(n)]
    for j in range(d):
        u = bits.draw(classes).astype(np.int64)
        ones = u * u * (3 * SLOTS - 2 * u) // SLOTS**2  # of SLOTS draws
        codes[j] = bits.draw(n) < ones[class_of_row]
    qi = tuple(f"q{j + 1}" for j in range(d))
    return Table(qi, codes, (("0", "1"),) * d, qi, name="survey")


def uniform(
    n: int = 1000, d: int = 5, alphabet: int = 4, sensitive: int = 0, seed: int = 0
) -> Table:
    """Generate a table whose cells are independent and uniform.

    The QI columns are q1, q2, .., with ``alphabet`` values each; the sensitive column s
    has ``sensitive`` values, and there is none if that is 0. Both are at most 65,536.

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
    is none if that is 0. These and ``centres`` are at most 65,536.

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
    rarer than one in 65,536 do not occur. The columns are q1, q2, ..

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
    expect("d", d, 1, _MOST)
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
