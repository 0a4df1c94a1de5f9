"""The schedule of ``auto``: which methods take turns at a problem, and at what.

Whether a method takes a problem, what it needs of the time, and whether it can be
paused stands in its declaration. Nothing here depends on the size of a table.
"""

from dataclasses import dataclass

from starmin.auto.schedule.size import Size
from starmin.auto.task import Task
from starmin.instances.runs.method import Method


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
    ("lexicographic_suppression", "gray_order", "mondrian", "local_recoding"),
    "a release at once, one after the other",
)
BOUNDS = Turn(
    ("dual_ascent", "own_pattern", "lagrangian", "distinct_prices", "residue"),
    "a bound soon: the first that proves one, until it gains no more",
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
    (
        "large_neighbourhood",
        "ruin_and_recreate",
        "box_neighbourhoods",
        "local_search",
    ),
    "better releases",
)
SCHEDULE = AT_ONCE, OPENERS, BOUNDS, PROVERS, SEARCHES


def methods_of_schedule() -> list[str]:
    """Return the names of all methods that have a turn, each once.

    Examples
    --------
    >>> methods_of_schedule()[0]
    'pattern_ilp'
    """
    return list(dict.fromkeys(name for turn in SCHEDULE for name in turn.methods))
