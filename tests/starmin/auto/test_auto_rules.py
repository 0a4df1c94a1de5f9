"""Tests that the schedule of `auto` names real methods, and that the page has it."""

from dataclasses import replace

import pytest

from starmin.auto import schedule
from starmin.auto.describe import schedule_as_markdown
from starmin.auto.schedule import (
    AT_ONCE,
    BOUNDS,
    PROVERS,
    SCHEDULE,
    methods_of_schedule,
)
from starmin.auto.task import Task
from starmin.commands.methods import methods
from starmin.instances import STARS, KAnonymity, Problem
from starmin.instances.catalogue.generators import uniform
from starmin.registry import METHODS
from tests.support.places import HOME

PAGE = HOME / "docs" / "explanation/design.md"
BEGIN, END = "<!-- auto rules -->", "<!-- end -->"


def test_names_are_those_of_methods_that_take_groups():
    for turn in SCHEDULE:
        for name in turn.methods:
            method = METHODS[name]
            assert "suppression" in method.recodings
            assert (method.kind == "bound") == (turn is BOUNDS)
            assert (method.kind == "exact") == (turn in (AT_ONCE, PROVERS))
    assert len(SCHEDULE) <= 10


def test_every_turn_has_its_line(capsys):
    assert methods(auto=True) == 0
    text = capsys.readouterr().out
    assert text == schedule_as_markdown() + "\n"
    for number, turn in enumerate(SCHEDULE, 1):
        (line,) = (s for s in text.splitlines() if s.startswith(f"| {number} |"))
        named, what = line.strip("| ").split(" | ")[1:]
        assert named == ", ".join(f"`{name}`" for name in turn.methods)
        assert what == turn.what
    assert all(f"`{name}`" in text for name in methods_of_schedule())


def test_the_page_has_them_word_for_word():
    _, begun, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    section, ended, _ = rest.partition(END)
    assert begun and ended, "docs/explanation/design.md needs the section of the rules"
    assert section.strip() == schedule_as_markdown(), (
        "paste what `starmin methods --auto` prints"
    )


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The methods that are called, which find nothing."""
    names: list[str] = []
    monkeypatch.setattr(Task, "solve", lambda task, method: names.append(method.name))
    return names


def test_near_patterns_are_for_more_pairs_than_there_is_time_for(
    called: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = uniform(50, d=3, seed=1)
    pairs = len(table.row_types) << 3
    monkeypatch.setattr(schedule, "MANY", pairs // 4)
    monkeypatch.setattr(schedule, "WIDE_PER_SECOND", pairs // 2)

    def needs(wide: int, **options: object) -> bool:
        monkeypatch.setattr(schedule, "WIDE", wide)
        called.clear()
        schedule.solve_with_many_pairs(
            Task(Problem(table, KAnonymity(2), STARS), options)
        )
        return called == [schedule.MANY_PAIRS_METHOD]

    assert not needs(pairs, time_limit=2.0) and needs(pairs, time_limit=1.9)
    assert needs(pairs - 1, time_limit=2.0)
    assert needs(pairs, time_limit=2.0, checkpoint="kept")
    assert needs(pairs, time_limit=2.0, executor=object())


def test_columns_that_are_kept_do_not_count_for_near_patterns(
    called: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = uniform(50, d=13, seed=1)
    monkeypatch.setattr(schedule, "MANY", 50 << 11)
    monkeypatch.setattr(schedule, "WIDE", 0)

    def needs(kept: int) -> bool:
        objective = replace(STARS, keep=table.names[:kept])
        called.clear()
        schedule.solve_with_many_pairs(
            Task(Problem(table, KAnonymity(2), objective), {})
        )
        return bool(called)

    assert [needs(kept) for kept in range(4)] == [False, True, False, False]
