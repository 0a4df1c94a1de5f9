"""What the annealing on near patterns keeps in a checkpoint."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from instances import Partition, RowTypes, Run, group_by
from instances.runs.checkpoint import Checkpoint
from models.near_patterns.prices import NearPrices


class SearchMemory:
    """Release, prices and time used, kept after each round and taken up again.

    Parameters
    ----------
    types
        The row types of the problem.
    checkpoint
        Where they are kept; None: nowhere.
    """

    def __init__(self, types: RowTypes, checkpoint: Checkpoint | None) -> None:
        self._types, self._checkpoint = types, checkpoint
        self._used = 0.0

    @classmethod
    def of(
        cls, run: Run, types: RowTypes, folder: Path | None, name: str
    ) -> "SearchMemory":
        """Keep a search in a file of this name in a folder; without one, nowhere."""
        if folder is None:
            return cls(types, None)
        file = folder / f"{name}.npz"
        return cls(types, Checkpoint(file, types, run.requirement, run.objective))

    def restore(self, run: Run) -> npt.NDArray[np.int64] | None:
        """Offer the release that was kept, and return its prices, or None.

        The time that was used before counts against the limit of the run.
        """
        kept = None if self._checkpoint is None else self._checkpoint.load()
        if kept is None:
            return None
        loads = (kept[name] for name in ("groups", "types", "copies"))
        run.offer(Partition.from_loads(self._types, *loads))
        self._used = float(kept["seconds"])
        run.time_limit -= self._used
        return kept["prices"]

    def keep(self, run: Run, prices: NearPrices) -> None:
        """Keep the best release of a run, and the best prices."""
        best = run.best
        if self._checkpoint is None or best is None:
            return
        types = best.of_rows(self._types.inverse)
        pairs = group_by([best.groups, types], [best.size, len(self._types)])
        copies = pairs.counts
        if best.copies is not None:
            copies = np.bincount(pairs.inverse, best.copies).astype(np.int64)
        self._checkpoint.save(
            {
                "groups": best.groups[pairs.first],
                "types": types[pairs.first],
                "copies": copies,
                "prices": prices.prices,
                "seconds": np.array(self._used + run.elapsed),
            }
        )
