"""Lets ``auto`` have some methods alone."""

from dataclasses import replace

import pytest

from starmin.auto import contest


def only(monkeypatch: pytest.MonkeyPatch, **methods: tuple[str, ...]) -> None:
    """Have turns of the schedule these methods, by their names, and the others none."""
    for name in ("at_once", "openers", "bounds", "provers", "searches"):
        turn = replace(getattr(contest, name.upper()), methods=methods.get(name, ()))
        monkeypatch.setattr(contest, name.upper(), turn)
