"""Compiled loops on disk, found again by what they compute, not by where they stand.

Numba's own cache sees a change in the file of a loop, but not in the files of the
loops that it calls, holds for one kind of processor, and must be able to write. This
one names each compiled loop by the code of all that it calls, also takes what was
compiled for the common level of processors, as wheels ship it, and reads where it
cannot write.
"""

import hashlib
import pickle
import platform
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import numba
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from starmin.instances.loops import notice
from starmin.instances.loops.compiler import LINKED, rebuild
from starmin.instances.loops.digest import digest
from starmin.instances.loops.loop_folders import to_read, to_write

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
