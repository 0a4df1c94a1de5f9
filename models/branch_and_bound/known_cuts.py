"""Cuts and counts that the multipliers of a tree refer to."""

from dataclasses import dataclass, field

from starmin.models.branch_and_bound.split_counts import Count
from starmin.models.pattern_program.group_cuts import GroupCut


@dataclass(frozen=True, eq=False)
class Known:
    """Cuts and counts by number, shared by all that search a tree.

    Who adds one takes a number that nobody else takes, so that the numbers do not
    depend on who is first.
    """

    cuts: dict[int, GroupCut] = field(default_factory=dict)
    counts: dict[int, Count] = field(default_factory=dict)
