"""Files that appear whole or not at all."""

import errno
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import IO, Any, ClassVar, cast

from starmin.instances.errors import TableError

fcntl: Any = None
with suppress(ImportError):  # not on Windows
    fcntl = import_module("fcntl")


@contextmanager
def write_atomically(path: Path) -> Iterator[IO[bytes]]:
    """Open a file beside ``path`` for writing; it takes its name when complete.

    What is written to standard output (``-``), a pipe or a device goes there when it is
    complete. Raises TableError where the folder is missing or not writable, or ``path``
    is a folder.
    """
    if is_stream(path):
        with tempfile.TemporaryFile() as kept:
            yield cast(IO[bytes], kept)
            kept.seek(0)
            try:
                with _opened(path) as stream:
                    shutil.copyfileobj(kept, stream)
                    stream.flush()
            except OSError as error:
                why = error.strerror
                raise TableError(f"{path}: cannot be written: {why}") from None
        return
    check_writable(path)
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


def is_stdout(path: Path) -> bool:
    """Check whether a name, or a link, is that of standard output."""
    for _ in range(40):  # links after which the system gives up
        if str(path) in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            return True
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return False


def is_stream(path: Path) -> bool:
    """Check whether a name is that of standard output, a pipe or a device."""
    return is_stdout(path) or (path.exists() and not (path.is_file() or path.is_dir()))


def expect_file(path: Path) -> None:
    """Raise TableError for a pipe or a device: what is read is read several times."""
    if str(path) == "-" or is_stream(path):
        raise TableError(
            f"{path}: is no file, and files are read several times; save it as one "
            "first, as by: cat > table.csv"
        )


def read_whole(path: Path) -> str:
    """Return the text of a file; raise TableError where it is none, or not UTF-8."""
    expect_file(path)
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise TableError(f"{path}: not UTF-8 text; convert it first") from None
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror}") from None


def expect_folder_name(path: Path) -> None:
    """Raise TableError where no folder can be made of this name."""
    if is_stream(path) or path.is_file():
        raise TableError(f"{path}: is no folder, where several files are written")


def make_folder(path: Path, option: str) -> None:
    """Make a folder where several files are written, as an option names it.

    Raises TableError where none can be made.
    """
    expect_folder_name(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TableError(f"{option}: {path}: {error.strerror}") from None


class Standard:
    """Standard output, as outputs are written to it."""

    stream: ClassVar[Callable[[], Any]] = lambda: sys.stdout  # returns it
    # is told of a file that is to be written there
    claim: ClassVar[Callable[[Path], object]] = lambda path: None
    pipes: ClassVar[dict[Path, int]] = {}  # named ones, opened when they were checked


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    if is_stdout(path):
        stream = Standard.stream()
        stream.flush()
        yield stream.buffer
    elif (pipe := Standard.pipes.pop(path, None)) is not None:
        with os.fdopen(pipe, "wb") as stream:
            yield stream
    else:
        with path.open("wb") as stream:
            yield stream


def _check_stream(path: Path) -> None:
    """Raise TableError where nothing can be written to a stream."""
    if is_stdout(path):
        Standard.claim(path)
        return
    if path.is_fifo() and path not in Standard.pipes:
        try:  # else it would wait for whoever reads it, for ever if there is nobody
            pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            why = error.strerror
            if error.errno == errno.ENXIO:
                why = "nobody reads this pipe; begin to read it first"
            raise TableError(f"{path}: cannot be written: {why}") from None
        os.set_blocking(pipe, True)
        Standard.pipes[path] = pipe
    if not os.access(path, os.W_OK):
        raise TableError(f"{path}: cannot be written")


def check_writable(path: Path) -> None:
    """Raise TableError where ``path`` could not be written."""
    if is_stream(path):
        _check_stream(path)
        return
    folder = path.parent
    if not folder.is_dir():
        raise TableError(f"{path}: folder {folder} does not exist; make it first")
    if path.is_dir():
        raise TableError(f"{path}: is a folder; name a file")
    if not os.access(folder, os.W_OK):
        raise TableError(f"{path}: folder {folder} is not writable")
