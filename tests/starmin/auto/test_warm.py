"""Tests that after `starmin warm-up` no call of a method compiles a loop."""

import json
import os
import subprocess
import sys

import pytest

from starmin.auto.warm_loops import warm_up
from starmin.instances import NotSupportedError

LOOPS = """
from numba.core.event import RecordingListener, install_listener
from starmin import load_instance, solve
with install_listener("numba:compile", recorder := RecordingListener()):
    solve(load_instance("hospital"), 2, method="mondrian")
print(len(recorder.buffer))
"""


def python(*words, cache):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    line = [sys.executable, *words]
    found = subprocess.run(line, capture_output=True, text=True, env=environment)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_it_compiles_what_is_missing_and_nothing_else(tmp_path):
    """A cache of its own, that is empty at first.

    The note that all are there does not say what is not so any more.
    """
    line = ("-m", "starmin", "warm-up", "--methods", "mondrian", "--json")
    first = json.loads(python(*line, cache=tmp_path))
    assert first["compiled"] > 5
    assert int(python("-c", LOOPS, cache=tmp_path)) == 0
    assert json.loads(python(*line, cache=tmp_path))["compiled"] == 0
    loops = set(tmp_path.rglob("*.loop"))
    # Without its note it calls the method and notes which loops that loads.
    (note,) = tmp_path.rglob("mondrian-*.warm")
    note.unlink()
    assert json.loads(python(*line, cache=tmp_path))["compiled"] == 0
    (note.parent / note.read_text().split()[0]).unlink()
    assert json.loads(python(*line, cache=tmp_path))["compiled"] > 0
    assert set(tmp_path.rglob("*.loop")) == loops


def test_an_unknown_method_is_refused():
    with pytest.raises(NotSupportedError, match="nothing_such"):
        warm_up(["nothing_such"])
