"""Tests of what Python shows: frames of comparisons, pictures, types, words, a bar."""

import io
import sys
from typing import get_type_hints

import pandas
import polars
import pyarrow
import pytest

import starmin
from starmin.frames.anonymization import FrameT
from starmin.instances import NotSupportedError, Progress, TableError
from starmin.process import say

FRAME = {"age": [30, 31, 33, 45, 46, 48, 70, 71], "sex": list("ffmmffmm")}
KINDS = [pandas.DataFrame, polars.DataFrame, pyarrow.table]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize("kind", KINDS)
def test_methods_side_by_side_in_the_library_of_the_frame(kind):
    names = ["pattern_ilp", "gray_order", "simplex_matching", "person_ilp"]
    found = starmin.compare(kind(FRAME), methods=names, k=3)
    assert type(found) is type(kind(FRAME))
    made = polars.DataFrame(pyarrow.table(found))
    rows = {row["method"]: row for row in made.iter_rows(named=True)}
    best = starmin.anonymize(kind(FRAME), k=3, method="pattern_ilp")
    assert [*rows] == names and rows["pattern_ilp"]["value"] == best.value
    assert rows["pattern_ilp"]["gap"] == 0 and rows["gray_order"]["holds"]
    assert {row["lower_bound"] for row in rows.values()} == {best.value}
    greedy = rows["gray_order"]
    assert greedy["gap"] == (greedy["value"] - best.value) / best.value
    assert rows["simplex_matching"]["status"] == "not supported"
    assert "2-anonymity" in rows["simplex_matching"]["why"]


def test_comparisons_of_nothing_and_of_what_cannot_be():
    with pytest.raises(NotSupportedError, match="nearest: 'mondrian'"):
        starmin.compare(pandas.DataFrame(FRAME), methods=["mondrain"], k=2)
    found = starmin.compare(pandas.DataFrame(FRAME), methods=["gray_order"], k=9)
    assert found["status"].tolist() == ["infeasible"] and found["why"][0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_frontier_is_a_frame_and_a_picture(kind):
    curve = starmin.frontier(kind(FRAME), k=[2, 3])
    assert type(curve.frame) is type(kind(FRAME))
    made = polars.DataFrame(pyarrow.table(curve.frame))
    assert made["k"].to_list() == [2, 3]
    assert made["value"].to_list() == [p.result.value for p in curve.points]
    assert made["share"].to_list() == [p.share for p in curve.points]
    axes = curve.plot().axes[0]
    assert axes.lines[0].get_xdata().tolist() == [2, 3]
    assert curve.plot()._repr_png_().startswith(b"\x89PNG")
    table = starmin.from_frame(kind(FRAME))
    assert isinstance(starmin.frontier(table, k=[2]).frame, pandas.DataFrame)


def test_the_type_of_a_release_is_that_of_its_frame():
    hints = get_type_hints(starmin.anonymize)
    assert hints["frame"] is FrameT
    assert hints["return"] == starmin.Anonymization[FrameT]
    made = get_type_hints(starmin.Anonymization.frame.fget)["return"]
    assert made == FrameT | None


def test_progress_is_told_in_the_unit_of_the_value():
    told: list[Progress] = []
    release = starmin.anonymize(
        pandas.DataFrame(FRAME), k=2, numeric=["age"], on_progress=told.append
    )
    assert 0 < release.value < 1 and told[-1].value == release.value
    assert told[-1].lower_bound == pytest.approx(release.lower_bound)
    assert release.plot().axes[0].lines


def test_messages_name_arguments():
    frame = pandas.DataFrame(FRAME | {"sex": list("ffmmffm*")})
    with pytest.raises(TableError) as star:
        starmin.anonymize(frame, k=2)
    odd = pandas.DataFrame(FRAME | {"age": ["30", "31", "x", *"45678"]})
    with pytest.raises(TableError) as missing:
        starmin.anonymize(odd, k=2, numeric=["age"])
    with pytest.raises(TableError) as solved:
        starmin.solve(starmin.from_frame(odd), k=2, numeric=["age"])
    with pytest.raises(TableError) as checked:
        starmin.verify(frame.assign(age="[9-"), k=2, numeric=["age"])
    for error in (star, missing, solved, checked):
        assert "--" not in str(error.value)
    assert "(missing)" in str(missing.value)


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_what_takes_long_shows_a_bar_to_who_watches_a_terminal(monkeypatch):
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(say, "_LATE", 60.0)
    with say.show_progress(lambda cost: cost, None, 60.0) as listeners:
        listeners[0](Progress(1.0, 30, 20, 0.5, "pattern_ilp"))
    assert screen.getvalue() == "", "it was over before"
    monkeypatch.setattr(say, "_LATE", 0.0)
    with say.show_progress(lambda cost: cost, None, 60.0) as listeners:
        listeners[0](Progress(30.0, 30, 20, 0.5, "pattern_ilp"))
    assert "value 30" in screen.getvalue() and "\u2501" in screen.getvalue()
    with say.show_progress(lambda cost: cost, True) as listeners:
        assert listeners == ()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with say.show_progress(lambda cost: cost, None) as listeners:
        assert listeners == (), "a script that nobody watches is silent"
