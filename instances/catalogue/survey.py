"""A seeded survey: wide rows of yes and no, answered alike by people of a class."""

import numpy as np

from starmin.instances.tables.random_codes import MOST_ROWS, SLOTS, Bits, expect, wheel
from starmin.instances.tables.table import Table

_MOST = 1000


def survey(n: int = 20_000, d: int = 16, classes: int = 5, seed: int = 0) -> Table:
    r"""Generate a table of 0 and 1 from a latent-class model.

    A person is of a class, which is not published, and answers each question by
    chance, independently of the other ones: with 1 by the probability that the class
    has for it. So columns depend on each other through the classes alone, and rows
    are near to those of their class:

    .. math:: P(x) = \sum_c w_c \prod_j p_{cj}^{x_j} (1 - p_{cj})^{1 - x_j}

    Shares w of the classes differ by a factor of 5 at most. Of the probabilities p most
    are near 0 or 1: u is uniform and :math:`p = u^2 (3 - 2 u)`.

    Parameters
    ----------
    n, d
        Rows and QI columns, at most 1000; the columns are q1, q2, ..
    classes
        From 1, columns that are independent, to 1000.
    seed
        Equal seeds give equal tables, whatever the machine or version of numpy.

    Raises
    ------
    TableError
        A parameter is out of range.

    References
    ----------
    P. F. Lazarsfeld, N. W. Henry: Latent Structure Analysis, Houghton Mifflin 1968.

    Examples
    --------
    >>> table = survey(1000, seed=1)
    >>> table.d, table.dictionary("q16"), table.sensitive
    (16, ('0', '1'), ())
    """
    expect("n", n, 1, MOST_ROWS)
    expect("d", d, 1, _MOST)
    expect("classes", classes, 1, _MOST)
    bits = Bits(seed)
    shares = SLOTS // 4 + bits.draw(classes).astype(np.int64)
    class_of_row = wheel(shares)[bits.draw(n)]
    codes = np.empty((d, n), np.int32)
    for j in range(d):
        u = bits.draw(classes).astype(np.int64)
        ones = u * u * (3 * SLOTS - 2 * u) // SLOTS**2  # of SLOTS draws
        codes[j] = bits.draw(n) < ones[class_of_row]
    qi = tuple(f"q{j + 1}" for j in range(d))
    return Table(qi, codes, (("0", "1"),) * d, qi, name="survey")
