"""An error of numba's that is said in fewer words, loaded where a loop is compiled.

Where an array is assigned to a slice of another length, numba writes both shapes into
its message: forty functions for texts are compiled for each loop that assigns a slice.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.extending import overload
from numba.np import arrayobj


def refuse_shapes(given: Any, taken: Any) -> None:
    """Raise ValueError: numba calls it with the shapes of two arrays."""
    raise NotImplementedError


@overload(refuse_shapes)
def _refuse_shapes(given: Any, taken: Any) -> Callable[[Any, Any], None]:
    def refuse(given: Any, taken: Any) -> None:
        raise ValueError("cannot assign a slice from an array of another length")

    return refuse


@contextmanager
def short_errors() -> Iterator[None]:
    """Let what is compiled meanwhile say that error in fewer words."""
    before = arrayobj.raise_with_shape_context
    arrayobj.raise_with_shape_context = refuse_shapes
    try:
        yield
    finally:
        arrayobj.raise_with_shape_context = before
