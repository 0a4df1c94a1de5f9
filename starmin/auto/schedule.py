"""Say which methods take turns at a problem, and which tables have one of their own.

These have too many pairs of a row type and a pattern.
"""

import math
from dataclasses import dataclass

from starmin.auto.task import Size, Task
from starmin.instances import NotSupportedError, Result
from starmin.instances.runs.method import Method
from starmin.models.patterns.patterns import star_pairs
from starmin.registry import METHODS

# Tables with more pairs of a row type and a pattern than others have time for.

MANY_PAIRS_METHOD = "near_pattern_annealing"
MANY = 67_000_000  # pairs, above which the method has no better one beside it, unless
WIDE = 200_000_000  # there are no more than so many, and
WIDE_PER_SECOND = 5_000_000  # no more than so many for each second.


def solve_with_many_pairs(task: Task) -> Result | None:
    """Solve k-anonymity with fewest stars by near patterns; None for other problems.

    So are problems with too many pairs solved, and all where a checkpoint or other
    machines are asked for. Raises NotSupportedError where a checkpoint is asked for,
    and the table is too small.
    """
    method = METHODS[MANY_PAIRS_METHOD]
    if task.takers([MANY_PAIRS_METHOD]):
        pairs = star_pairs(task.table, task.table.row_types, task.objective)
        asked = [task.options.get(name) for name in ("checkpoint", "executor")]
        most = max(MANY, min(WIDE, WIDE_PER_SECOND * task.seconds))
        if (most if asked == [None, None] else MANY) < pairs < math.inf:
            return task.solve(method)
    if task.options.get("checkpoint") is not None:
        raise NotSupportedError(
            "auto keeps no checkpoint of a search on so few row types; "
            f"{MANY_PAIRS_METHOD} does, where it takes the problem."
        )
    return None


# The schedule of ``auto``: which methods take turns at a problem, and at what.
#
# Whether a method takes a problem, what it needs of the time, and whether it can be
# paused stands in its declaration. Nothing here depends on the size of a table.


@dataclass(frozen=True)
class Turn:
    """Methods with the same work."""

    # by name; those that do not take the problem are passed over
    methods: tuple[str, ...]
    what: str  # what they do, for the page on the architecture
    # whether those come first that need least of the time; else only those come later
    # for which there is too little
    by_time: bool = False

    def takers(self, task: Task) -> list[Method]:
        """Select those that take a problem and can be of use in its time, in order."""
        size, most = Size(task), task.seconds
        counts = task.table.counts is not None
        found = [
            method
            for method in task.takers(self.methods)
            if size.seconds_of(method, must=True) <= most
            and (method.counted or not counts)
        ]
        if self.by_time:
            return sorted(found, key=size.seconds_of)
        return sorted(found, key=lambda method: size.seconds_of(method) > most)


AT_ONCE = Turn(("pattern_ilp",), "the optimum at once, where patterns are few")
OPENERS = Turn(
    (
        "lexicographic_suppression",
        "gray_order",
        "near_linear_cover",
        "mondrian",
        "local_recoding",
    ),
    "a release at once, one after the other",
)
BOUNDS = Turn(
    ("dual_ascent", "own_pattern", "lagrangian", "distinct_prices", "residue"),
    "a bound soon: the first that proves one, as long as it rises",
    by_time=True,
)
PROVERS = Turn(
    (
        "tuple_ilp",
        "bipartite_matching",
        "pattern_ilp",
        "simplex_matching",
        "box_program",
        "branch_and_bound",
    ),
    "a proof",
)
SEARCHES = Turn(
    ("large_neighbourhood", "ruin_and_recreate", "box_neighbourhoods", "local_search"),
    "better releases",
)
SCHEDULE = AT_ONCE, OPENERS, BOUNDS, PROVERS, SEARCHES


def methods_of_schedule() -> list[str]:
    """Return the names of all methods that have a turn, each once.

    >>> methods_of_schedule()[0]
    'pattern_ilp'
    """
    return list(dict.fromkeys(name for turn in SCHEDULE for name in turn.methods))
