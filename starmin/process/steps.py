"""What follows a search: each step is tried, whatever became of the one before."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Self

from starmin.instances.io.atomic import write_atomically
from starmin.process.faults import told
from starmin.process.say import say


class Steps:
    """Takes steps one after the other; those that fail are told when all are done.

    What was searched for long is written first, and nothing that fails afterwards takes
    it away. An interrupt is no failure of a step: it ends all of them. ``wrote`` has
    the files that were written, by label.

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

    def __exit__(self, *_: object) -> None:
        for line in self._lines:
            say(f"error: {line}")

    def step(
        self,
        what: str,
        path: Path | None = None,
        passing: tuple[type[Exception], ...] = (),
    ) -> "Step":
        """Return what is entered for a step; an error ends it, and no other one.

        The step is told of as ``what``, and writes the file ``path``; errors of the
        types ``passing`` end all steps.
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

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> bool:
        if error is None:
            if self.path is not None:
                self.steps.wrote.append((self.what, self.path))
            return False
        if not isinstance(error, Exception) or isinstance(error, self.passing):
            return False
        self.steps.fail(f"{self.what}: {told(error)}")
        return True


def write_file(path: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all."""
    with write_atomically(path) as file:
        file.write(content)


def save(
    what: str,
    path: Path,
    write: Callable[[Path], object],
    write_plainly: Callable[[Path], object],
    steps: Steps,
) -> Path | None:
    """Write a file; where that fails, write it plainly to another one beside it.

    ``what`` is its label. ``write`` and ``write_plainly`` write it to a place, the
    second one as CSV; ``steps`` is told of files that were written, and of what failed.
    Returns where it is; None where it could not be written at all.
    """
    try:
        write(path)
    except Exception as error:
        why, path = f"--{what}: {told(error)}", spare_of(path)
        try:
            write_plainly(path)
        except Exception as second:
            steps.fail(f"{why}; nor can it be saved as CSV: {told(second)}")
            return None
        steps.fail(f"{why}; it is saved as {path}")
    steps.wrote.append((what, path))
    return path


def spare_of(path: Path) -> Path:
    """Name a file that is not there yet, beside one that could not be written.

    >>> spare_of(Path("no-such-release.dta")).name
    'no-such-release.dta.csv'
    """
    # Beside a device or a pipe nothing is to be made.
    folder = Path() if path.exists() and not path.is_file() else path.parent
    names = (f"{path.name}{'' if i == 1 else f'.{i}'}.csv" for i in count(1))
    return next(folder / name for name in names if not (folder / name).exists())
