"""Large tables in blocks of similar rows: on many processors, resumable."""

import hashlib
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from starmin.heuristics.nonhomogeneous import BLOCKS
from starmin.heuristics.nonhomogeneous.layers import ranks_of
from starmin.heuristics.nonhomogeneous.rematching import RematchingParams, rematching
from starmin.instances import (
    STARS,
    Limit,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Partition,
    Requirement,
    Result,
    Run,
    Table,
)
from starmin.instances.arrays import Int32s, Ints
from starmin.instances.io.atomic import write_atomically
from starmin.instances.releases.nonhomogeneous_release import not_permutation
from starmin.instances.runs.checkpoint import pass_on
from starmin.instances.runs.cores import cores
from starmin.instances.runs.safe_start import safe_start


class BlockFiles:
    """A folder of finished blocks; None: nothing is kept.

    The result depends, besides the cells, on ``objective`` and ``parameters``.
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
        with write_atomically(self._path(block)) as file:
            np.save(file, matchings)

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


@contextmanager
def block_pool(workers: int) -> Iterator[Executor]:
    """Start a pool of processes; whatever ends the block of code ends them at once.

    Examples
    --------
    >>> with block_pool(1) as pool:
    ...     pool.submit(sum, [1, 2]).result()
    3
    """
    with _broken_pipes_raise(), safe_start():
        pool = ProcessPoolExecutor(workers, initializer=_begin)
        try:
            yield pool
        except BaseException:
            # Else an interrupted run would wait for the blocks that are begun.
            for process in list((pool._processes or {}).values()):
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _broken_pipes_raise() -> Iterator[None]:
    """Do not die as the pool writes to a process that has ended."""
    number = getattr(signal, "SIGPIPE", None)
    if number is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)


def _begin() -> None:
    """Leave interrupts to the parent, and end with it even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def block_rows(
    table: Table, objective: Objective, k: int, size: int, sort: bool
) -> list[Int32s]:
    """Cut the rows into blocks of about ``size`` rows, and return the rows of each.

    A cut leaves k rows or more of each class of the columns to be kept, or none. Rows
    are sorted by these columns; with ``sort`` by the others too, those with few values
    first.

    Examples
    --------
    >>> table = Table.from_rows(["a"], [["1"], ["0"], ["1"], ["0"]], qi=["a"])
    >>> rows = block_rows(table, Objective(), 1, 2, sort=True)
    >>> [block.tolist() for block in rows]
    [[0, 2], [1, 3]]
    """
    by_size = sorted(table.qi, key=lambda c: len(table.dictionary(c)))
    columns = [c for c in by_size if c in objective.keep]
    if sort:
        columns += [c for c in by_size if c not in columns]
    order = np.argsort(ranks_of(table, columns), kind="stable").astype(np.int32)
    count = -(-table.n // size)
    cuts = np.arange(count + 1, dtype=np.int64) * table.n // count
    if objective.keep:
        cuts = _at_class_ends(ranks_of(table, objective.keep)[order], cuts, k)
    return np.split(order, cuts[1:-1])


def _at_class_ends(classes: Int32s, cuts: Ints, k: int) -> Ints:
    """Move cuts within k rows of the end of a class there."""
    at = classes[cuts[1:-1]]
    low, high = np.searchsorted(classes, at), np.searchsorted(classes, at, "right")
    inner = cuts[1:-1]
    inner = np.where(inner - low < k, low, np.where(high - inner < k, high, inner))
    return np.unique(np.r_[0, inner, cuts[-1]])


Solved = tuple[Int32s, bool]
Solve = Callable[[Table, float], Solved]


@dataclass(frozen=True)
class BlocksParams:
    """Constants that steer the run."""

    ahead: int = 2  # blocks that wait for a processor
    # seconds that putting blocks together takes, for each cell and layer
    finish: float = 5e-8
    # constants of ``rematching`` where it solves the blocks: in large tables a few
    # sweeps have most of what many gain
    rematching: RematchingParams = field(
        default_factory=partial(RematchingParams, matchings=0, sweeps=8)
    )


def blocks(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    workers: int | None = None,
    executor: Executor | None = None,
    method: Callable[..., Result[NonHomogeneous]] = rematching,
    block_size: int = 100_000,
    sort: bool = True,
    checkpoint: Path | None = None,
    params: BlocksParams = BlocksParams(),
) -> Result[NonHomogeneous]:
    """Release large tables non-homogeneously, block by block; no guarantee.

    Columns are sorted by ascending cardinality and rows lexicographically, so that
    similar rows are near each other; the rows are cut into equal blocks, and each is
    solved by itself (section 3.2.3).

    Parameters
    ----------
    table, requirement, objective
        Any number of rows; k-anonymity; stars or gcp, weighted or not; columns to be
        kept are.
    time_limit
        Seconds; blocks that are not done by then are released in rings of neighbours.
    seed
        Of the method.
    workers
        Processes, or with an ``executor`` the blocks it can work on at once; None: as
        many as there are processors. With 1 no process is started.
    executor
        Where blocks are solved: any, as that of a Dask cluster,
        ``Client.get_executor()``. The default is a pool of ``workers`` processes.
    method
        For the blocks: any that yields matchings. It is called by its name elsewhere,
        so it must be at the top of a module.
    block_size
        Rows of a block, about.
    sort
        Without sorting the blocks are those of the rows as they are (for comparison).
    checkpoint
        A folder where finished blocks are kept. A run that was killed goes on from
        there: a block is found again by its content, the method and the parameters.

    Raises
    ------
    NotSupportedError
        Another requirement, or blocks of fewer than 2k rows.

    Notes
    -----
    Besides the table and the release, (4 k + d) bytes a row, memory is needed for the
    blocks that are worked on.

    References
    ----------
    K. Murakami, T. Uno: Optimization algorithm for k-anonymization of datasets with
    low information loss, International Journal of Information Security 2018.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> from starmin.instances.catalogue.generators import uniform
    >>> result = blocks(uniform(100, d=3, seed=1), KAnonymity(2), block_size=50)
    >>> len(result.best.matchings)
    2
    """
    k = requirement.core.size
    if block_size < 2 * k:
        raise NotSupportedError(
            f"Expected blocks of at least 2k = {2 * k} rows, got {block_size}."
        )
    run = Run[NonHomogeneous](table, requirement, objective, time_limit, method=BLOCKS)
    options = {"params": params.rematching} if method is rematching else {}
    given = {"objective": objective, "seed": seed, **options}
    solve = partial(_solved, method, requirement, given)

    def search() -> Limit | None:
        rows = block_rows(table, objective, k, block_size, sort)
        files = BlockFiles(checkpoint, objective, (method.__name__, requirement, seed))
        todo = _Todo(run, rows, files, display, params)
        try:
            _work(todo, solve, workers or cores(), executor)
        finally:  # An interrupt leaves the blocks that are done.
            run.offer(todo.release())
            run.stats |= {"blocks": len(rows), "from_checkpoint": todo.found}
        return None if todo.whole else Limit.TIME

    return run.carry_out(search)


class _Todo:
    """The blocks, and the matchings of those that are done."""

    def __init__(
        self,
        run: Run[NonHomogeneous],
        rows: list[Int32s],
        files: BlockFiles,
        display: bool,
        params: BlocksParams,
    ) -> None:
        self.run, self.files, self.display = run, files, display
        self.ahead = params.ahead
        self.left = dict(enumerate(rows))
        self.count = len(rows)
        table, k = run.table, run.requirement.core.size
        self.matchings = np.empty((k, table.n), np.int32)
        others = [c for c in table.names if c not in table.qi]
        self.qi = table.drop(others) if others else table
        finish = min(params.finish * table.n * table.d * k, run.remaining / 2)
        self.deadline = time.time() + run.remaining - finish
        self.found = 0
        self.whole = True

    def load(self) -> list[int]:
        """Take the blocks that are there already; return those that are not."""
        for block, rows in list(self.left.items()):
            if (known := self.files.load(self.table(block))) is not None:
                self.found += 1
                self._take(block, rows, known)
        return list(self.left)

    def table(self, block: int) -> Table:
        """Return the rows of a block."""
        return self.qi.take(self.left[block])

    def keep(self, block: int, solved: Solved) -> None:
        """Take what a method made of a block."""
        matchings, whole = solved
        if whole:
            self.files.save(self.table(block), matchings)
        self.whole &= whole
        self._take(block, self.left[block], matchings)

    def _take(self, block: int, rows: Int32s, matchings: Int32s) -> None:
        self.matchings[:, rows] = rows[matchings]
        del self.left[block]
        if self.display:
            done = self.count - len(self.left)
            print(
                f"{self.run.elapsed:7.1f}s block {done:>5,} of {self.count:,}",
                file=sys.stderr,
                flush=True,
            )

    def release(self) -> NonHomogeneous:
        """Put all blocks together; those that are not done in rings of neighbours."""
        for block, rows in self.left.items():
            table = self.table(block)
            kept = Partition.coarsest(table, self.run.objective).groups
            rings = NonHomogeneous.coarsest(table, len(self.matchings), kept).matchings
            assert rings is not None
            self.matchings[:, rows] = rows[rings]
            self.whole = False
        return NonHomogeneous.from_matchings(self.run.table, self.matchings)


def _work(todo: _Todo, solve: Solve, workers: int, executor: Executor | None) -> None:
    """Solve the blocks that are not done, as many as there is time for."""
    blocks = todo.load()
    if executor is not None:
        _submit(todo, blocks, solve, executor, workers)
    elif min(workers, len(blocks)) > 1:
        with block_pool(min(workers, len(blocks))) as pool:
            _submit(todo, blocks, solve, pool, workers)
    else:
        for block in blocks:
            if time.time() >= todo.deadline:
                break
            todo.keep(block, solve(todo.table(block), todo.deadline))


def _submit(
    todo: _Todo, blocks: list[int], solve: Solve, executor: Executor, workers: int
) -> None:
    """Solve blocks in an executor, a few more at a time than it has workers."""
    pending: dict[Future[Solved], int] = {}
    for block in blocks:
        if time.time() >= todo.deadline:
            break
        pending[executor.submit(solve, todo.table(block), todo.deadline)] = block
        if len(pending) >= workers + todo.ahead:
            _collect(todo, pending)
    while pending:
        _collect(todo, pending)


def _collect(todo: _Todo, pending: dict[Future[Solved], int]) -> None:
    """Wait for a block, and keep it."""
    for future in wait(pending, return_when=FIRST_COMPLETED).done:
        todo.keep(pending.pop(future), future.result())


def _solved(
    method: Callable[..., Result[NonHomogeneous]],
    requirement: Requirement,
    given: Mapping[str, Any],
    block: Table,
    deadline: float,
) -> Solved:
    """Find the matchings of a block until a time of day; whether the method ended."""
    limit = max(0.0, deadline - time.time())
    result = method(block, requirement, time_limit=limit, **given)
    pass_on(result)
    best = result.best
    if best is None or best.matchings is None:
        raise ValueError(f"Expected a release of the block, got {result.reason}.")
    return best.matchings, result.limit is None and time.time() <= deadline
