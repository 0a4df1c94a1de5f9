"""Tests that loops borrow what they are given, and are compiled once for all widths."""

import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from starmin.instances.loops.compiled import compiled, inner


class Pair(NamedTuple):
    first: Any
    second: Any
    size: int


class Whole(NamedTuple):
    pair: Pair
    third: Any


@inner
def field(s, at):
    first, second = s.pair.first, s.pair.second
    if at == 0:
        return first
    if at == 1:
        second = first[1:]
    return second


@inner
def put(values, number):
    values[0] += number
    return values


@compiled
def fields(s, at):
    kept = field(s, at)
    other = s.third
    for i in range(3):
        if i == 1:
            other = np.zeros(2)
        elif i == 2:
            other = s.pair.second
    both = (kept, other, s.third)
    return both[0], both[2], put(s.third, 0.0), other


@compiled
def unpacked(pair, n):
    first, second, size = pair
    n = n + size
    while n > 0:
        n -= 1
        if n == 1:
            first = second
    return first


@compiled
def widths(values, narrow):
    put(values, 1)
    put(values, narrow)
    put(values, np.int64(2))
    return put(values, np.int8(3))


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))


def test_arrays_live_as_long_as_they_are_held() -> None:
    arrays = [np.arange(4.0), np.arange(5.0), np.arange(6.0)]
    s = Whole(Pair(arrays[0], arrays[1], 1), arrays[2])
    before = [sys.getrefcount(array) for array in arrays]
    for _ in range(3):
        for at, expected in enumerate((arrays[0], arrays[0][1:], arrays[1])):
            found = fields(s, at)
            wanted = (expected, arrays[2], arrays[2], arrays[1])
            assert all(map(np.array_equal, found, wanted))
        assert np.array_equal(unpacked(s.pair, 0), arrays[0])
        assert np.array_equal(unpacked(s.pair, 4), arrays[1])
    del found, expected, wanted
    assert [sys.getrefcount(array) for array in arrays] == before
    held = fields(Whole(Pair(np.full(9, 7.0), np.ones(1), 1), np.ones(2)), 0)[0]
    assert (held == 7).all()  # the array is held by nobody else


def test_whole_numbers_of_any_width_have_one_loop() -> None:
    values = np.zeros(1, np.int64)
    assert widths(values, np.int32(4))[0] == 10
    assert [str(kinds[1]) for kinds in put.signatures if "int64" in str(kinds[0])] == [
        "int64"
    ]
