"""Keep on disk what a search found and the time it used, if it is killed."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import numpy.typing as npt

from starmin.instances.errors import TableError
from starmin.instances.io.atomic import write_atomically
from starmin.instances.releases.objective import Objective
from starmin.instances.releases.partition import Partition
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.runs.cores import Threads, resting
from starmin.instances.runs.result import Limit, Result
from starmin.instances.runs.run import Run
from starmin.instances.tables.table import RowTypes

Arrays = Mapping[str, npt.NDArray[Any]]
_KEY = "problem"


class Checkpoint:
    """A file of arrays that belongs to one problem; it appears whole or not at all.

    The file at ``path``, ``.npz`` in a folder, holds what a release does, and more:
    keep it with the original. Without a folder nothing is kept.

    >>> from tempfile import TemporaryDirectory
    >>> from starmin.instances.requirements.k_anonymity import KAnonymity
    >>> from starmin.instances.tables.table import Table
    >>> types = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"]).row_types
    >>> with TemporaryDirectory() as folder:
    ...     kept = Checkpoint(Path(folder), "x", types, KAnonymity(2), Objective())
    ...     before = kept.load()
    ...     kept.save({"prices": np.array([3, 4])})
    ...     after = kept.load()["prices"].tolist()
    >>> before, after
    (None, [3, 4])
    """

    def __init__(
        self,
        folder: Path | None,
        name: str,
        types: RowTypes,
        requirement: Requirement,
        objective: Objective,
    ) -> None:
        self.path: Path | None = None
        if folder is None:
            return
        self.path = folder / f"{name}.npz"
        digest = hashlib.sha256(repr((requirement, str(objective))).encode())
        for part in (types.codes, types.sensitive, types.counts):
            digest.update(np.ascontiguousarray(part).data)
        self._key = digest.hexdigest()

    def save(self, arrays: Arrays) -> None:
        """Replace what is kept."""
        if self.path is None:
            return
        with write_atomically(self.path) as file:
            named: dict[str, Any] = {_KEY: np.array(self._key), **arrays}
            np.savez(file, **named)

    def load(self) -> Arrays | None:
        """Return what is kept, or None where there is nothing.

        Raises TableError where the file is of another problem, or is no checkpoint.
        """
        if self.path is None or not self.path.exists():
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


# The time that a search used, kept while it runs, so that its limit survives it.

# Methods that call other methods: an interrupt of the inner one ends both.


def pass_on(found: Result[Any]) -> None:
    """Raise KeyboardInterrupt where a method that was called ended by an interrupt.

    A method turns an interrupt into a limit of its result. A method that called it
    takes from the result what it can use, then stops as if itself were interrupted.

    >>> pass_on(Result(None, None, None, 0.0, limit=Limit.TIME))
    """
    if found.limit is Limit.INTERRUPTED:
        raise KeyboardInterrupt


def begin_at(run: Run, initial: Partition | None = None) -> None:
    """Offer a release to begin with, by default the coarsest; then check the time."""
    run.offer(initial or Partition.coarsest(run.table, run.objective))
    run.check_time()


def take_from(run: Run[Any], found: Result[Any]) -> None:
    """Take the release and the bound that a method found; end with it if need be."""
    if found.best is not None:
        run.offer(found.best)
    run.learn(found)
    pass_on(found)


_BEAT = 0.5  # seconds between two notes; a search that is killed loses one at most


@contextmanager
def time_counted(run: Run[Any], kept: Checkpoint) -> Iterator[None]:
    """Deduct what a search used before it was killed; note what it uses meanwhile.

    What a killed search lost of its work is time used, too: so it is noted by the
    clock, not where work is kept. ``run`` is the search that begins or goes on, whose
    time limit is that of all calls together; seconds are noted in ``kept``. Raises
    TableError where the note is of another problem, or is none.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from starmin.instances import KAnonymity, Objective, Table
    >>> table = Table.from_rows(["a"], [["0"], ["1"]], qi=["a"])
    >>> problem = table.row_types, KAnonymity(2), Objective()
    >>> with TemporaryDirectory() as folder:
    ...     kept = Checkpoint(Path(folder), "time-used", *problem)
    ...     kept.save({"seconds": np.array(40.0)})
    ...     run = Run(table, KAnonymity(2), time_limit=100)
    ...     with time_counted(run, kept):
    ...         print(run.time_limit)
    ...     bool(kept.load()["seconds"] > 40)
    60.0
    True
    """
    before = kept.load()
    used = 0.0 if before is None else float(before["seconds"])
    run.time_limit = max(0.0, run.time_limit - used)
    ended = Event()

    def note() -> None:
        while True:
            with resting():  # without a core
                if ended.wait(_BEAT):
                    return
            kept.save({"seconds": np.array(used + run.elapsed)})

    with Threads(1) as beside:
        noting = beside.submit(note)
        try:
            yield
        finally:
            ended.set()
        noting.result()
    kept.save({"seconds": np.array(used + run.elapsed)})
