"""Which library a data frame is of."""

from collections.abc import Callable
from typing import Any

from instances.io.frames import eager
from starmin.frames.arrow_frame import ArrowFrame
from starmin.frames.native import Native
from starmin.frames.other_frame import OtherFrame
from starmin.frames.pandas_frame import PandasFrame
from starmin.frames.polars_frame import PolarsFrame


def native_of(frame: Any) -> Native:
    """Return the frame that a user gave, computed if it is still to be."""
    found = eager(frame).to_native()
    library = type(found).__module__.partition(".")[0]
    kinds: dict[str, Callable[[Any], Native]] = {
        "pandas": PandasFrame,
        "polars": PolarsFrame,
        "pyarrow": ArrowFrame,
    }
    return kinds.get(library, OtherFrame)(found)
