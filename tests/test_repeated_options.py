"""Tests that an option given twice loses nothing: lists join, one value is refused."""

import inspect
from importlib import import_module
from pathlib import Path
from typing import Literal, get_args, get_origin

import pandas
import pytest
import typer

import starmin
from starmin.cli.commands import COMMANDS, add_command
from starmin.instances import TableError

LISTS = {"NAMES": ",", "M[:K],..": ",", "A,B,..": ","}
LISTS |= dict.fromkeys(("5,3,1", "5,10,20", "day,month,year"), ",")


def each_command():
    """Yield the name of each command, and its function with one parameter an option."""
    for name, command in COMMANDS.items():
        module = import_module(f"starmin.commands.{command.module}")
        if (app := getattr(module, "app", None)) is None:
            own = command.function or command.module.rpartition(".")[2]
            yield name, getattr(module, own)
            continue
        for info in app.registered_commands:
            # What the parser calls joins and keeps stdout, around the function.
            yield f"{name} {info.name}", info.callback.__wrapped__.__wrapped__


def parsed(name, function, words):
    """Return what a command is called with, or its exit code."""
    seen = {}

    def called(**given):
        seen.update(given)
        return 0

    vars(called)["__signature__"] = inspect.signature(function)
    called.__annotations__ = function.__annotations__
    app = typer.Typer()
    add_command(app, name, called, ())
    command = typer.main.get_command(app)
    try:
        command(words, standalone_mode=False)
    except typer.TyperException as error:
        return str(error.format_message())
    return seen


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
            words = [*rest, flag, one, option.opts[-1], other]
            told = parsed(name, function, words)
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
    assert run(f"{line} --top year=1990 --out a.csv")[0] == 0
    assert Path("a.csv").read_text().splitlines() == [
        "age,year,ill",
        "90+,1950,a",
        "90+,1950,b",
        "[20-21],1990+,c",
        "[20-21],1990+,a",
    ]
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
