"""Large tables in blocks of similar rows: on many processors, resumable."""

import math
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from functools import partial
from pathlib import Path

import numpy as np

from heuristics.nonhomogeneous.block_files import BlockFiles
from heuristics.nonhomogeneous.block_rows import Rows, block_rows
from heuristics.nonhomogeneous.rematching import rematching
from instances import (
    STARS,
    Limit,
    NonHomogeneous,
    NotSupportedError,
    Objective,
    Requirement,
    Result,
    Run,
    Table,
    expect_k,
)
from instances.nonhomogeneous import Matchings

Solved = tuple[Matchings, bool]
Solve = Callable[[Table, float], Solved]
_Pending = dict[Future[Solved], tuple[Rows, Table]]

_AHEAD = 2  # blocks that wait for a processor


def blocks(
    table: Table,
    requirement: Requirement,
    *,
    objective: Objective = STARS,
    time_limit: float = math.inf,
    seed: int = 0,
    display: bool = False,
    workers: int = 1,
    executor: Executor | None = None,
    method: Callable[..., Result[NonHomogeneous]] = rematching,
    size: int = 100_000,
    sort: bool = True,
    folder: Path | None = None,
) -> Result[NonHomogeneous]:
    """Non-homogeneous k-anonymity of large tables, block by block; no guarantee.

    Columns are sorted by ascending cardinality and rows lexicographically, so that
    similar rows are near each other; the rows are cut into equal blocks, and each is
    solved by itself (section 3.2.3).

    Parameters
    ----------
    table
        Any number of rows.
    requirement
        k-anonymity.
    objective
        Stars, weighted or not; columns to be kept are.
    time_limit
        Seconds; blocks that are not done by then are released in rings of neighbours.
    seed
        Of the method.
    display
        Print a line to stderr as blocks are done.
    workers
        Processes; ignored with an ``executor``.
    executor
        Where blocks are solved: any, as that of a Dask cluster,
        ``Client.get_executor()``. The default is a pool of ``workers`` processes.
    method
        For the blocks: any that yields matchings. It is called by its name elsewhere,
        so it must be at the top of a module.
    size
        Rows of a block, about.
    sort
        Without sorting the blocks are those of the rows as they are (for comparison).
    folder
        Where finished blocks are kept. A run that was killed goes on from there: a
        block is found again by its content, the method and the parameters.

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
    >>> from instances import KAnonymity
    >>> from instances.generators import uniform
    >>> result = blocks(uniform(100, d=3, seed=1), KAnonymity(2), size=50)
    >>> len(result.best.matchings)
    2
    """
    k = expect_k(requirement)
    run = Run[NonHomogeneous](table, requirement, objective, time_limit)
    if no := run.infeasible():
        return no
    if size < 2 * k:
        raise NotSupportedError(f"Expected blocks of {2 * k} rows, got {size}.")
    rows = block_rows(table, objective, k, size, sort)
    files = BlockFiles(folder, (method.__name__, requirement, objective, seed))
    solve = partial(
        _solved,
        method=method,
        requirement=requirement,
        objective=objective,
        seed=seed,
    )
    todo = _Todo(run, rows, files, display)
    if executor is not None or workers == 1:
        done = todo.all(solve, executor)
    else:
        with ProcessPoolExecutor(workers) as pool:
            done = todo.all(solve, pool)
            pool.shutdown(wait=False, cancel_futures=True)
    run.offer(NonHomogeneous.from_matchings(table, todo.matchings))
    stats = {"blocks": len(rows), "from_folder": todo.found}
    return run.result(None if done else Limit.TIME, stats)


class _Todo:
    """The blocks, and the matchings of those that are done."""

    def __init__(
        self,
        run: Run[NonHomogeneous],
        rows: list[Rows],
        files: BlockFiles,
        display: bool,
    ) -> None:
        self.run, self.rows, self.files, self.display = run, rows, files, display
        table = run.table
        self.matchings = np.empty((expect_k(run.requirement), table.n), np.int32)
        others = [c for c in table.names if c not in table.qi]
        self.qi = table.drop(others) if others else table
        self.found = 0
        self.finished = 0

    def all(self, solve: Solve, executor: Executor | None) -> bool:
        """Solve the blocks that are not in the folder; whether time sufficed."""
        pending: _Pending = {}
        for rows in self.rows:
            block = self.qi.take(rows)
            if (known := self.files.load(block)) is not None:
                self.found += 1
                self._take(rows, known)
                continue
            if self.run.remaining == 0:
                self._ring(rows, block)
                continue
            limit = self.run.remaining
            if executor is None:
                self._keep(rows, block, solve(block, limit))
                continue
            if len(pending) >= _slots(executor) + _AHEAD:
                self._collect(pending, FIRST_COMPLETED)
            pending[executor.submit(solve, block, limit)] = rows, block
        while pending:
            self._collect(pending, FIRST_COMPLETED)
        return self.run.remaining > 0

    def _collect(self, pending: _Pending, when: str) -> None:
        for future in wait(pending, return_when=when).done:
            rows, block = pending.pop(future)
            self._keep(rows, block, future.result())

    def _keep(self, rows: Rows, block: Table, solved: Solved) -> None:
        matchings, whole = solved
        if whole:
            self.files.save(block, matchings)
        self._take(rows, matchings)

    def _take(self, rows: Rows, matchings: Matchings) -> None:
        self.matchings[:, rows] = rows[matchings]
        self.finished += 1
        if self.display:
            print(
                f"{self.run.elapsed:7.1f}s block {self.finished:>5,} "
                f"of {len(self.rows):,}",
                file=sys.stderr,
                flush=True,
            )

    def _ring(self, rows: Rows, block: Table) -> None:
        """Neighbours, where no time is left."""
        from heuristics.nonhomogeneous.ring import ring

        best = ring(block, self.run.requirement, objective=self.run.objective).best
        if best is not None and best.matchings is not None:
            self._take(rows, best.matchings)


def _slots(executor: Executor) -> int:
    """How many blocks it works on at once, as far as it says."""
    return int(getattr(executor, "_max_workers", os.cpu_count() or 1))


def _solved(
    block: Table,
    limit: float,
    *,
    method: Callable[..., Result[NonHomogeneous]],
    requirement: Requirement,
    objective: Objective,
    seed: int,
) -> Solved:
    """The matchings of a block, and whether the method came to its end."""
    started = time.perf_counter()
    result = method(
        block, requirement, objective=objective, time_limit=limit, seed=seed
    )
    best = result.best
    if best is None or best.matchings is None:
        raise ValueError(f"Expected a release of the block, got {result.reason}.")
    late = time.perf_counter() - started > limit
    return best.matchings, result.limit is None and not late
