"""What a search keeps on disk, so that it goes on after it was killed."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from starmin.instances.errors import TableError
from starmin.instances.io.atomic import write_atomically
from starmin.instances.releases.objective import Objective
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.tables.table import RowTypes

Arrays = Mapping[str, npt.NDArray[Any]]
_KEY = "problem"


class Checkpoint:
    """A file of arrays that belongs to one problem; it appears whole or not at all.

    The file at ``path``, ``.npz``, holds what a release does, and more: keep it with
    the original.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from starmin.instances.requirements.k_anonymity import KAnonymity
    >>> from starmin.instances.tables.table import Table
    >>> types = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"]).row_types
    >>> with TemporaryDirectory() as folder:
    ...     kept = Checkpoint(Path(folder, "x.npz"), types, KAnonymity(2), Objective())
    ...     before = kept.load()
    ...     kept.save({"prices": np.array([3, 4])})
    ...     after = kept.load()["prices"].tolist()
    >>> before, after
    (None, [3, 4])
    """

    def __init__(
        self,
        path: Path,
        types: RowTypes,
        requirement: Requirement,
        objective: Objective,
    ) -> None:
        digest = hashlib.sha256(repr((requirement, str(objective))).encode())
        for part in (types.codes, types.sensitive, types.counts):
            digest.update(np.ascontiguousarray(part).data)
        self.path = path
        self._key = digest.hexdigest()

    def save(self, arrays: Arrays) -> None:
        """Replace what is kept."""
        with write_atomically(self.path) as file:
            named: dict[str, Any] = {_KEY: np.array(self._key), **arrays}
            np.savez(file, **named)

    def load(self) -> Arrays | None:
        """Return what is kept, or None where there is nothing.

        Raises TableError where the file is of another problem, or is no checkpoint.
        """
        if not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as kept:
                arrays = dict(kept)
        except (OSError, ValueError, EOFError, KeyError):
            raise TableError(f"{self.path}: no checkpoint; remove it") from None
        if str(arrays.pop(_KEY, "")) != self._key:
            raise TableError(
                f"{self.path}: the checkpoint of another problem; remove it, or name "
                "another folder"
            )
        return arrays
