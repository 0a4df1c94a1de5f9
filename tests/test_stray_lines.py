"""Tests that what a library in C prints while a solver works reaches nobody."""

import subprocess
import sys

import pytest

from starmin.models.solvers.linear_solver import _streams

SCRIPT = """
import ctypes, sys
from starmin.models.solvers import linear_solver as highs
libc = ctypes.CDLL(None)

class Talker:
    def run(self):
        libc.puts(b"stray")
        sys.stdout.write("from Python\\n")

calls = [highs.HighsCall(Talker(), lambda: None) for _ in range(8)]
for call in calls:
    while call.running:
        call.wait(0.1)
sys.stdout.flush()
libc.puts(b"after")
libc.fflush(None)
"""


@pytest.mark.skipif(_streams() is None, reason="not the C library of GNU")
def test_lines_of_a_solver_are_kept_away_and_no_others():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert sorted(done.stdout.split("\n")) == ["", "after", *["from Python"] * 8]
