"""How many values of Anatomy the deFinetti attack guesses right.

    python benchmarks/papers/attacks/definetti.py DATA [--l 2,4] [--rounds 15]

DATA has ``adult.csv``. Anatomy publishes the quasi-identifiers as they are and the
sensitive values (the occupation) by group, l-diverse. Whoever knows nothing but the
groups guesses about one in l right. The attack (Kifer, Attacks on privacy and
deFinetti's theorem, SIGMOD 2009) learns from the release alone which values go with
which quasi-identifiers: it begins with each row as likely to have each value of its
group, counts naive Bayes probabilities, makes of these new chances that add up to the
counts of each group, and so on. Then each group's values are given to its rows by
falling chance.
"""

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

from starmin.heuristics.recoding.anatomy import anatomy
from starmin.instances import LDiversity, Table, read_table

QI = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "salary-class",
)
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def guessed_right(table: Table, groups: Ints, rounds: int = 15) -> float:
    """Return the share of the rows whose sensitive value is guessed right.

    Parameters
    ----------
    table
        With one sensitive column. The value of each row is used but to count what was
        guessed right, and to know how often each value occurs in each group.
    groups
        The group of each row, 0, 1, ..
    rounds
        Times that chances are learned.

    Examples
    --------
    >>> rows = [[x, s] for x, s in 20 * ["ay", "ay", "bz", "bz"]]
    >>> table = Table.from_rows(["x", "s"], rows, qi=["x"], sensitive=["s"])
    >>> guessed_right(table, np.arange(80) // 4) > 0.9
    True
    """
    truth = table.column(table.sensitive[0]).astype(np.int64)
    values = int(truth.max()) + 1
    counts = np.zeros((int(groups.max()) + 1, values))
    np.add.at(counts, (groups, truth), 1)
    chances = counts[groups] / counts[groups].sum(axis=1, keepdims=True)
    chances = chances * (1 + 1e-3 * np.random.default_rng(0).random(chances.shape))
    for _ in range(rounds):
        chances = fitted(likelihood(table, chances), counts, groups)
    return float((dealt(chances, counts, groups) == truth).mean())


def likelihood(table: Table, chances: Floats) -> Floats:
    """Return how likely each row is for each value, by naive Bayes, rows scaled."""
    told = np.log(chances.sum(axis=0) + 1e-9)
    told = np.repeat(told[None], table.n, axis=0)
    for name in table.qi:
        column, size = table.column(name), len(table.dictionary(name))
        sums = np.full((size, chances.shape[1]), 1.0)
        np.add.at(sums, column, chances)
        told += np.log(sums / sums.sum(axis=0))[column]
    return np.exp(told - told.max(axis=1, keepdims=True))


def fitted(told: Floats, counts: Floats, groups: Ints, sweeps: int = 10) -> Floats:
    """Scale rows to add up to 1, and groups to their counts, in turn (Sinkhorn)."""
    chances = np.where(counts[groups] > 0, told + 1e-30, 0.0)
    for _ in range(sweeps):
        chances /= chances.sum(axis=1, keepdims=True)
        sums = np.zeros_like(counts)
        np.add.at(sums, groups, chances)
        chances *= (counts / np.where(sums > 0, sums, 1))[groups]
    return chances / chances.sum(axis=1, keepdims=True)


def dealt(chances: Floats, counts: Floats, groups: Ints) -> Ints:
    """Give the values of each group to its rows, the surest pairs first."""
    left, found = counts.copy(), np.full(len(chances), -1, np.int64)
    for place in np.argsort(-chances, axis=None, kind="stable"):
        row, value = divmod(int(place), chances.shape[1])
        if found[row] < 0 and left[groups[row], value] > 0:
            found[row] = value
            left[groups[row], value] -= 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="the folder of adult.csv")
    parser.add_argument("--l", default="2,4", help="values, with commas")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--rows", type=int, help="of the table; default: all")
    asked = parser.parse_args()
    table = read_table(asked.data / "adult.csv").with_roles(QI, ["occupation"])
    if asked.rows:
        table = table.take(np.arange(asked.rows))
    print("l    guessed right    by the groups alone")
    for l in map(int, asked.l.split(",")):
        found = anatomy(table, LDiversity(l), shuffle_seed=0)
        assert found.best is not None
        groups = found.best.groups.astype(np.int64)
        right = guessed_right(table, groups, asked.rounds)
        alone = guessed_right(table, groups, 0)
        print(f"{l:<4} {right:13.1%} {alone:22.1%}")


if __name__ == "__main__":
    main()
