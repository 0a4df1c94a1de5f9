"""What a data frame of any library can do for a release: its columns are replaced."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from starmin.instances import IntArray
from starmin.instances.arrays import Bools

Labels = Sequence[str | None]
Ends = npt.NDArray[Any]  # numbers, moments or durations


class Native(ABC):
    """A frame of some library, and how its columns are replaced."""

    # as the library has it; never the one that came in, but one that shares columns
    # with it
    frame: Any
    # what to call an index that may say who a row is: one with names, or of text
    index_names: tuple[str, ...] = ()

    def __init__(self, frame: Any) -> None:
        self.frame = frame

    @abstractmethod
    def select(self, names: Sequence[str], rows: IntArray | None = None) -> "Native":
        """Return some columns, with all rows or those at the given places.

        Rows that are asked for are numbered anew where the library numbers them. Notes
        that the frame holds, which may name what is hidden, stay behind.
        """

    def is_category(self, name: str) -> bool:
        """Check whether a column is of categories; some libraries have none."""
        return False

    @abstractmethod
    def put_text(self, name: str, codes: IntArray, labels: Labels) -> None:
        """Make a column of text: for each row the label of its code, which occurs."""

    def put_categories(self, name: str, codes: IntArray, labels: Labels) -> None:
        """Make a column of categories, which are the labels; all of them occur."""
        self.put_text(name, codes, labels)

    @abstractmethod
    def put_missing(self, name: str, rows: Bools) -> None:
        """Make cells of a column missing; it keeps its type, or the nullable one.

        What stood in the cells is nowhere in the new column, not even below the marks
        that say that they are missing.
        """

    @abstractmethod
    def put_ranges(self, name: str, low: Ends, high: Ends) -> None:
        """Make a column of ranges, both ends included; missing where an end is NaN.

        Ends are numbers, moments in universal time, or durations.
        """

    def put_intervals(self, name: str, codes: IntArray, labels: Labels) -> bool:
        """Make a column of intervals again of one that had them, where all labels are.

        Each row has the label of its code, as the column writes its intervals, or from
        the beginning of one to the end of another; None is missing. Returns whether
        that was possible; else the column is as it was.
        """
        return False

    @abstractmethod
    def put_numbers(self, name: str, numbers: IntArray) -> None:
        """Make a column of whole numbers."""


def places(rows: Bools) -> Any:
    """Return the places of rows as Arrow takes them, null for those that are marked."""
    return pa.array(np.arange(len(rows)), pa.int64(), mask=rows)


def pairs(low: Ends, high: Ends, kind: Any) -> Any:
    """Return pairs (lower, upper) in the type of the column, missing where NaN.

    Where one has no end, all are floats, which have an infinite one.
    """
    missing = np.isnan(low) | np.isnan(high)
    if low.dtype.kind == "f" and (np.isinf(low) | np.isinf(high)).any():
        kind = pa.float64()
    if pa.types.is_string(kind) and low.dtype.kind in "mM":
        kind = pa.array(low).type
    ends = [
        pa.array(np.where(missing, np.zeros(1, each.dtype), each)).cast(kind)
        for each in (low, high)
    ]
    return pa.StructArray.from_arrays(ends, ["lower", "upper"], mask=pa.array(missing))
