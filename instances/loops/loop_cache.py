"""Compiled loops on disk, found again by what they compute, not by where they stand.

Numba's own cache sees a change in the file of a loop, but not in the files of the
loops that it calls, holds for one kind of processor, and must be able to write. This
one names each compiled loop by the code of all that it calls, also takes what was
compiled for the common level of processors, as wheels ship it, and reads where it
cannot write.
"""

import hashlib
import os
import pickle
import platform
import sys
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from starmin.instances.loops import notice
from starmin.instances.loops.compiler import LINKED, rebuild

# A name for what a loop computes: of its code and of all that it calls.


@cache
def digest(function: FunctionType) -> str:
    """Return the same text for the same code, constants and callees, else another.

    Comments, names of files and numbers of lines are left out of it, so a loop is
    compiled again only where something changed that it computes with.
    """
    hashed = hashlib.sha256()
    for part in _function(function, set()):
        hashed.update(part.encode())
        hashed.update(b"\0")
    return hashed.hexdigest()


def _function(function: FunctionType, seen: set[FunctionType]) -> Iterator[str]:
    """List what a function is made of; each function once, also if it calls itself."""
    yield f"{function.__module__}.{function.__qualname__}"
    if function in seen:
        return
    seen.add(function)
    yield repr(function.__defaults__)
    yield from _code(function.__code__, function.__globals__, seen)
    for cell in function.__closure__ or ():
        yield from _value(cell.cell_contents, seen)


def _code(
    code: CodeType, names: dict[str, Any], seen: set[FunctionType]
) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_varnames, code.co_names))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant, names, seen)
        else:
            yield repr(constant)
    for name in code.co_names:
        if name in names:
            yield from _value(names[name], seen)


def _value(value: Any, seen: set[FunctionType]) -> Iterator[str]:
    """List what a global name stands for: a loop, a constant, a class, a module."""
    function = getattr(value, "py_func", value)
    if isinstance(function, FunctionType):
        yield from _function(function, seen)
    elif isinstance(value, ModuleType):
        yield value.__name__
    elif isinstance(value, type):
        yield f"{value.__qualname__}{getattr(value, '_fields', ())}"
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}{value.tobytes().hex()}"
    else:
        yield repr(value)


# The folders in which compiled loops are kept, and those in which they are found.

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


COMMON_LEVEL = "x86-64-v3"  # processors of 2013 and later
_ITS_FEATURES = {"+avx2", "+bmi", "+bmi2", "+f16c", "+fma", "+lzcnt", "+movbe"}
_VERSIONS = (platform.python_version_tuple()[:2], numba.__version__)
_LIBRARY = (llvmlite.__version__, platform.system())
_COMPILER = hashlib.sha256(
    b"".join(
        Path(__file__).with_name(f"{name}.py").read_bytes()
        for name in ("kept_loops", "compiler", "lowering", "short_errors")
    )
).hexdigest()

used: set[str] = set()  # names of all files that this process has read or written


def host() -> tuple[str, str, str]:
    """Return the processor for which loops are compiled here."""
    machine: tuple[str, str, str] = cpu_target.target_context.codegen().magic_tuple()
    return machine


def compilers() -> tuple[object, ...]:
    """Return what compiles loops here: versions, and the source of our own part."""
    return (_VERSIONS, _LIBRARY, _COMPILER)


class LoopCache:
    """What numba asks for the compiled versions of one loop.

    ``function`` is the loop in Python, and ``options`` say how it is compiled: a loop
    without a wrapper is another one.
    """

    def __init__(self, function: FunctionType, options: Iterable[str] = ()) -> None:
        self._function, self._options = function, tuple(sorted(options))

    @property
    def cache_path(self) -> str:
        """Return the folder for new files."""
        return str(to_write())

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the loop compiled for these types of arguments, or None."""
        rtsys.initialize(target)  # All else that numba knows is for compiling.
        for machine in _machines(target.codegen().magic_tuple()):
            name = self._name(signature, machine)
            for folder in to_read():
                if (stored := _read(folder / name)) is not None:
                    used.add(name)
                    return rebuild(target, stored)
        if notice.on_compile:
            notice.on_compile()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compiled loop, where a file can be made and numba can write it."""
        if any(not each.can_cache for each in result.lifted):
            return
        if result.library.has_dynamic_globals:
            return
        machine = result.codegen.magic_tuple()
        name = self._name(signature, machine)
        with suppress(OSError):
            write_whole(to_write() / name, dumps(result._reduce()))
            used.add(name)

    def _name(self, signature: Any, machine: tuple[str, str, str]) -> str:
        linked = [LINKED] if "no_cpython_wrapper" in self._options else []
        content = " ".join((digest(self._function), *self._options, *linked))
        key = repr((*compilers(), machine, str(signature), content))
        hashed = hashlib.sha256(key.encode()).hexdigest()[:24]
        return f"{self._function.__name__}-{hashed}.loop"


def _machines(host: tuple[str, str, str]) -> Iterator[tuple[str, str, str]]:
    """List the processors whose code runs here: this one, and the common level."""
    yield host
    triple, _, features = host
    if set(features.split(",")) >= _ITS_FEATURES:
        yield triple, COMMON_LEVEL, ""


def _read(path: Path) -> Any:
    """Return what a file holds; None if there is none that fits this source."""
    try:
        return pickle.loads(path.read_bytes())
    except (OSError, ImportError, AttributeError):  # or it names a class that has moved
        return None


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is whole whenever another process reads it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{uuid.uuid4().hex}")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
