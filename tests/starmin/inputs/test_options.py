"""Tests that options are shown first, given twice or without effect as is promised."""

import inspect
import re
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Literal, get_args, get_origin

import pandas
import pytest
import typer

import starmin
from starmin.cli.app import main
from starmin.cli.commands import COMMANDS, add_command
from starmin.instances import NotSupportedError, TableError
from starmin.instances.io.at_once import READ, WRITTEN

OPTION = r"^│ (?:[* ]  )?(--[a-z-]+)"  # in the boxes of --help
LISTS = {"NAMES": ",", "M[:K],..": ",", "A,B,..": ","}
LISTS |= dict.fromkeys(("5,3,1", "5,10,20", "day,month,year"), ",")


def each_command():
    """Yield the name of each command, and its function with one parameter an option."""
    for name, command in COMMANDS.items():
        module = import_module(f"starmin.commands.{command.module}")
        if (app := getattr(module, "app", None)) is None:
            yield name, getattr(module, command.module.rpartition(".")[2])
            continue
        for info in app.registered_commands:
            # What the parser calls joins and keeps stdout, around the function.
            yield f"{name} {info.name}", info.callback.__wrapped__


def parser(name, function):
    """Return a function that tells with what words call a command, or its error."""
    seen = {}

    def called(**given):
        seen.update(given)
        return 0

    vars(called)["__signature__"] = inspect.signature(function)
    called.__annotations__ = function.__annotations__
    app = typer.Typer()
    add_command(app, name, called, ())
    command = typer.main.get_command(app)

    def parsed(words):
        seen.clear()
        try:
            command(words, standalone_mode=False)
        except typer.TyperException as error:
            return str(error.format_message())
        return dict(seen)

    return parsed


def two_values(option):
    """Return two words that an option takes."""
    kind = option.type_descriptor.annotation
    if get_origin(kind) is Literal:
        return get_args(kind)[:2]
    if kind in (int, float):
        step = 1 if kind is int else 0.25
        least = option.min if option.min is not None else 0
        return str(kind(least) + step), str(kind(least) + 2 * step)
    return "a=x", "b=y"


def between(option):
    """Return what joins the texts of an option by its help; None: it has one value."""
    if option.opts[0] == "--linked":
        return ";"
    if option.metavar is not None and option.metavar.endswith(",.."):
        return ","
    return LISTS.get(option.metavar)


def test_each_option_of_each_command_keeps_both_values_or_refuses_the_second():
    joined, refused, repeated = [], [], []
    for name, function in each_command():
        app = typer.Typer()
        add_command(app, name, function, ())
        parameters = typer.main.get_command(app).params
        parsed = parser(name, function)
        needed = []
        for each in parameters:
            if each.required and each.param_type_name == "argument":
                needed += (
                    ["3dm"]
                    if get_origin(each.type_descriptor.annotation) is Literal
                    else ["t.csv"]
                )
            elif each.required:
                needed += [each.opts[0], two_values(each)[0]]
        for option in parameters:
            if option.param_type_name != "option" or option.is_flag:
                continue
            flag, (one, other) = option.opts[0], two_values(option)
            rest = needed
            if flag in needed:
                at = needed.index(flag)
                rest = needed[:at] + needed[at + 2 :]
            many = option.nargs
            words = [*rest, flag, *[one] * many, option.opts[-1], *[other] * many]
            told = parsed(words)
            sign = between(option)
            if sign is not None:
                assert told[option.name] == one + sign + other, (name, flag)
                joined.append(flag)
            elif option.multiple:
                assert [*map(str, told[option.name])] == [one, other], (name, flag)
                repeated.append(flag)
            else:
                assert told == f"{flag}: given 2 times; it has one value", (name, flag)
                refused.append(flag)
    assert {"--top", "--drop", "--combinations", "--seeds", "--linked"} <= {*joined}
    assert {"--hierarchy", "--sets", "--date-format"} == {*repeated} - {
        *("--join", "--releases", "--population", "--population-count")
    }
    assert len(joined) > 100 and len(refused) > 300


@pytest.fixture
def run(starmin):  # the command line
    Path("t.csv").write_text(
        "name,ssn,age,year,ill\nann,1,95,1950,a\nbob,2,93,1950,b\n"
        "cid,3,20,1990,c\ndan,4,21,1991,a\n"
    )
    return lambda line: starmin(*line.split())


LINE = "solve t.csv --k 2 --numeric age,year --recoding generalization --quiet"


def test_tops_and_drops_of_one_line_are_all_kept(run):
    line = f"{LINE} --qi age --qi year --drop name --drop ssn --top age=90"
    both = f"{line} --top year=1990"
    assert run(f"{both} --out a.csv --certificate a.json")[0] == 0
    assert Path("a.csv").read_text().splitlines() == [
        "age,year,ill",
        "90+,1950,a",
        "90+,1950,b",
        "[20-21],1990+,c",
        "[20-21],1990+,a",
    ]
    for asked, code in ((both, 0), (line, 1)):  # the proof is of both tops
        check = asked.replace("solve t.csv", "verify a.csv --original t.csv")
        assert run(f"{check} --certificate a.json")[0] == code
    Path("u.csv").write_text("a,b\n1x,1y\n1x,1y\n1z,1y\n1z,1y\n")
    levels = "solve u.csv --k 2 --recoding generalization --quiet --out c.csv"
    for name in "ab":
        levels += f" --hierarchy {name}=prefix:1 --min-level {name}=1"
    assert run(levels)[0] == 0
    assert Path("c.csv").read_text().split() == ["a,b", *["1*,1*"] * 4]
    for twice, why in {
        "--top age=80": "--top: column 'age' is named twice",
        "--k 3": "--k: given 2 times; it has one value",
        "--qi age": "a quasi-identifier is named twice",
    }.items():
        code, _, err = run(f"{line} {twice}")
        assert code == 2 and why in err and err.count("\n") == 1


def test_a_settings_file_loses_nothing_either(run):
    Path("r.toml").write_text(
        "columns.age = {role = 'quasi-identifier', kind = 'numeric', top = 90}\n"
        "columns.year = {role = 'quasi-identifier', kind = 'numeric'}\n"
        "columns.name.role = 'identifier'\ncolumns.ill.role = 'unchanged'\n"
    )
    line = "solve t.csv --k 2 --recoding generalization --quiet --recipe r.toml"
    assert run(f"{line} --drop ssn --top year=1990 --out a.csv")[0] == 0
    assert "90+,1950,a\n" in Path("a.csv").read_text()
    assert "[20-21],1990+,c\n" in Path("a.csv").read_text()
    for twice in ("--top year=1990 --top year=1991", "--max-level a=1,a=2"):
        code, _, err = run(f"{line} {twice}")
        assert code == 2 and "is named twice" in err and err.count("\n") == 1
    Path("r.toml").write_text("requirement.k = 2\nrequirement.k = 3\n")
    code, _, err = run("solve t.csv --recipe r.toml")
    assert code == 2 and "r.toml: no TOML" in err
    Path("r.toml").write_text(
        "columns.ill = {role = 'quasi-identifier', hierarchy = 'prefix:1'}\n"
        "table.hierarchy = ['ill=prefix:1']\n"
    )
    code, _, err = run("solve t.csv --k 2 --recipe r.toml")
    assert code == 2 and "column 'ill' is named twice" in err


@pytest.mark.parametrize("command", ["check t.csv --original", "linkage attack t.csv"])
def test_two_files_of_one_column_are_refused(run, command):
    code, _, err = run(f"{command} t.csv --hierarchy ill=a.csv --hierarchy ill=b.csv")
    assert code == 2
    assert "starmin: --hierarchy: column 'ill' is named twice\n" in err


def test_one_number_of_columns_in_two_forms_is_refused_in_python():
    frame = pandas.DataFrame({"a": ["x", "x"], "b": ["y", "z"]})
    with pytest.raises(TableError, match="combinations: a size twice"):
        starmin.anonymize(frame, combinations={1: 2, "1": 3})


@pytest.mark.parametrize("name", ["solve", "verify", "gap", "publish"])
def test_help_explains_ten_options_or_all(name, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    told = {}
    for words in ("--help", "--help all", "-h all"):
        monkeypatch.setattr("sys.argv", ["starmin", name, *words.split()])
        assert main() == 0
        said = capsys.readouterr().out
        told[words] = re.findall(OPTION, said, re.M), said
    every = [o.opts[0] for o in COMMANDS[name].load(name).params]
    every = [flag for flag in every if flag.startswith("--")]
    shown, said = told["--help"]
    assert {*told["--help all"][0]} == {*told["-h all"][0]} == {*every, "--help"}
    if len(every) <= 10:
        assert shown == told["--help all"][0] and "--help all" not in said
        return
    assert shown[-1] == "--help" and len(shown) == 11
    assert shown[0] == "--recipe" and "╭─ Run" not in said
    more = f"{len(every) - 10} more options: starmin {name} --help all"
    assert more in said and more not in told["--help all"][1]
    assert "╭─ Run" in told["--help all"][1]


def test_starmin_alone_says_what_to_do_first(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["starmin"])
    assert main() == 0
    lines = capsys.readouterr().out.splitlines()
    done = [line.split()[:2] for line in lines if line.startswith("  starmin")]
    assert done == [["starmin", c] for c in ("risk", "new", "publish")]


def test_help_names_all_endings_that_are_read_and_written():
    help_of = {o.name: o.help for o in COMMANDS["solve"].load("solve").params}
    assert all(f"{ending}," in help_of["table"] for ending in READ[:-1])
    assert all(f"{ending}," in help_of["out"] for ending in WRITTEN[:-1])
    assert READ[-1] in help_of["table"] and WRITTEN[-1] in help_of["out"]


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
