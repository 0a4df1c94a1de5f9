"""Notes of the methods whose loops are compiled, so that none is called for nothing.

To learn that all loops of a method are on disk it has to be called on all problems that
compile them, which takes half a minute for all methods. So what was loaded or compiled
by then is noted beside the loops, under a name made of all sources, of the processor
and of what compiles.
"""

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path

from starmin.instances.loops.loop_cache import (
    compilers,
    host,
    to_read,
    to_write,
    used,
    write_whole,
)

_HOME = Path(__file__).parents[1]
# A search through a folder does not go into links, which these are in a checkout.
_PARTS = ("", "instances", "heuristics", "models", "verify")


def known(method: str) -> bool:
    """Check that a method was called since sources changed, and its loops are there.

    Examples
    --------
    >>> known("nothing_such")
    False
    """
    try:
        loops = (to_write() / _name(method)).read_text().split()
    except OSError:
        return False
    return all(any((folder / loop).exists() for folder in to_read()) for loop in loops)


def note(method: str) -> None:
    """Note that a method was called, and what this process has loaded or compiled."""
    with suppress(OSError):
        write_whole(to_write() / _name(method), "\n".join(sorted(used)).encode())


def _name(method: str) -> str:
    key = repr((method, host(), compilers(), _sources()))
    return f"{method}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.warm"


@cache
def _sources() -> str:
    """Name the sources of all packages by their content: three megabytes, 50 ms."""
    hashed = hashlib.sha256()
    for file in sorted({f for part in _PARTS for f in (_HOME / part).rglob("*.py")}):
        hashed.update(f"{file.relative_to(_HOME)}\0".encode())
        hashed.update(file.read_bytes())
    return hashed.hexdigest()
