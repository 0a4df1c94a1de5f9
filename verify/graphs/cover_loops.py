"""Bits that all cells of a row have, counted and listed; compiled."""

from typing import Any

import numpy as np

from starmin.instances.arrays import Int32s, Ints, Words
from starmin.instances.loops.compiled import compiled, inner


@inner
def _common(at: Ints, words: Words, record: int, word: int) -> Any:
    bits = words[at[record, 0], word]
    for a in range(1, at.shape[1]):
        bits &= words[at[record, a], word]
    return bits


@compiled
def count_common(at: Ints, words: Words) -> Ints:
    """Count how many public types each released one may stem from."""
    found = np.zeros(len(at), np.int64)
    for record in range(len(at)):
        for word in range(words.shape[1]):
            bits = _common(at, words, record, word)
            while bits:
                bits &= bits - np.uint64(1)
                found[record] += 1
    return found


@compiled
def fill_common(at: Ints, words: Words, start: Ints, originals: Int32s) -> None:
    """List the public types, those of each released type from its ``start`` on.

    ``at`` is by released type and column the number of its text. The ``words`` have for
    each text the public types it covers, 64 to a word. ``originals`` is filled in place
    with public types.
    """
    for record in range(len(at)):
        place = start[record]
        for word in range(words.shape[1]):
            bits = _common(at, words, record, word)
            bit = 64 * word
            while bits:
                if bits & np.uint64(1):
                    originals[place] = bit
                    place += 1
                bits >>= np.uint64(1)
                bit += 1
