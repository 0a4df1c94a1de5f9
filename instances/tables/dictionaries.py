"""The dictionaries of a table, some of which are written as text when they are read."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, overload

import numpy as np

from starmin.instances.arrays import Int32s

Texts: TypeAlias = tuple[str | None, ...]


def coded(texts: Iterable[str | None]) -> tuple[Int32s, Texts]:
    """Return the number of each text, and the texts in the order of their numbers.

    >>> codes, different = coded(["b", "a", "b"])
    >>> codes.tolist(), different
    ([0, 1, 0], ('b', 'a'))
    """
    index: dict[str | None, int] = {}
    codes = [index.setdefault(text, len(index)) for text in texts]
    return np.array(codes, np.int32), tuple(index)


@dataclass(frozen=True, eq=False)
class LateTexts:
    """Values of a column, no two alike, which become text when they are asked for."""

    size: int
    write: Callable[[], Texts]

    def __len__(self) -> int:
        return self.size


class Dictionaries(Sequence[Texts]):
    """The distinct values of each column; texts of some are made when they are read.

    A table may have thousands of columns that are carried along and never looked at.
    ``columns`` has for each its texts, or what makes them.

    >>> Dictionaries([("a", "b"), ("x",)])[1], Dictionaries([("a", "b"), ("x",)]).sizes
    (('x',), [2, 1])
    """

    def __init__(self, columns: Iterable[Texts | LateTexts]) -> None:
        self._columns = list(columns)
        self._sizes = [len(column) for column in self._columns]

    @property
    def sizes(self) -> list[int]:
        """How many distinct values each column has."""
        return self._sizes

    def __len__(self) -> int:
        return len(self._columns)

    @overload
    def __getitem__(self, at: int) -> Texts: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Texts, ...]: ...

    def __getitem__(self, at: int | slice) -> Texts | tuple[Texts, ...]:
        if isinstance(at, slice):
            return tuple(self[j] for j in range(len(self))[at])
        column = self._columns[at]
        if not isinstance(column, tuple):
            column = self._columns[at] = column.write()
        return column

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __setitem__(self, at: int, texts: Texts) -> None:
        self._columns[at], self._sizes[at] = texts, len(texts)

    def copy(self, kept: Iterable[int] | None = None) -> "Dictionaries":
        """Return those of all columns or some, to be changed before a table has them.

        >>> known = Dictionaries([("a",), ("b",), ("c",)])
        >>> new = known.copy([0, 2])
        >>> new[1] = ("z",)
        >>> new, known[2]
        ((('a',), ('z',)), ('c',))
        """
        new = Dictionaries(())
        if kept is None:
            new._columns, new._sizes = self._columns.copy(), self._sizes.copy()
        else:
            at = list(kept)
            new._columns = [self._columns[j] for j in at]
            new._sizes = [self._sizes[j] for j in at]
        return new

    def joined(self, other: "Dictionaries", at: Iterable[int]) -> "Dictionaries":
        """Return these and those of some columns of another table."""
        return Dictionaries([*self._columns, *(other._columns[j] for j in at)])

    def made(self) -> dict[int, Texts]:
        """Return the texts of the columns that have some already."""
        columns = enumerate(self._columns)
        return {j: column for j, column in columns if isinstance(column, tuple)}
