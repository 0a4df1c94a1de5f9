"""Which library a data frame is of."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starmin.frames.libraries.arrow_frame import ArrowFrame
from starmin.frames.libraries.native import Native
from starmin.frames.libraries.other_frame import OtherFrame
from starmin.frames.libraries.pandas_frame import PandasFrame
from starmin.frames.libraries.polars_frame import PolarsFrame
from starmin.instances import Table
from starmin.instances.errors import expect_extra
from starmin.instances.io.frames import arrow_of, eager, is_pandas


def native_of(frame: Any) -> Native:
    """Return the frame that a user gave, computed if it is still to be.

    Raises TypeError where it is none.
    """
    if isinstance(frame, Table | str) or hasattr(frame, "__fspath__"):
        raise TypeError(
            f"Expected a data frame, got one of type {type(frame).__name__}; "
            "starmin.solve takes a Table, starmin.read_table a file."
        )
    if isinstance(frame, Mapping):
        frame = arrow_of(frame, "frame")
    found = frame
    if not (is_pandas(frame) and frame.ndim == 2):  # which needs no look at each name
        found = eager(frame).to_native()
    library = type(found).__module__.partition(".")[0]
    kinds: dict[str, Callable[[Any], Native]] = {
        "pandas": PandasFrame,
        "polars": PolarsFrame,
        "pyarrow": ArrowFrame,
    }
    return kinds.get(library, OtherFrame)(found)


def library_of(frame: Any) -> Any:
    """Return the library of a frame, as ``frame_of`` takes it."""
    import narwhals as nw

    return nw.get_native_namespace(eager(frame).to_native())


def frame_of(columns: Mapping[str, Sequence[Any]], library: Any = None) -> Any:
    """Return a frame of columns, which are by name.

    ``library`` is what ``library_of`` returned; None: pandas.

    Examples
    --------
    >>> import polars
    >>> frame_of({"k": [2, 3]}, library_of(polars.DataFrame())).shape
    (2, 1)
    """
    import narwhals as nw

    if library is None:
        expect_extra("pandas", "frame")
        import pandas

        library = pandas
    return nw.from_dict(dict(columns), backend=library).to_native()
