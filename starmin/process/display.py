"""The progress of a command on stderr: a live line in a terminal, else lines."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starmin.instances.runs.progress import Listener, Progress
from starmin.instances.runs.progress_lines import ProgressLines, Shown, cells

_PER_SECOND = 5  # how often the live line is drawn


@contextmanager
def show_progress(shown: Shown, quiet: bool = False) -> Iterator[tuple[Listener, ...]]:
    """Yield what shows the progress of a search as long as the block lasts.

    Parameters
    ----------
    shown
        Turns a cost into the number that people read.
    quiet
        Show nothing.
    """
    if quiet:
        yield ()
    elif sys.stderr.isatty():
        with _live_line(shown) as line:
            yield (line,)
    else:
        yield (ProgressLines(shown),)


class LiveLine:
    """One line that says what is known by now; its clock goes on between two events.

    Parameters
    ----------
    shown
        Turns a cost into the number that people read.
    """

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
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
        seconds = now.seconds + time.perf_counter() - self._since
        value, bound, gap = cells(now, self._shown)
        return (
            f"{seconds:7.1f} s  value {value}  bound {bound}  gap {gap}  {now.running}"
        )


@contextmanager
def show_leaves(quiet: bool = False) -> Iterator[Callable[[int, int], None] | None]:
    """Yield what shows in a terminal how many leaves of a proof tree are checked.

    Parameters
    ----------
    quiet
        Show nothing.
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
def _live_line(shown: Shown) -> Iterator[LiveLine]:
    line = LiveLine(shown)
    with _drawn(line.text):
        yield line


@contextmanager
def _drawn(text: Callable[[], str]) -> Iterator[None]:
    """Draw a line of text on stderr, anew several times a second."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    def draw() -> Text:
        return Text(text(), no_wrap=True, overflow="ellipsis")

    with Live(
        console=Console(stderr=True),
        get_renderable=draw,
        refresh_per_second=_PER_SECOND,
        transient=True,
        redirect_stdout=False,
    ):
        yield
