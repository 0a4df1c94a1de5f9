"""The versions of numba, and how loops are compiled with each of them."""

import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numba

# Our part of the compiler was tested with all from the first to the last.
FIRST, LAST = (0, 62), (0, 68)
KNOWN = f"numba>={FIRST[0]}.{FIRST[1]},<{LAST[0]}.{LAST[1] + 1}"


@cache
def compile_loop() -> Callable[..., Any]:
    """Return what compiles loops: our part of numba's compiler, or numba alone.

    Numba alone takes longer, and anew in each process: its own cache does not see a
    change in what a loop calls. Raises ImportError where numba was told to compile
    nothing.
    """
    if numba.config.DISABLE_JIT:
        raise ImportError(
            "starmin needs compiled loops, but NUMBA_DISABLE_JIT, or disable_jit in "
            ".numba_config.yaml, forbids numba to compile"
        )
    if kept := _kept():
        return kept
    print(
        f"starmin does not know the compiler of numba {numba.__version__}, only that "
        f"of {KNOWN}; loops are compiled anew in each process, which takes minutes",
        file=sys.stderr,
    )
    return _plain


def are_kept() -> bool:
    """Check whether loops are kept on disk."""
    return compile_loop() is not _plain


def _kept() -> Callable[..., Any] | None:
    """Return our part of the compiler, where it loads."""
    found = re.match(r"(\d+)\.(\d+)", numba.__version__)
    if found is None or not FIRST <= (int(found[1]), int(found[2])) <= LAST:
        return None
    try:
        from starmin.instances.loops.kept_loops import kept
    except (ImportError, AttributeError):  # what numba keeps for itself has changed
        return None
    return kept


def _plain(function: Any, *, no_cpython_wrapper: bool = False, **options: Any) -> Any:
    """Compile a loop by numba alone."""
    return numba.njit(nogil=True, **options)(function)
