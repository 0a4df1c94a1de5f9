"""What is left of a pattern program without what no better release uses."""

from dataclasses import dataclass

import numpy as np

from starmin.instances import RowTypes
from starmin.instances.arrays import Bools, Ints
from starmin.models.distinct.distinct_program import diverse_program
from starmin.models.pattern_program.group_cuts import GroupCut
from starmin.models.pattern_program.pattern_program import (
    PatternProgram,
    pattern_program,
)
from starmin.models.patterns.patterns import Patterns


@dataclass(frozen=True, eq=False)
class Thinned:
    """A part of a pattern program.

    Attributes
    ----------
    program
        With the incidences that are left.
    numbers
        Of each of its patterns the number in the whole program.
    """

    program: PatternProgram
    numbers: Ints

    @classmethod
    def of(cls, whole: PatternProgram, types: RowTypes, useful: Bools) -> "Thinned":
        """Select the incidences that are useful.

        Where a row type would be left without a pattern, no release is better, and it
        keeps all of them, so that the program can be written.
        """
        patterns = whole.patterns
        kept = np.zeros(len(types), bool)
        kept[patterns.types[useful]] = True
        useful = useful | ~kept[patterns.types]
        return cls(
            _program(whole, patterns.thin(useful), types),
            np.unique(patterns.pattern[useful]).astype(np.int64),
        )

    def thin(self, types: RowTypes, useful: Bools) -> "Thinned":
        """Select again of what is left."""
        less = Thinned.of(self.program, types, useful)
        return Thinned(less.program, self.numbers[less.numbers])

    def as_whole(self, cut: GroupCut) -> GroupCut:
        """Return a cut by the numbers of patterns in the whole program."""
        return GroupCut(cut.types, self.numbers[cut.patterns])

    def of_whole(self, cut: GroupCut) -> GroupCut:
        """Return a cut of the whole program by the patterns that are left of it."""
        places = np.flatnonzero(np.isin(self.numbers, cut.patterns))
        return GroupCut(cut.types, places)


def _program(
    whole: PatternProgram, patterns: Patterns, types: RowTypes
) -> PatternProgram:
    """Write the program of some patterns."""
    if whole.distinct > 1:
        return diverse_program(patterns, types, whole.k, whole.distinct, whole.l)
    return pattern_program(patterns, types, whole.k, whole.l)
