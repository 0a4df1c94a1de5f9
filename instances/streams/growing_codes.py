"""Dictionaries that grow while batches are read."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from starmin.instances.arrays import Int32s
from starmin.instances.errors import TableError
from starmin.instances.io.codes import coded_texts, codes_of
from starmin.instances.tables.table import Table

Text = str | None


class GrowingCodes:
    """The distinct texts of some columns, numbered in the order in which they are met.

    ``columns`` are their names; ``name``, of the table, is for messages.

    Examples
    --------
    >>> import pyarrow as pa
    >>> codes = GrowingCodes(["a"], "table")
    >>> [codes.of_batch(pa.record_batch({"a": cells}))[0].tolist()
    ...  for cells in (["x", "y"], ["y", None, "z"])]
    [[0, 1], [1, 3, 2]]
    >>> codes.dictionaries
    (('x', 'y', 'z', None),)
    """

    def __init__(self, columns: Sequence[str], name: str) -> None:
        self.columns, self.name = tuple(columns), name
        self._numbers: list[dict[Text, int]] = [{} for _ in columns]

    def begin_with(self, dictionaries: Sequence[Sequence[Text]]) -> None:
        """Number these texts first."""
        for numbers, texts in zip(self._numbers, dictionaries, strict=True):
            for text in texts:
                numbers.setdefault(text, len(numbers))

    @property
    def dictionaries(self) -> tuple[tuple[Text, ...], ...]:
        """The texts of each column; codes index them."""
        return tuple(tuple(numbers) for numbers in self._numbers)

    @property
    def sizes(self) -> list[int]:
        """How many texts each column has by now."""
        return [len(numbers) for numbers in self._numbers]

    def of_batch(self, batch: Any) -> list[Int32s]:
        """Return the codes of each column of a batch of Arrow.

        Raises TableError where a column has no text form, or holds a NUL byte.
        """
        return [
            self._of_column(j, batch.column(column))
            for j, column in enumerate(self.columns)
        ]

    def of_table(self, table: Table) -> list[Int32s]:
        """Return the codes of each column of a table with these columns."""
        found = []
        for j, column in enumerate(self.columns):
            known = self._known(j, table.dictionary(column))
            found.append(known[table.column(column)])
        return found

    def _of_column(self, j: int, values: Any) -> Int32s:
        texts, indices = coded(values, self.columns[j], self.name)
        return self._known(j, texts)[indices]

    def _known(self, j: int, texts: Sequence[Text]) -> Int32s:
        """Return the numbers of texts of a column; new ones are numbered."""
        numbers = self._numbers[j]
        return np.array(
            [numbers.setdefault(text, len(numbers)) for text in texts], np.int32
        )


def coded(values: Any, column: str, name: str) -> tuple[list[Text], Int32s]:
    """Return the texts that occur in an Arrow array, and the codes of its cells.

    Raises TableError where it has no text form, is not UTF-8, or holds a NUL byte.
    """
    codes, texts = codes_of(coded_texts(values, column, name), column, name)
    used = np.flatnonzero(np.bincount(codes, minlength=len(texts)))
    if len(used) < len(texts):  # values that do not occur are not part of the table
        place = np.zeros(len(texts), np.int32)
        place[used] = np.arange(len(used), dtype=np.int32)
        codes, texts = place[codes], [texts[i] for i in used.tolist()]
    if any(text is not None and "\0" in text for text in texts):
        raise TableError(f"{name}: column {column!r}: a NUL byte; remove it")
    return texts, codes
