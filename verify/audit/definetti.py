"""The deFinetti attack: sensitive values guessed by what all classes say together."""

from collections.abc import Sequence

import numpy as np

from starmin.instances.arrays import Floats, Int32s, Ints
from starmin.verify.audit.inference import STATISTICAL, Inference
from starmin.verify.beyond import expect_time

ROUNDS = 15
SWEEPS = 10  # of fitting chances to rows and classes in turn


def definetti(
    columns: Sequence[Int32s | Ints],
    values: Int32s | Ints,
    groups: Int32s | Ints,
    l: int,
    truth: Int32s | Ints | None,
) -> Inference:
    """Guess the sensitive value of each row from quasi-identifiers and classes.

    Kifer (Attacks on privacy and deFinetti's theorem, SIGMOD 2009): begins with each
    row as likely to have each value of its class, learns by naive Bayes which values go
    with which quasi-identifiers, makes of this new chances that add up to the counts of
    each class (Sinkhorn), and so on, fifteen times. Then the values of each class are
    given to its rows by falling chance.

    Parameters
    ----------
    columns
        The quasi-identifiers of each row, as codes.
    values
        The sensitive values of each class, in any order of its rows.
    groups
        The class of each row.
    l
        No value was to be guessed with a chance above 1/l.
    truth
        The sensitive value of each row, to count what is guessed right; None: it is
        not known.

    Returns
    -------
    Inference
        ``above`` counts rows with a chance above 1/l, ``false`` those of them whose
        likeliest value is not theirs; ``right`` is the share of rows
        that are guessed right, ``base`` that by the most frequent value of each class,
        ``naive_bayes`` that of naive Bayes from the table itself, without the release.

    Notes
    -----
    O(n d v) for each round, for v sensitive values: some seconds for Adult.

    Examples
    --------
    >>> x = s = np.tile([0, 1, 0, 2, 1, 2], 10)
    >>> definetti([x], s, np.arange(60) // 2, 2, s).more["right"] > 0.9
    True
    """
    wide = [column.astype(np.int64) for column in columns]
    values, groups = values.astype(np.int64), groups.astype(np.int64)
    chances, counts = learned(wide, values, groups, ROUNDS)
    above = chances.max(axis=1) * l > 1 + 1e-3
    false = None
    more: dict[str, float | None] = {"right": None, "naive_bayes": None}
    if truth is not None:
        guess = dealt(chances, counts, groups)
        own = np.eye(counts.shape[1])[truth]
        table = likelihood(wide, own).argmax(axis=1)
        false = int(np.count_nonzero(above & (chances.argmax(axis=1) != truth)))
        more = {
            "right": float((guess == truth).mean()),
            "naive_bayes": float((table == truth).mean()),
        }
    base = float(counts.max(axis=1).sum() / len(values))
    return Inference(
        STATISTICAL,
        above=int(np.count_nonzero(above)),
        false=false,
        more=more | {"base": base},
    )


def learned(
    columns: Sequence[Ints], values: Ints, groups: Ints, rounds: int
) -> tuple[Floats, Floats]:
    """Return the chance of each value for each row, and the counts of each class.

    The ``columns`` are the quasi-identifiers of each row as codes, and ``groups`` has
    the class of each row. The sensitive ``values`` of a class may be in any order of
    its rows. Chances are learned ``rounds`` times.
    """
    counts = np.zeros((int(groups.max()) + 1, int(values.max()) + 1))
    np.add.at(counts, (groups, values), 1)
    chances = counts[groups] / counts[groups].sum(axis=1, keepdims=True)
    chances = chances * (1 + 1e-3 * np.random.default_rng(0).random(chances.shape))
    for _ in range(rounds):
        expect_time()
        chances = fitted(likelihood(columns, chances), counts, groups)
    return chances, counts


def likelihood(columns: Sequence[Ints], chances: Floats) -> Floats:
    """Return how likely each row is for each value, by naive Bayes, rows scaled.

    The ``columns`` are the quasi-identifiers of each row; ``chances`` are by row and
    value.
    """
    told = np.log(chances.sum(axis=0) + 1e-9)
    told = np.repeat(told[None], len(chances), axis=0)
    for column in columns:
        sums = np.full((int(column.max()) + 1, chances.shape[1]), 1.0)
        np.add.at(sums, column, chances)
        told += np.log(sums / sums.sum(axis=0))[column]
    return np.asarray(np.exp(told - told.max(axis=1, keepdims=True)))


def fitted(told: Floats, counts: Floats, groups: Ints) -> Floats:
    """Scale rows to add up to 1, and classes to their counts, in turn.

    What is ``told`` is by row and value; ``counts`` says how often each class has each
    value, and ``groups`` the class of each row.
    """
    chances = np.where(counts[groups] > 0, told + 1e-30, 0.0)
    for _ in range(SWEEPS):
        chances /= chances.sum(axis=1, keepdims=True)
        sums = np.zeros_like(counts)
        np.add.at(sums, groups, chances)
        chances *= (counts / np.where(sums > 0, sums, 1))[groups]
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def dealt(chances: Floats, counts: Floats, groups: Ints) -> Ints:
    """Give the values of each class to its rows, the surest pairs first.

    The ``chances`` are by row and value, ``counts`` by class and value; ``groups`` has
    the class of each row.
    """
    left, found = counts.copy(), np.full(len(chances), -1, np.int64)
    width = chances.shape[1]
    ties = np.random.default_rng(0).permutation(chances.size)
    order = ties[np.argsort(-chances.ravel()[ties], kind="stable")]
    order = order[counts[groups].ravel()[order] > 0]
    for place in order.tolist():
        row, value = divmod(place, width)
        if found[row] < 0 and left[groups[row], value] > 0:
            found[row] = value
            left[groups[row], value] -= 1
    return found
