"""Releases are saved whatever happens: as plain CSV where their own form fails."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

from starmin.process.faults import told
from starmin.process.steps import Steps


def save(
    what: str,
    path: Path,
    write: Callable[[Path], object],
    write_plainly: Callable[[Path], object],
    steps: Steps,
) -> Path | None:
    """Write a file; where that fails, write it plainly to another one beside it.

    Parameters
    ----------
    what
        Its label.
    path
        Its place.
    write, write_plainly
        Write it to a place, the second one as CSV.
    steps
        Is told of files that were written, and of what failed.

    Returns
    -------
    Where it is; None where it could not be written at all.
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

    Examples
    --------
    >>> spare_of(Path("no-such-release.dta")).name
    'no-such-release.dta.csv'
    """
    # Beside a device or a pipe nothing is to be made.
    folder = Path() if path.exists() and not path.is_file() else path.parent
    names = (f"{path.name}{'' if i == 1 else f'.{i}'}.csv" for i in count(1))
    return next(folder / name for name in names if not (folder / name).exists())
