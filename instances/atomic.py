"""Files that appear whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from instances.errors import TableError


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
        handle, scratch = tempfile.mkstemp(prefix=".starmin.", dir=target.parent)
    except OSError as error:
        raise TableError(f"{path}: cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        # mkstemp is private to the user; a release gets the usual permissions.
        umask = os.umask(0)
        os.umask(umask)
        Path(scratch).chmod(0o666 & ~umask)
        Path(scratch).replace(target)
    except OSError as error:  # as a full disk
        raise TableError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        Path(scratch).unlink(missing_ok=True)


def check_writable(path: Path) -> None:
    """Raise TableError where ``path`` could not be written."""
    folder = path.parent
    if not folder.is_dir():
        raise TableError(f"{path}: folder {folder} does not exist; make it first")
    if path.is_dir():
        raise TableError(f"{path}: is a folder; name a file")
    if not os.access(folder, os.W_OK):
        raise TableError(f"{path}: folder {folder} is not writable")
