"""Files that appear whole or not at all."""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from starmin.instances.errors import TableError

fcntl: Any = None
with suppress(ImportError):  # not on Windows
    fcntl = import_module("fcntl")


@contextmanager
def write_atomically(path: Path) -> Iterator[IO[bytes]]:
    """Open a file beside ``path`` for writing; it takes its name when complete.

    Raises
    ------
    TableError
        The folder is missing or not writable, or ``path`` is a folder.
    """
    check_writable(path)
    if path.exists() and not path.is_file():  # a device or a pipe, as /dev/null
        try:
            with path.open("wb") as file:
                yield file
        except OSError as error:
            raise TableError(f"{path}: cannot be written: {error.strerror}") from None
        return
    target = path.resolve()  # a link stays a link
    try:
        _remove_stale(target)
        handle, lock, scratch = _make_scratch(target)
    except OSError as error:
        raise TableError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        # mkstemp is private to the user; a release gets the usual permissions.
        umask = os.umask(0)
        os.umask(umask)
        scratch.chmod(0o666 & ~umask)
        scratch.replace(target)
    except OSError as error:  # as a full disk
        raise TableError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        scratch.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def _prefix(target: Path) -> str:
    """Return how scratch files of a target begin: names may be too long to repeat."""
    return f".starmin.{sha256(target.name.encode(errors='replace')).hexdigest()[:12]}."


def _make_scratch(target: Path) -> tuple[int, int | None, Path]:
    """Make a scratch file, open, and the lock on it while this process lives."""
    while True:
        handle, name = tempfile.mkstemp(prefix=_prefix(target), dir=target.parent)
        scratch = Path(name)
        lock = os.dup(handle) if fcntl is not None else None
        if lock is None:
            return handle, lock, scratch
        with suppress(OSError):  # a file system without locks
            fcntl.flock(lock, fcntl.LOCK_EX)
        if scratch.exists():  # it was not taken for a stale one before it was locked
            return handle, lock, scratch
        os.close(lock)
        os.close(handle)


def _remove_stale(target: Path) -> None:
    """Remove scratch files of the same target that a killed process has left."""
    if fcntl is None:
        return
    pattern = re.compile(re.escape(_prefix(target)) + r"[a-z0-9_]{8}")
    for scratch in target.parent.iterdir():
        if not pattern.fullmatch(scratch.name):
            continue
        with suppress(OSError):  # locked, as its process lives; gone, or another's
            handle = os.open(scratch, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                scratch.unlink()
            finally:
                os.close(handle)


def check_writable(path: Path) -> None:
    """Raise TableError where ``path`` could not be written."""
    folder = path.parent
    if not folder.is_dir():
        raise TableError(f"{path}: folder {folder} does not exist; make it first")
    if path.is_dir():
        raise TableError(f"{path}: is a folder; name a file")
    if not os.access(folder, os.W_OK):
        raise TableError(f"{path}: folder {folder} is not writable")
