"""Prove a release optimal by a tree that anyone can re-check."""

import math
from dataclasses import dataclass

import numpy as np

from starmin.instances import Run
from starmin.instances.arrays import Bools, Floats, Ints, distinct
from starmin.models.distinct.distinct_reduction import diverse_program
from starmin.models.pattern_ilp.multipliers import Multipliers, Prover, TreeUnit
from starmin.models.pattern_ilp.split_counts import DEFAULTS, Known, TreeParams
from starmin.models.pattern_ilp.tree_certificate import (
    TreeSearch,
    TreeWriter,
    tree_certificate,
)
from starmin.models.pattern_program.pattern_program import (
    GroupCut,
    PatternProgram,
    pattern_program,
)
from starmin.models.patterns.patterns import Patterns, marked


@dataclass(frozen=True, eq=False)
class Thinned:
    """A part of a pattern program."""

    program: PatternProgram  # with the incidences that are left
    numbers: Ints  # by pattern of the part: its number in the whole program

    @classmethod
    def of(cls, whole: PatternProgram, useful: Bools) -> "Thinned":
        """Select the incidences that are useful.

        Where a row type would be left without a pattern, no release is better, and it
        keeps all of them, so that the program can be written.
        """
        patterns = whole.patterns
        kept = marked(len(whole.types), patterns.types[useful])
        useful = useful | ~kept[patterns.types]
        return cls(
            _program(whole, patterns.thin(useful)),
            distinct(patterns.pattern[useful]).astype(np.int64),
        )

    def thin(self, useful: Bools) -> "Thinned":
        """Select again of what is left."""
        less = Thinned.of(self.program, useful)
        return Thinned(less.program, self.numbers[less.numbers])

    def as_whole(self, cut: GroupCut) -> GroupCut:
        """Return a cut by the numbers of patterns in the whole program."""
        return GroupCut(cut.types, self.numbers[cut.patterns])

    def of_whole(self, cut: GroupCut) -> GroupCut:
        """Return a cut of the whole program by the patterns that are left of it."""
        places = np.flatnonzero(np.isin(self.numbers, cut.patterns))
        return GroupCut(cut.types, places)


def prove(
    run: Run,
    program: PatternProgram,
    duals: Floats,
    seconds: float = math.inf,
    params: TreeParams = DEFAULTS,
) -> bool:
    """Search a tree that proves the incumbent of a run optimal, or better releases.

    First the duals rule out pairs that every release which costs less than the
    incumbent does without; then, in rounds, so do the prices and the multipliers of the
    cuts at the root of what is left. The rest is searched. The run learns the bound of
    the tree with its certificate, also where the time ends before. Returns whether the
    incumbent is proven optimal.

    Parameters
    ----------
    run, program
        It has an incumbent; the pattern program of its table.
    duals
        Prices of the types, near the optimum of the relaxation.
    seconds, params
        How long to search at most, within the time limit of the run; constants.
    """
    unit, most_price = TreeUnit.of(run)
    duals = np.clip(duals, -most_price, most_price)
    prices = Multipliers(np.rint(duals * unit).astype(np.int64), {})
    goal = (run.cost - 1) * unit + 1
    end = run.elapsed + seconds
    left = Thinned.of(program, Prover(program, Known(), unit).useful(prices, goal))
    search = TreeSearch(run, left.program, params, end)
    rounds = [prices]
    cuts: dict[int, GroupCut] = {}  # by the patterns of the whole program
    try:
        while True:
            useful = search.useful_at_root()
            if useful.mean() > params.thin_share or search.root.bound >= search.goal:
                break
            last = search.root.multipliers
            rounds.append(last)
            cuts |= _new(search, left, cuts)
            left = left.thin(useful)
            known = Known({c: left.of_whole(cut) for c, cut in cuts.items()})
            search = TreeSearch(run, left.program, params, end, known, last)
        return search.search()
    finally:
        run.stats["tree_incidences"] = left.program.incidences
        run.stats["tree_nodes"] = search.nodes
        cuts |= _new(search, left, cuts)
        writer = TreeWriter(run, program, left.numbers, cuts)
        certificate = tree_certificate(run, writer, rounds, search)
        if certificate is not None:
            run.raise_bound(search.bound, "branch_and_bound", certificate)


def _new(
    search: TreeSearch, left: Thinned, cuts: dict[int, GroupCut]
) -> dict[int, GroupCut]:
    """Return the cuts that a search found, by the patterns of the whole program."""
    found = search.known.cuts.items()
    return {c: left.as_whole(cut) for c, cut in found if c not in cuts}


def _program(whole: PatternProgram, patterns: Patterns) -> PatternProgram:
    """Write the program of some patterns."""
    if whole.distinct > 1:
        return diverse_program(patterns, whole.k, whole.distinct, whole.l)
    return pattern_program(patterns, whole.k, whole.l)
