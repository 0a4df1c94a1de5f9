"""Tests that the rules of `auto` name real methods, and that the page has them."""

from dataclasses import fields, replace
from pathlib import Path

import pytest

from starmin.auto import choice
from starmin.auto.rules import NONHOMOGENEOUS_RULES, RULES, as_markdown
from starmin.auto.task import Task
from starmin.commands.methods import methods
from starmin.instances import STARS, KAnonymity, Problem
from starmin.instances.catalogue.generators import uniform
from starmin.registry.methods import METHODS

PAGE = Path(__file__).parents[1] / "docs" / "explanation/design.md"
BEGIN, END = "<!-- auto rules -->", "<!-- end -->"


def test_names_are_those_of_methods_that_take_groups():
    for rule in fields(RULES):
        names = getattr(RULES, rule.name)
        for name in names if isinstance(names, tuple) else ():
            method = METHODS[name]
            assert "suppression" in method.recodings
            assert (method.kind == "bound") == (rule.name == "first_bounds")
    assert 0 < RULES.start_share < RULES.priced_start_share < 1
    assert 0 < NONHOMOGENEOUS_RULES.search_share < 1


def test_every_rule_has_its_line(capsys):
    assert methods(auto=True) == 0
    text = capsys.readouterr().out
    assert text == as_markdown() + "\n"
    for rules in (RULES, NONHOMOGENEOUS_RULES):
        for rule in fields(rules):
            (line,) = (s for s in text.splitlines() if s.startswith(f"| `{rule.name}`"))
            value, unit, effect = line.strip("| ").split(" | ")[1:]
            assert value and unit and effect.endswith(".")


def test_the_page_has_them_word_for_word():
    _, begun, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    section, ended, _ = rest.partition(END)
    assert begun and ended, "docs/explanation/design.md needs the section of the rules"
    assert section.strip() == as_markdown(), (
        "paste what `starmin methods --auto` prints"
    )


def test_near_patterns_are_for_more_pairs_than_there_is_time_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, near = uniform(50, d=3, seed=1), METHODS["near_pattern_annealing"]
    pairs = len(table.row_types) << 3

    def needs(wide: int, **options: object) -> bool:
        rules = {"wide_pairs": wide, "wide_pairs_per_second": pairs // 2}
        changed = replace(RULES, near_pairs=pairs // 4, **rules)
        monkeypatch.setattr(choice, "RULES", changed)
        asked = Task(Problem(table, KAnonymity(2), STARS), options)
        return choice._needs_near_patterns(asked, near)

    assert not needs(pairs, time_limit=2.0) and needs(pairs, time_limit=1.9)
    assert needs(pairs - 1, time_limit=2.0)
    assert needs(pairs, time_limit=2.0, checkpoint="kept")
    assert needs(pairs, time_limit=2.0, executor=object())


def test_columns_that_are_kept_do_not_count_for_near_patterns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table, near = uniform(50, d=13, seed=1), METHODS["near_pattern_annealing"]
    monkeypatch.setattr(choice, "RULES", replace(RULES, near_pairs=50 << 11))

    def needs(kept: int) -> bool:
        objective = replace(STARS, keep=table.names[:kept])
        options = {"checkpoint": "kept"}
        asked = Task(Problem(table, KAnonymity(2), objective), options)
        return choice._needs_near_patterns(asked, near)

    assert [needs(kept) for kept in range(4)] == [False, True, False, False]
