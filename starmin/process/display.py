"""The progress of a command on stderr: a live line in a terminal, else lines."""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from threading import Timer
from typing import TYPE_CHECKING

from starmin.instances.runs.progress import (
    Listener,
    Progress,
    ProgressLines,
    Shown,
    cells,
)

if TYPE_CHECKING:
    from rich.live import Live

_PER_SECOND = 5  # how often the live line is drawn
_LATE = 2.0  # seconds after which a call that nobody silenced shows its progress
_BAR = 24  # characters of the bar


@contextmanager
def show_progress(
    shown: Shown, quiet: bool | None = False, limit: float = math.inf
) -> Iterator[tuple[Listener, ...]]:
    """Yield what shows the progress of a search as long as the block lasts.

    ``shown`` turns a cost into the number that people read. ``quiet`` shows nothing;
    None: show it late, and only to who watches a terminal or a notebook. The search
    ends in ``limit`` seconds; a bar shows how many of them have gone by.
    """
    watched = sys.stderr.isatty() or _in_notebook()
    if quiet or (quiet is None and not watched):
        yield ()
    elif watched:
        line = LiveLine(shown, limit)
        with _drawn(line.text, line.share, _LATE if quiet is None else 0.0):
            yield (line,)
    else:
        yield (ProgressLines(shown),)


class LiveLine:
    """One line that says what is known by now; its clock goes on between two events.

    ``shown`` turns a cost into the number that people read; the search ends in
    ``limit`` seconds.
    """

    def __init__(self, shown: Shown, limit: float = math.inf) -> None:
        self._shown, self._limit = shown, limit
        self._now: Progress | None = None
        self._since = 0.0

    def __call__(self, now: Progress) -> None:
        """Take the latest event."""
        self._now, self._since = now, time.perf_counter()

    def text(self) -> str:
        """Write the line as it is now; empty before the first event."""
        now = self._now
        if now is None:
            return ""
        seconds = self._seconds()
        value, bound, gap = cells(now, self._shown)
        return (
            f"{seconds:7.1f} s  value {value}  bound {bound}  gap {gap}  {now.running}"
        )

    def share(self) -> float | None:
        """Return which share of the limit has gone by; None: there is no limit."""
        if self._now is None or not 0 < self._limit < math.inf:
            return None
        return min(1.0, self._seconds() / self._limit)

    def _seconds(self) -> float:
        assert self._now is not None
        return self._now.seconds + time.perf_counter() - self._since


@contextmanager
def show_leaves(quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """Yield what shows in a terminal how many leaves of a proof tree are checked.

    Nothing is shown where ``quiet``.
    """
    if quiet or not sys.stderr.isatty():
        yield None
        return
    done = [0, 0]

    def text() -> str:
        return f"{done[0]:,} of {done[1]:,} leaves checked" if done[1] else ""

    def tell(now: int, of_all: int) -> None:
        done[:] = now, of_all

    with _drawn(text):
        yield tell


@contextmanager
def _drawn(
    text: Callable[[], str],
    share: Callable[[], float | None] = lambda: None,
    after: float = 0.0,
) -> Iterator[None]:
    """Draw a line of text on stderr, anew several times a second.

    ``text`` returns the line as it is now, and ``share`` what a bar before it shows;
    None: there is none. ``after`` is how many seconds pass first.
    """
    lives: list[Live] = []

    def start() -> None:
        from rich.errors import LiveError

        live = _live(text, share)
        with suppress(LiveError):  # a display of the caller's is there already
            live.start()
            lives.append(live)

    timer = Timer(after, start)
    timer.daemon = True
    timer.start() if after else start()
    try:
        yield
    finally:
        timer.cancel()
        if after:
            timer.join()
        for live in lives:
            live.stop()


def _live(text: Callable[[], str], share: Callable[[], float | None]) -> "Live":
    """Return what draws a line of text, and a bar before it."""
    from rich.console import Console
    from rich.live import Live
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    def draw() -> Text | Table:
        line = Text(text(), no_wrap=True, overflow="ellipsis")
        if (part := share()) is None:
            return line
        row = Table.grid(padding=(0, 1))
        row.add_row(ProgressBar(1.0, part, _BAR), line)
        return row

    return Live(
        console=Console(stderr=True),
        get_renderable=draw,
        refresh_per_second=_PER_SECOND,
        transient=True,
        redirect_stdout=False,
    )


def _in_notebook() -> bool:
    """Check whether a notebook shows what a live display draws."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return (
        type(shell).__name__ == "ZMQInteractiveShell"
        and find_spec("ipywidgets") is not None
    )
