"""What the annealing on near patterns keeps in checkpoints."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from starmin.instances import Partition, RowTypes, Run, group_by
from starmin.instances.arrays import Ints
from starmin.instances.runs.checkpoint import Checkpoint
from starmin.models.near_patterns.near_listing import NearPatterns
from starmin.models.near_patterns.near_prices import NearPrices
from starmin.models.patterns.patterns import Patterns
from starmin.models.price_unit import PriceUnit


class SearchMemory:
    """Release and prices, kept after each round and taken up again.

    The list of near patterns is kept beside them, some 250 bytes for each row type, for
    to make it again takes longer than to read it. They are kept in ``folder``, by the
    ``name`` of the search; None: nowhere. ``annealed`` is whether the release that was
    taken up was annealed, and ``used`` the seconds that the search had used when that
    was kept.
    """

    def __init__(
        self, run: Run, types: RowTypes, folder: Path | None, name: str
    ) -> None:
        self._types = types
        self._unit = PriceUnit.of(run.table, run.objective)
        self.annealed, self.used = False, 0.0
        self._checkpoint: Checkpoint | None = None
        self._lists: Checkpoint | None = None
        if folder is not None:
            problem = types, run.requirement, run.objective
            self._checkpoint = Checkpoint(folder / f"{name}.npz", *problem)
            self._lists = Checkpoint(folder / f"{name}-patterns.npz", *problem)

    def patterns(self, find: Callable[[], NearPatterns]) -> NearPatterns:
        """Return the near patterns that were kept; else find them and keep them."""
        kept = None if self._lists is None else self._lists.load()
        if kept is not None:
            patterns = Patterns(
                kept["nodes"],
                kept["cost"],
                kept["starts"],
                kept["members"],
                self._types.counts,
                self._unit,
            )
            return NearPatterns(
                patterns, kept["own"], int(kept["slack"]), kept["outside"]
            )
        near = find()
        if self._lists is not None:
            self._lists.save(
                {
                    "nodes": near.patterns.nodes,
                    "cost": near.patterns.cost,
                    "starts": near.patterns.starts,
                    "members": near.patterns.types,
                    "own": near.own,
                    "slack": np.array(near.slack),
                    "outside": near.outside,
                }
            )
        return near

    def forget_patterns(self) -> None:
        """Remove the list, for the search is done."""
        if self._lists is not None:
            self._lists.path.unlink(missing_ok=True)

    def restore(self, run: Run) -> Ints | None:
        """Offer the release that was kept, and return its prices, or None."""
        kept = None if self._checkpoint is None else self._checkpoint.load()
        if kept is None:
            return None
        loads = (kept[name] for name in ("groups", "types", "copies"))
        run.offer(Partition.from_loads(self._types, *loads))
        self.used = float(kept["seconds"])
        self.annealed = bool(kept["annealed"])
        return kept["prices"]

    def keep(self, run: Run, prices: NearPrices, annealed: bool = True) -> None:
        """Keep the best release of a run, whether it was annealed, and the prices."""
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
                "annealed": np.array(annealed),
                "seconds": np.array(self.used + run.elapsed),
            }
        )
