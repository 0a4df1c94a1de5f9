"""The folders in which compiled loops are kept, and those in which they are found."""

import os
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

_VARIABLE = "NUMBA_CACHE_DIR"
_BESIDE = Path(__file__).with_name("__pycache__")
SHIPPED = Path(__file__).with_name("shipped")


def to_read() -> tuple[Path, ...]:
    """Return the folders where a compiled loop may be, in the order of the search.

    The last is what a wheel ships; it is read also where nothing can be written.
    """
    if os.environ.get(_VARIABLE):
        return (to_write(), SHIPPED)
    return tuple(dict.fromkeys((_BESIDE, to_write(), SHIPPED)))


def to_write() -> Path:
    """Return the folder for newly compiled loops.

    That is the folder in the environment variable ``NUMBA_CACHE_DIR``; else one beside
    the source; else, where starmin is installed for all users, the user's own; else, as
    in a container without a home, one for temporary files, named on standard error.
    """
    chosen = os.environ.get(_VARIABLE)
    return Path(chosen, "starmin") if chosen else _first_that_takes_files()


@cache
def _first_that_takes_files() -> Path:
    if _takes_files(_BESIDE):
        return _BESIDE
    with suppress(RuntimeError):  # no home folder
        caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        if _takes_files(own := Path(caches, "starmin", "loops")):
            return own
    folder = _private_folder()
    print(f"starmin: compiled loops are kept in {folder}", file=sys.stderr)
    return folder


def _takes_files(folder: Path) -> bool:
    """Check whether a file can be made there, the folder too if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".starmin-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True


def _private_folder() -> Path:
    """Return the user's own folder, or a new one where others could write there.

    Compiled loops are programs: whoever can put one there can have it run.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(tempfile.gettempdir(), f"starmin-loops-{user}")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    private = found.st_mode & 0o170777 == 0o040700 and found.st_uid == user
    return folder if private else Path(tempfile.mkdtemp(prefix="starmin-loops-"))
