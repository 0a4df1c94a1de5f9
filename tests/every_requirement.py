"""A requirement of each kind, and tables of losses that they may be asked of."""

import random

from starmin.instances import (
    KAnonymity,
    LDiversity,
    MaxShare,
    Objective,
    Requirement,
    Table,
)
from starmin.instances.requirements.requirements import REQUIREMENTS
from tests.small_losses import VALUES, random_scales

NONE = Requirement.example.__func__
SINGLE = [kind for kind in REQUIREMENTS if kind.example.__func__ is not NONE]
MAKERS = [
    *(kind.example for kind in SINGLE),
    lambda table: KAnonymity(4) & LDiversity(2),
    lambda table: MaxShare(0.6) & KAnonymity(3),
]


def large_problem(seed: int, n: int) -> tuple[Table, Objective]:
    """A table of numbers, a tree and a flat column, with losses of some kind."""
    rng = random.Random(seed)
    columns = [VALUES + "?", VALUES, VALUES, "wxyz", "1234"]
    rows = [[rng.choice(known) for known in columns] for _ in range(n)]
    table = Table.from_rows(["a", "b", "c", "s", "own"], rows, list("abc"), ["s"])
    how = {"a": "numeric", "b": "tree", "c": "flat"}
    return table, Objective("gcp", scales=random_scales(rng, table, how))
