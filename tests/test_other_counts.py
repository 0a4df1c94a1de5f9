"""Tests that what other tools would count is what their definitions say."""

import random

import numpy as np
import pytest

from starmin.verify.releases.mask_check import count_by_others
from tests.seeds import seeds

Row = tuple[str, ...]


def agrees(a: Row, b: Row) -> bool:
    """Whether two rows are equal wherever both show a value."""
    return all("*" in (x, y) or x == y for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("seed", seeds(67))
def test_counts_are_those_of_the_definitions(seed: int) -> None:
    rng = random.Random(seed)
    n, d, k = rng.randint(1, 9), rng.randint(1, 3), rng.randint(2, 4)
    original = [tuple(rng.choice("01") for _ in range(d)) for _ in range(n)]
    released = [
        tuple("*" if rng.random() < 0.3 else cell for cell in row) for row in original
    ]
    whole = [row for row in released if "*" not in row]
    argus = sum(whole.count(row) <= k - 1 for row in whole)
    wild = sum(sum(agrees(a, b) for b in released) < k for a in released)
    strict = sum("*" in a or whole.count(a) < k for a in released)
    classes = sum(released.count(row) < k for row in released)
    persons = sum(sum(agrees(a, b) for b in released) < k for a in original)
    cells = np.array([[int(cell) for cell in row] for row in original])
    hidden = np.array([[cell == "*" for cell in row] for row in released])
    found = count_by_others(cells, hidden, k, cells)
    counts = argus, wild, strict, classes, persons
    assert tuple(vars(found).values()) == counts
