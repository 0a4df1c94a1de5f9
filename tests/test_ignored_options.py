"""Tests that a limit or a seed that has no effect on a method is told, once."""

import sys
import warnings

import pytest

import starmin
from starmin.cli.app import main
from starmin.instances import NotSupportedError

# A method, and what it takes no notice of where both are given.
CASES = {
    "mondrian": ("no time limit", "no seed"),
    "hilbert_suppression": ("no time limit", "no seed"),
    "forest": ("no seed",),
    "tuple_ilp": (),
    "auto": (),
}


def told(**given):
    """Return the warnings of a call of ``solve``."""
    table = starmin.load_instance("hospital")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        starmin.solve(table, k=2, **given)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize("method", CASES)
def test_python_warns_of_what_has_no_effect(method):
    goal = {"objective": "tuples"} if method == "tuple_ilp" else {}
    assert told(method=method, **goal) == []
    lines = told(method=method, time_limit=20.0, seed=0, **goal)
    assert len(lines) == bool(CASES[method])
    assert all(line.startswith(f"{method} takes no") for line in lines)
    assert all(missed in lines[0] for missed in CASES[method])
    if "no seed" in CASES[method]:
        (line,) = told(method=method, seed=1, **goal)
        assert "time limit" not in line


def test_a_bound_warns_too():
    table = starmin.load_instance("hospital")
    with pytest.warns(UserWarning, match="residue takes no time limit") as caught:
        starmin.bound(table, k=2, method="residue", objective="tuples", time_limit=9.0)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("solve instance:hospital --k 2 --method mondrian", 0),
        ("solve instance:hospital --k 2 --method mondrian --time-limit 9 --seed 0", 1),
        ("solve instance:hospital --k 2 --method forest --time-limit 9", 0),
        ("solve instance:hospital --k 2 --method forest --seed 0", 1),
        ("solve instance:hospital --k 2 --time-limit 9 --seed 0", 0),
        ("bound instance:hospital --k 2 --method own_pattern --seed 3", 1),
        ("bound instance:hospital --k 2 --seed 3 --time-limit 9", 0),
        (
            "solve instance:hospital --k 3 --recoding nonhomogeneous --method ring "
            "--seed 1",
            1,
        ),
    ],
)
def test_the_command_line_tells_it_in_one_line(monkeypatch, capsys, line, lines):
    monkeypatch.setattr(sys, "argv", ["starmin", *line.split(), "--quiet"])
    assert main() == 0
    err = capsys.readouterr().err
    assert err.count("\n") == err.count("warning: ") == lines
    assert err.count(" takes no ") == lines


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("", True),
        ("--sensitive s --l 2", True),
        ("--recoding nonhomogeneous", True),
        ("--sensitive s --l 2 --missing-sensitive any", False),
        ("--numeric a --recoding generalization", False),
        ("--combinations 1 --missing-hidden --semantics shown", False),
        ("--top a=2", False),
        ("--hierarchy a=prefix:1 --recoding generalization", False),
    ],
)
def test_names_of_missing_values_that_nothing_reads_are_told(
    tmp_path, monkeypatch, capsys, more, told
):
    (tmp_path / "a.csv").write_text("a,b,s\nNA,x,u\n1,x,NA\n1,y,v\n2,y,w\n")
    line = f"starmin solve {tmp_path / 'a.csv'} --k 2 --missing NA --quiet {more}"
    monkeypatch.setattr(sys, "argv", line.split())
    assert main() in (0, 1)
    assert ("--missing NA has no effect" in capsys.readouterr().err) == told


def test_bad_usage_stays_one_line(monkeypatch, capsys):
    line = "solve instance:hospital --diversity entropy --l 2 --method forest --seed 1"
    monkeypatch.setattr(sys, "argv", ["starmin", *line.split()])
    assert main() == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "forest" in err
    with pytest.raises(NotSupportedError):
        told(method="forst", seed=1)
