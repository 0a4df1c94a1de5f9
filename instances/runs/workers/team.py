"""Threads that help a call with blocks of its work, where cores are idle."""

import itertools
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from types import TracebackType
from typing import Self

from starmin.instances.runs.workers.cores import cores
from starmin.instances.runs.workers.threads import Threads


class Team:
    """Shares blocks of work, each of about a millisecond, among idle cores.

    The call itself works, too, so that it never waits for a core. What a block is
    follows from the data; who does it follows from who is free. So whatever blocks add
    up shall not depend on their order.

    Parameters
    ----------
    most
        How many work at a time, at most; default: as many as there are cores.

    Examples
    --------
    >>> squares = [0] * 4
    >>> with Team() as team:
    ...     team.share(4, lambda worker, block: squares.__setitem__(block, block**2))
    >>> squares
    [0, 1, 4, 9]
    """

    def __init__(self, most: int | None = None) -> None:
        self.most = most or cores()
        self._threads = Threads(max(1, self.most - 1))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._threads.shutdown()

    def share(self, blocks: int, work: Callable[[int, int], object]) -> None:
        """Work on each block once.

        Parameters
        ----------
        blocks
            How many there are.
        work
            Takes the number of who works, below ``most``, and that of the block.
        """
        numbers = itertools.count()  # whoever asks next has the next one

        def take(worker: int) -> None:
            while (block := next(numbers)) < blocks:
                work(worker, block)

        helpers = list[Future[None]]()
        for worker in range(1, min(self.most, blocks)):
            helper = self._threads.submit_if_idle(partial(take, worker))
            if helper is None:
                break
            helpers.append(helper)
        try:
            take(0)
        finally:
            for each in helpers:
                each.cancel()
            done = [each for each in helpers if not each.cancelled()]
            for each in done:
                each.result()
