"""Tests that what is asked of a table is equal by value, and words of a command."""

import inspect
import random
import shlex
from dataclasses import is_dataclass

import pytest

from starmin.commands.bound import bound
from starmin.commands.frontier import frontier
from starmin.commands.solve import solve
from starmin.inputs.spec import _NAMES, Spec
from starmin.report.recheck import command_line
from tests.support.effort import seeds

VALUES = {
    "k": 5,
    "l": 2,
    "diversity": "entropy",
    "missing_sensitive": "any",
    "qi": "age,'a b'",
    "sets": ["a=;", "b=|"],
    "sep": ";",
    "recoding": "generalization",
    "star": "-",
    "numeric": "age",
    "hierarchy": ["pet={tame{cat,dog},rat}", "trees"],
    "steps": "age=5",
    "max_level": "pet=1",
    "objective": "gcp",
    "loss": "granularity",
    "weights": "age=3",
}


def drawn(seed: int) -> dict[str, object]:
    rng = random.Random(seed)
    return {name: VALUES[name] for name in rng.sample([*VALUES], rng.randint(0, 9))}


@pytest.mark.parametrize("seed", seeds(20))
def test_it_is_equal_by_value(seed):
    given = drawn(seed)
    spec = Spec.of("t.csv", given | {"method": "forest", "out": "r.csv"})
    again = Spec.of("t.csv", dict(reversed(given.items())))
    assert again == spec and hash(again) == hash(spec)
    assert (Spec.of("u.csv", given) == spec, spec.but(k=7) == spec) == (False, False)
    assert spec.but(**dict.fromkeys(given)).but(**given) == spec


@pytest.mark.parametrize("seed", seeds(20))
def test_its_words_are_those_of_the_command(seed):
    given = drawn(seed)
    line = shlex.split(command_line(solve, given, "t.csv"))
    words = Spec.of("t.csv", given).words()
    assert line[:3] == ["starmin", "solve", "t.csv"]
    assert sorted(line[3:]) == sorted(words)
    assert Spec.of("t.csv", given).words(*given) == []


def test_each_of_its_options_is_one_of_commands():
    known = {*inspect.signature(solve).parameters}
    assert known >= _NAMES
    for command in (bound, frontier):
        parameters = inspect.signature(command).parameters
        groups = (each for each in vars(Spec("t")).values() if is_dataclass(each))
        assert all(parameters.keys() & vars(group).keys() for group in groups)
