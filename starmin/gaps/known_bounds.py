"""The bounds of the problems of a sweep: each is computed once, for all its runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

_PATIENCE = 60.0  # seconds beyond the limit of the run that computes it

_locks: dict[str, Lock] = {}
_found: dict[str, tuple[dict[str, Any], bytes | None]] = {}
_sweeps: list[None] = []


@contextmanager
def bounds_once() -> Iterator[None]:
    """Keep bounds within, and forget them afterwards."""
    _sweeps.append(None)
    try:
        yield
    finally:
        _sweeps.pop()
        if not _sweeps:
            _locks.clear()
            _found.clear()


def known_bound(
    command: str, proof: Path, seconds: float, compute: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Return what a command found of a bound, and write its certificate again.

    ``command`` tells the bound from others; the certificate goes to ``proof``, if there
    is one. ``compute`` runs the command, which writes ``proof``, and may take so many
    ``seconds``; others that need it wait as long, and a while.

    Examples
    --------
    >>> calls = []
    >>> with bounds_once():
    ...     for _ in range(3):
    ...         _ = known_bound("x", Path("none"), 1, lambda: {"n": calls.append(1)})
    >>> len(calls)
    1
    """
    if not _sweeps:
        return compute()
    lock = _locks.setdefault(command, Lock())
    held = lock.acquire(timeout=seconds + _PATIENCE)
    try:
        if command not in _found:
            found = compute()
            _found[command] = found, proof.read_bytes() if proof.exists() else None
            return found
        found, written = _found[command]
        if written is not None:
            proof.write_bytes(written)
        return dict(found)
    finally:
        if held:
            lock.release()
