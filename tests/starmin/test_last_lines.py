"""Tests that last lines are for people: no method's name, no share above all of it."""

import io
import random
import re
import warnings

import pandas
import pytest

import starmin
from starmin.instances import Limit, Result
from starmin.instances.runs.progress import Progress, ProgressLines
from starmin.instances.runs.result import gap_text
from starmin.outputs.last_lines import status_words
from starmin.registry import METHODS

ASKED = [
    {"recoding": "suppression", "method": "mondrian"},
    {"recoding": "suppression", "method": "branch_and_bound"},
    {"recoding": "generalization", "numeric": ["x"], "method": "top_down"},
    {"recoding": "generalization", "numeric": ["x"], "method": "gray_order"},
    {"recoding": "nonhomogeneous", "method": "rematching"},
    {"recoding": "permutation", "method": "three_phase", "l": 2, "sensitive": "s"},
]


def wrong(text):
    """Return names of methods, and shares above all of it, in a text."""
    shares = re.findall(r"([\d,.]*\d) ?%", text)
    named = {*re.findall(r"\w+", text)} & {*METHODS}
    return named, [each for each in shares if float(each.replace(",", "")) > 100]


@pytest.mark.parametrize("seed", range(30))
def test_last_lines_of_all_recodings_are_for_people(seed):
    """The column that is said to cost most does: recounted from the cells."""
    rng, told = random.Random(seed), []
    rows = [(rng.randrange(20, 60), rng.choice("abc")) for _ in range(12)]
    frame = pandas.DataFrame(rows, columns=["x", "y"])
    frame["s"] = [*"uv"] * 6
    asked = {"k": 2, "drop": ["s"]} | ASKED[seed % len(ASKED)]
    if "sensitive" in asked:
        asked = {name: asked[name] for name in asked.keys() - {"k", "drop"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = starmin.anonymize(frame, on_progress=told.append, **asked)
    lines = found.summary().splitlines()
    (status,) = (line for line in lines if line.startswith("status"))
    assert re.search(r"optimal|could be saved", status)
    assert re.search(r"helps?\b|optimal|not known|may help", "\n".join(lines))
    (release,) = (line for line in lines if line.startswith("release"))
    assert "lost" in release or asked["recoding"] == "permutation"
    assert wrong("\n".join(lines)) == (set(), [])
    stream = io.StringIO()
    for now in told:
        ProgressLines(lambda cost: cost, stream)(now)
    assert wrong(stream.getvalue()) == (set(), [])
    advised = [line.split()[1] for line in lines if line.startswith("advice")]
    if advised and asked["recoding"] != "generalization":
        stars = {c: int((found.frame[c].astype(str) == "*").sum()) for c in "xy"}
        assert stars[advised[0]] == max(stars.values())


def test_shares_stay_below_all_of_it_however_far_the_bound_is():
    """And no end of a search is without a word on more time."""
    for limit in (None, *Limit):
        said = status_words(Result(None, 600, 1, 0.1, limit=limit))
        assert "at most 99.84% of it could be saved; " in said, limit
    stream = io.StringIO()
    ProgressLines(str, stream)(Progress(0.1, 13_105, 100, 130.05, "forest"))
    assert stream.getvalue().split()[-1] == "99.24%"
    assert wrong(stream.getvalue()) == (set(), [])
    assert gap_text(130.05) == "131.1-fold" and gap_text(1.0) == "100.00%"
