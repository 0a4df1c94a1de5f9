"""Finished blocks on disk, found again by what is in them."""

import hashlib
import os
from pathlib import Path

import numpy as np

from starmin.instances import Objective, Table
from starmin.instances.arrays import Int32s
from starmin.instances.releases.by_row.nonhomogeneous import not_permutation


class BlockFiles:
    """A folder of finished blocks, or none.

    ``folder`` is made if it is not there; None: nothing is kept. ``objective`` and
    ``parameters`` are what, besides the cells, the result depends on.
    """

    def __init__(
        self, folder: Path | None, objective: Objective, parameters: tuple[object, ...]
    ) -> None:
        self.folder, self.objective, self.parameters = folder, objective, parameters
        if folder:
            folder.mkdir(parents=True, exist_ok=True)

    def load(self, block: Table) -> Int32s | None:
        """Load the matchings of a block, if they are there and whole."""
        if not self.folder or not (path := self._path(block)).exists():
            return None
        try:
            matchings: Int32s = np.load(path)
        except (OSError, ValueError, EOFError):
            return None  # damaged: solved anew
        if matchings.ndim != 2 or matchings.dtype != np.int32:
            return None
        if any(not_permutation(matching, block.n) for matching in matchings):
            return None
        return matchings

    def save(self, block: Table, matchings: Int32s) -> None:
        """Keep the matchings of a block; a file is there as a whole or not at all."""
        if not self.folder:
            return
        path = self._path(block)
        unfinished = path.with_suffix(f".{os.getpid()}")
        with unfinished.open("wb") as file:
            np.save(file, matchings)
        unfinished.replace(path)

    def _path(self, block: Table) -> Path:
        assert self.folder
        digest = hashlib.sha256(self._text(block).encode())
        if (scales := self.objective.scales) is not None:
            for scale in scales.scales:
                digest.update(np.ascontiguousarray(scale.positions, "<i4").tobytes())
            for array in scales.arrays:
                digest.update(array.tobytes())
        digest.update(np.ascontiguousarray(block.codes, "<i4").tobytes())
        return self.folder / f"{digest.hexdigest()[:32]}.npy"

    def _text(self, block: Table) -> str:
        return repr((block.qi, self.parameters, self.objective))
