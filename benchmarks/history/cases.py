"""The fixed cases of the history: small, seeded, and all together a minute.

Cases without a limit give the same value and bound each time. Those of ``auto`` end by
the clock, so they may be off by a share that is named with them.
"""

from dataclasses import dataclass, field
from typing import Any

UNIFORM = "uniform:n=200,d=4,alphabet=4,sensitive=5,seed=1"
SMALL = "clustered:n=80,d=4,alphabet=4,centres=6,seed=1"
GROUPED = "clustered:n=300,d=5,alphabet=4,centres=10,seed=1"


@dataclass(frozen=True)
class Case:
    """One call of ``starmin.solve`` or ``starmin.bound``.

    Attributes
    ----------
    name
        By which it is known in the history; another call has another name.
    call
        ``solve`` or ``bound``.
    instance
        As the catalogue names it.
    options
        Arguments of the call.
    slack
        Share by which value and bound may be off.
    """

    name: str
    call: str
    instance: str
    options: dict[str, Any] = field(default_factory=dict)
    slack: float = 0.0


def case(
    name: str, call: str, instance: str, slack: float = 0.0, **options: Any
) -> Case:
    """Make a case with its options by name."""
    return Case(name, call, instance, options, slack)


CASES = (
    case("hospital-l2", "solve", "hospital", l=2, method="pattern_ilp"),
    case("uniform-k3", "solve", UNIFORM, k=3, method="pattern_ilp"),
    case("uniform-l2", "solve", UNIFORM, l=2, method="pattern_ilp"),
    case("small-tree", "solve", SMALL, k=3, method="branch_and_bound"),
    case("grouped-k2", "solve", GROUPED, k=2, method="simplex_matching"),
    case("tuples-l3", "solve", UNIFORM, l=3, method="tuple_ilp", objective="tuples"),
    case("grouped-columns", "bound", GROUPED, k=5, method="pattern_lp"),
    case("grouped-prices", "bound", GROUPED, k=5, method="lagrangian"),
    case("grouped-mondrian", "solve", GROUPED, k=5, method="mondrian"),
    case("grouped-sorted", "solve", GROUPED, k=5, method="lexicographic_suppression"),
    case("grouped-moves", "solve", GROUPED, k=5, method="local_search", stagnation=20),
    case(
        "rows-k3", "solve", GROUPED, k=3, method="rematching", recoding="nonhomogeneous"
    ),
    case("auto-k5", "solve", GROUPED, slack=0.05, k=5, time_limit=5.0),
    case(
        "auto-losses-k5",
        "solve",
        GROUPED,
        slack=0.05,
        k=5,
        recoding="generalization",
        objective="gcp",
        numeric=("q1", "q2"),
        time_limit=5.0,
    ),
)
