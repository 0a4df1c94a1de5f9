"""Sets of row types as the bits of a number."""

from collections.abc import Iterable, Iterator

import numpy as np

_MANY = 40  # bits that are faster looked up all at once


def as_bits(places: Iterable[int]) -> int:
    """Return the number that has bits at some places.

    Examples
    --------
    >>> as_bits([1, 2, 4, 1]) == 0b10110
    True
    """
    return sum(1 << place for place in set(places))


def each_bit(number: int) -> Iterator[int]:
    """Yield the places of the bits of a number, from the lowest one up."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def bits_of(number: int) -> list[int]:
    """List the places of the bits of a number.

    Examples
    --------
    >>> bits_of(0b10110)
    [1, 2, 4]
    """
    if number.bit_count() < _MANY:
        return list(each_bit(number))
    each = number.to_bytes(number.bit_length() // 8 + 1, "little")
    bits = np.unpackbits(np.frombuffer(each, np.uint8), bitorder="little")
    places: list[int] = np.flatnonzero(bits).tolist()
    return places
