"""What numba knows of arrays, loaded without the linear algebra of scipy."""

from importlib import import_module

from numba.np import linalg


def load_array_functions() -> None:
    """Load what numba knows of arrays.

    Numba imports scipy's linear algebra only to learn whether it is there, and that
    takes as long as all the rest. A loop that calls it imports it when it is compiled.
    """
    ensure_blas, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    try:
        import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas
