"""Neighbourhoods of a release solved anew, under distinct l-diversity."""

import numpy as np

from starmin.instances.arrays import Bools, Floats
from starmin.instances.runs.gate import clock
from starmin.models.distinct.distinct_program import DistinctProgram
from starmin.models.neighbourhoods.destroy_operators import DestroyOperators
from starmin.models.solvers.mip_search import solve_small


class DistinctNeighbourhoods(DestroyOperators):
    """Chooses the types that move as its parent does; borrowed rows move with them.

    Releases are points of the ``program``; ``part_limit`` is in seconds, for one
    neighbourhood.
    """

    def __init__(
        self, program: DistinctProgram, seed: int, part_limit: float = 3.0
    ) -> None:
        patterns = program.reduction.placed_patterns
        types = program.reduction.placed_types
        useful = np.ones(len(patterns.types), bool)
        rng = np.random.default_rng(seed)
        super().__init__(patterns, types, 1, 1, useful, rng, part_limit=part_limit)
        self.program = program

    def learn_from(self, before: "DistinctNeighbourhoods") -> None:
        """Go on with the sizes and weights, and the choices, of another search."""
        self.sizes, self.weights, self.rng = before.sizes, before.weights, before.rng

    def improve(self, point: Floats, remaining: float) -> Floats | None:
        """Solve one neighbourhood; return the new point if it costs less."""
        copies, _ = self.program.loads(point)
        kind = self.weights.draw(self.rng)
        wanted = min(len(self.types), int(self.sizes[kind]))
        columns = self._columns(self.kinds[kind](copies, wanted))
        started = clock()
        found = solve_small(
            self.program.program.fix(columns, point),
            min(self.part_limit, remaining),
            point[columns],
            int(self.rng.integers(2**31)),
        )
        seconds = clock() - started
        after = point.copy()
        if found is not None:
            after[columns] = found
        gain = float(self.program.program.cost @ (point - after))
        self._learn(kind, gain / max(seconds, 1e-3), seconds)
        return after if gain > 0.5 else None

    def _columns(self, free: Bools) -> Bools:
        """Mark the columns of the free types, and of the patterns they may use."""
        patterns = self.patterns
        inside = free[patterns.types]
        alive = np.bincount(patterns.pattern[inside], minlength=len(patterns)) > 0
        return np.concatenate([inside, alive[self.program.others]])
