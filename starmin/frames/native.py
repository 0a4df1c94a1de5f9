"""What a data frame of any library can do for a release: its columns are replaced."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from instances import BoolArray, IntArray

Labels = Sequence[str | None]
Ends = npt.NDArray[np.float64]


class Native(ABC):
    """A frame of some library, and how its columns are replaced.

    Attributes
    ----------
    frame
        As the library has it; never the one that came in, but one that shares columns
        with it.
    index_names
        What to call an index that may say who a row is: one with names, or of text.
    """

    frame: Any
    index_names: tuple[str, ...] = ()

    @abstractmethod
    def __init__(self, frame: Any) -> None:
        """Take a frame."""

    @abstractmethod
    def select(self, names: Sequence[str], rows: IntArray | None = None) -> "Native":
        """Return some columns, with all rows or those at the given places.

        Rows that are asked for are numbered anew where the library numbers them.
        """

    @abstractmethod
    def is_category(self, name: str) -> bool:
        """Check whether a column is of categories."""

    @abstractmethod
    def put_text(self, name: str, codes: IntArray, labels: Labels) -> None:
        """Make a column of text: for each row the label of its code."""

    @abstractmethod
    def put_categories(self, name: str, codes: IntArray, labels: Labels) -> None:
        """Make a column of categories, which are the labels that occur."""

    @abstractmethod
    def put_missing(self, name: str, rows: BoolArray) -> None:
        """Make cells of a column missing; it keeps its type, or the nullable one."""

    @abstractmethod
    def put_ranges(self, name: str, low: Ends, high: Ends) -> None:
        """Make a column of ranges, both ends included; missing where an end is NaN."""

    @abstractmethod
    def put_numbers(self, name: str, numbers: IntArray) -> None:
        """Make a column of whole numbers."""


def occurring(codes: IntArray, labels: Labels) -> tuple[list[str], IntArray]:
    """Return the labels that occur, and the codes by them, -1 for a missing cell.

    What does not occur in the release must not stand in a list of its categories.
    """
    used = [c for c in np.unique(codes).tolist() if labels[c] is not None]
    new = np.full(len(labels), -1, np.int64)
    new[used] = np.arange(len(used))
    return [str(labels[code]) for code in used], new[codes]


def pairs(low: Ends, high: Ends, kind: Any) -> Any:
    """Return pairs (lower, upper) in the type of the column, missing where NaN."""
    missing = np.isnan(low) | np.isnan(high)
    ends = [pa.array(np.where(missing, 0, each)).cast(kind) for each in (low, high)]
    return pa.StructArray.from_arrays(ends, ["lower", "upper"], mask=pa.array(missing))
