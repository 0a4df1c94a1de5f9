"""Tests that a search tells of its progress and ends when its caller says so."""

import io
import logging
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

import starmin
from starmin.cli import app
from starmin.instances import KAnonymity, Limit, Partition, Progress, Run, watch_runs
from starmin.instances.catalogue.generators import clustered
from starmin.instances.runs.cores import Threads
from starmin.instances.runs.progress import Control, ProgressLines
from starmin.instances.runs.search_control import interrupted, stopping
from starmin.process.say import LiveLine

TABLE = clustered(400, 5, 5, centres=40, seed=1, sensitive=4)
SMALL = clustered(60, 4, 4, centres=8, seed=1)


def test_events_tell_of_every_improvement_and_end_with_the_result():
    told: list[Progress] = []
    result = starmin.solve(SMALL, k=3, on_progress=told.append)
    assert (told[-1].value, told[-1].lower_bound) == (result.value, result.lower_bound)
    assert told[-1].gap == result.gap
    values = [now.value for now in told if now.value is not None]
    bounds = [now.lower_bound for now in told if now.lower_bound is not None]
    assert values == sorted(values, reverse=True) and bounds == sorted(bounds)
    assert [now.seconds for now in told] == sorted(now.seconds for now in told)
    assert {now.running for now in told} >= {"auto", "lexicographic_suppression"}


@pytest.mark.parametrize("recoding", ["suppression", "nonhomogeneous"])
def test_a_true_answer_ends_the_search_with_what_was_found(recoding):
    told: list[Progress] = []

    def enough(now: Progress) -> bool:
        told.append(now)
        return now.value is not None

    result = starmin.solve(TABLE, k=4, on_progress=enough, recoding=recoding)
    assert result.limit is Limit.CALLBACK and result.value <= told[-1].value
    assert result.best is not None and not interrupted()
    bound = starmin.bound(TABLE, k=4, on_progress=lambda now: now.lower_bound)
    assert bound.limit is Limit.CALLBACK and bound.lower_bound > 0


def test_what_a_listener_raises_is_raised():
    def broken(now: Progress) -> None:
        raise NotImplementedError("of the caller")

    with pytest.raises(NotImplementedError, match="of the caller"):
        starmin.solve(TABLE, k=4, on_progress=broken)


def test_a_gap_that_is_small_enough_ends_the_search():
    result = starmin.solve(TABLE, k=4, gap=0.5, method="large_neighbourhood")
    assert result.limit is Limit.GAP and 0 < result.gap <= 0.5


def test_patience_ends_a_search_without_gain(monkeypatch):
    table, now = starmin.load_instance("hospital"), [100.0]
    clock = SimpleNamespace(perf_counter=lambda: now[0])
    monkeypatch.setattr("starmin.instances.runs.watch.time", clock)
    with watch_runs(Control(patience=0.2)) as watch:
        run = Run(table, KAnonymity(2))
        run.offer(Partition.single(table))
        assert not stopping() and run.remaining > 0
        now[0] += 0.25
        assert stopping() and run.remaining == 0 and watch.limit is Limit.PATIENCE
        with Threads(1) as pool:
            assert pool.submit(stopping).result()
        with pytest.raises(KeyboardInterrupt):
            run.check_time()
    assert not stopping() and run.remaining > 0


def test_patience_ends_a_named_method():
    result = starmin.solve(TABLE, k=4, patience=0, method="local_search")
    assert result.limit is Limit.PATIENCE and result.best is not None


def test_the_end_of_one_search_is_none_of_another():
    others: list[bool] = []
    with watch_runs(Control(patience=0.0)):
        time.sleep(0.01)
        other = threading.Thread(target=lambda: others.append(stopping()))
        other.start()
        other.join()
        assert stopping() and others == [False]


def test_watches_within_tell_those_around():
    told: list[Progress] = []
    table = starmin.load_instance("hospital")
    with watch_runs(Control((told.append,), patience=0.0)), watch_runs() as inner:
        Run(table, KAnonymity(2)).offer(Partition.single(table))
        time.sleep(0.01)
        assert told[0].value is not None and inner.stopping and inner.limit is None


@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        ({"gap": -0.1}, ValueError, "gap >= 0"),
        ({"gap": "1%"}, TypeError, "gap"),
        ({"patience": -1}, ValueError, "patience"),
        ({"on_progress": 3}, TypeError, "on_progress to be a function"),
    ],
)
def test_impossible_rules_are_refused(given, error, why):
    with pytest.raises(error, match=why):
        starmin.solve(TABLE, k=3, **given)


def test_lines_repeat_nothing_and_begin_with_the_first_value():
    stream = io.StringIO()
    lines = ProgressLines(lambda cost: cost, stream, named=True)
    for now in (
        Progress(0.1, None, None, None, "a"),
        Progress(0.2, 30, None, None, "a"),
        Progress(0.3, 30, None, None, "a"),
        Progress(0.4, 30, 20, 0.5, "b"),
    ):
        lines(now)
    assert [line.split() for line in stream.getvalue().splitlines()] == [
        ["time", "value", "bound", "savable", "running"],
        ["0.2s", "30", "-", "-", "a"],
        ["0.4s", "30", "20", "33.34%", "b"],
    ]


def test_the_live_line_has_a_clock_that_goes_on():
    line = LiveLine(lambda cost: cost)
    assert line.text() == ""
    assert LiveLine(lambda cost: cost, 300).text() == "searches for at most 300 s"
    line(Progress(1.0, 30, 20, 0.5, "pattern_ilp"))
    first = line.text()
    assert first.split()[1:] == ["s", "value", "30", "bound", "20", "savable", "33.34%"]
    time.sleep(0.11)
    assert float(line.text().split()[0]) > float(first.split()[0])


def test_logging_is_silent_by_default_and_heard_on_request(caplog):
    code = (
        "import starmin; t = starmin.load_instance('hospital'); starmin.solve(t, k=2)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == done.stderr == ""
    with caplog.at_level(logging.INFO, logger="starmin"):
        starmin.solve(starmin.load_instance("hospital"), k=2)
    assert any("value 2, bound 2, gap 0.000%" in line for line in caplog.messages)


@pytest.mark.parametrize(
    ("rule", "limit"), [("--gap 0.5", "gap"), ("--patience 0", "patience")]
)
def test_the_command_line_has_the_same_rules(
    rule, limit, capsys, monkeypatch, tmp_path
):
    path = tmp_path / "people.csv"
    starmin.write_table(TABLE, path)
    columns = ",".join(TABLE.qi)
    line = f"solve {path} --qi {columns} --k 4 --method large_neighbourhood --json"
    monkeypatch.setattr(sys, "argv", ["starmin", *line.split(), *rule.split()])
    assert app.main() == 0
    assert f'"limit": "{limit}"' in capsys.readouterr().out
