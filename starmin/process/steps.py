"""What follows a search: each step is tried, whatever became of the one before."""

from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from starmin.process.faults import told
from starmin.process.say import say


class Steps:
    """Takes steps one after the other; those that fail are told when all are done.

    What was searched for long is written first, and nothing that fails afterwards
    takes it away. An interrupt is no failure of a step: it ends all of them.

    Attributes
    ----------
    wrote
        The files that were written, by label.

    Examples
    --------
    >>> with Steps() as steps:
    ...     with steps.step("the report"):
    ...         raise OSError("No space left on device")
    ...     with steps.step("the certificate", Path("proof.json")):
    ...         pass
    >>> steps.failed, steps.wrote
    (True, [('the certificate', PosixPath('proof.json'))])
    """

    def __init__(self) -> None:
        self.wrote: list[tuple[str, Path]] = []
        self._lines: list[str] = []

    @property
    def failed(self) -> bool:
        """Whether a step failed."""
        return bool(self._lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for line in self._lines:
            say(f"error: {line}")

    def step(
        self,
        what: str,
        path: Path | None = None,
        passing: tuple[type[Exception], ...] = (),
    ) -> "Step":
        """Return what is entered for a step; an error ends it, and no other one.

        Parameters
        ----------
        what
            Its name, as it is told of.
        path
            The file that it writes.
        passing
            Errors that end all steps.
        """
        return Step(self, what, path, passing)

    def fail(self, line: str) -> None:
        """Note what failed."""
        self._lines.append(line)


@dataclass(frozen=True)
class Step:
    """One of the steps, to be entered once; see ``Steps.step``."""

    steps: Steps
    what: str
    path: Path | None
    passing: tuple[type[Exception], ...]

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is None:
            if self.path is not None:
                self.steps.wrote.append((self.what, self.path))
            return False
        if not isinstance(error, Exception) or isinstance(error, self.passing):
            return False
        self.steps.fail(f"{self.what}: {told(error)}")
        return True
