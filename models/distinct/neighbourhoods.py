"""Parts of a release solved anew, under distinct l-diversity."""

import time

import numpy as np

from instances import BoolArray
from models.distinct.program import DistinctProgram
from models.neighbourhoods.destroy_operators import DestroyOperators
from models.solvers.highs import solve_part
from models.solvers.program import Floats

_PART_LIMIT = 3.0  # seconds


class DistinctParts(DestroyOperators):
    """Chooses parts as its parent does; beside their types, loans of patterns move.

    Parameters
    ----------
    program
        The formulation; releases are points of it.
    seed
        Of all choices.
    """

    def __init__(self, program: DistinctProgram, seed: int) -> None:
        core, rng = program.core, np.random.default_rng(seed)
        useful = np.ones(len(core.part.types), bool)
        super().__init__(
            core.part, core.part_types, 1, 1, useful, rng, part_limit=_PART_LIMIT
        )
        self.program = program

    def learn_from(self, before: "DistinctParts") -> None:
        """Go on with the sizes and weights, and the choices, of another search."""
        self.sizes, self.weights, self.rng = before.sizes, before.weights, before.rng

    def improve(self, point: Floats, remaining: float) -> Floats | None:
        """Solve one part; the new point if it costs less."""
        copies, _ = self.program.loads(point)
        shares = self.weights / self.weights.sum()
        kind = int(self.rng.choice(len(self.kinds), p=shares))
        wanted = min(len(self.types), int(self.sizes[kind]))
        columns = self._columns(self.kinds[kind](copies, wanted))
        started = time.perf_counter()
        found = solve_part(
            self.program.program.fix(columns, point),
            min(self.part_limit, remaining),
            point[columns],
            int(self.rng.integers(2**31)),
        )
        seconds = time.perf_counter() - started
        after = point.copy()
        if found is not None:
            after[columns] = found
        gain = float(self.program.program.cost @ (point - after))
        self._learn(kind, gain / max(seconds, 1e-3), seconds)
        return after if gain > 0.5 else None

    def _columns(self, free: BoolArray) -> BoolArray:
        """The columns of types that are free, and of patterns that they may use."""
        part = self.patterns
        inside = free[part.types]
        alive = np.bincount(part.pattern[inside], minlength=len(part)) > 0
        return np.concatenate([inside, alive[self.program.others]])
