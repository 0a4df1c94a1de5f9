"""A place for compiled loops where numba finds none: a folder for temporary files."""

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

_HOME = Path(__file__).resolve().parents[1]
_VARIABLE = "NUMBA_CACHE_DIR"


def find_loop_cache() -> None:
    """Name a private temporary folder to numba where it would find no place.

    Numba keeps compiled loops beside the source, or else in the user's cache folder,
    and fails where both are read-only, as they often are in a container.
    """
    if os.environ.get(_VARIABLE) or _takes_files(_HOME / "instances" / "__pycache__"):
        return
    with suppress(RuntimeError):  # no home folder
        beside = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        if _takes_files(Path(beside, "numba")):
            return
    try:
        folder = _private_folder()
    except OSError:  # then numba says what is wrong
        return
    os.environ[_VARIABLE] = str(folder)
    if "numba" in sys.modules:  # it has read its settings already
        sys.modules["numba"].config.CACHE_DIR = str(folder)
    print(f"starmin: compiled loops are kept in {folder}", file=sys.stderr)


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
