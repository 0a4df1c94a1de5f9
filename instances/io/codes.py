"""Arrow columns as codes and the texts that they stand for."""

from typing import Any

import numpy as np
import pyarrow as pa

from starmin.instances.arrays import Int32s
from starmin.instances.errors import TableError
from starmin.instances.io.frames import texts_of


def coded_texts(values: Any, column: str, name: str) -> Any:
    """Code an Arrow column by the texts of its distinct values.

    It is an array or a chunked array; where it is coded already, it is so by its own
    dictionary, whose values may repeat, or not occur. Returns an array of Arrow with a
    dictionary of texts. ``column`` and ``name``, of its table, are for messages. Raises
    TableError where the column has no text form.

    Examples
    --------
    >>> coded_texts(pa.array([4, None, 4]), "a", "table").to_pylist()
    ['4', None, '4']
    """
    try:
        if pa.types.is_null(values.type):
            values = values.cast(pa.string())
        coded = values
        if not pa.types.is_dictionary(values.type):
            coded = values.dictionary_encode()
        coded = in_one_piece(coded)
        texts = texts_of(coded.dictionary)
        return pa.DictionaryArray.from_arrays(coded.indices, texts)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise TableError(
            f"{name}: column {column!r} is of type {values.type}, "
            "which has no text form; convert it first"
        ) from None


def in_one_piece(coded: Any) -> Any:
    """Return a coded Arrow column with one dictionary, without chunks."""
    if isinstance(coded, pa.ChunkedArray):
        if coded.num_chunks == 1:  # the usual case, asked for each of many columns
            return coded.chunk(0)
        coded = coded.unify_dictionaries().combine_chunks()
    if isinstance(coded, pa.ChunkedArray):  # an empty column has no chunk
        coded = pa.array([], coded.type)
    return coded


def codes_of(coded: Any, column: str, name: str) -> tuple[Int32s, list[str | None]]:
    """Return the codes of a coded Arrow array, and their texts, None where missing.

    Raises TableError where a text is not UTF-8.

    Examples
    --------
    >>> codes, texts = codes_of(pa.array(["x", None]).dictionary_encode(), "a", "table")
    >>> codes.tolist(), texts
    ([0, 1], ['x', None])
    """
    try:
        texts: list[str | None] = coded.dictionary.to_pylist()
    except UnicodeDecodeError:
        raise TableError(
            f"{name}: column {column!r}: not UTF-8 text; convert it first"
        ) from None
    indices = coded.indices
    if coded.null_count:
        indices = indices.fill_null(len(texts))
        texts.append(None)
    # Not to_numpy, which imports pandas.
    return np.asarray(np.from_dlpack(indices), np.int32), texts
