"""Tests that measured numbers of pages have a command, and that it is there.

A number with a unit in README, on pages of results and of explanation names the command
that makes it, or has an entry in ``docs/data/measured_numbers.csv``.
"""

import ast
import random
import re
import runpy
import shlex
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from starmin.commands.reproduce import experiments
from tests.support.places import HOME

SITE = HOME / "docs" / "site"
NO_COMMAND = (
    "by the call that the text names",
    "a constant of the program, not measured",
    "an example of words, not measured",
    "a definition, not measured",
)


@pytest.fixture(scope="module")
def numbers():
    sys.path.insert(0, str(SITE))
    try:
        return import_module("measured_numbers")
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="module")
def trace(numbers):
    sys.path.insert(0, str(SITE))
    try:
        return import_module("trace_figures")
    finally:
        sys.path.pop(0)


@cache
def options_of(script: Path) -> set[str]:
    """The options that a script declares."""
    calls = [
        node
        for node in ast.walk(ast.parse(script.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith("add_argument")
    ]
    texts = (
        arg.value for c in calls for arg in c.args if isinstance(arg, ast.Constant)
    )
    return {text for text in texts if text.startswith("--")}


def wrong_in(command: str) -> str:
    """What of a command is not there; empty if all is."""
    words = shlex.split(command)
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (HOME / "Makefile").read_text(), re.M)
        return "" if words[1] in targets else f"no target {words[1]}"
    if words[0] == "starmin":
        return wrong_in_ours(words)
    named = words[1:] if words[1] != "-m" else words[2:]
    script = HOME / named[0]
    if words[1] == "-m":
        script = HOME.joinpath(*named[0].split(".")).with_suffix(".py")
    if words[0] not in ("python", "pytest") or not script.is_file():
        return f"no file {named[0]}"
    ours = named[: named.index("--")] if "--" in named else named
    asked = {word.partition("=")[0] for word in ours if word.startswith("--")}
    unknown = asked - options_of(script)
    return f"{script.name} has no {sorted(unknown)}" if unknown else ""


def wrong_in_ours(words: list[str]) -> str:
    """What of a command of starmin is not declared."""
    commands = dict(import_module("declared_options").declared())
    names = [n for n in (" ".join(words[:3]), " ".join(words[:2])) if n in commands]
    if not names:
        return f"no command {words[1]}"
    declared = {o for p in commands[names[0]].params for o in (*p.opts, "--help")}
    unknown = {word for word in words if word.startswith("--")} - declared
    return f"{names[0]} has no {sorted(unknown)}" if unknown else ""


def test_every_measured_number_has_its_command(numbers):
    counted, lacking = 0, []
    for block, (command, entry) in numbers.measured():
        counted += 1
        if not command and entry is None:
            figure = next(block.figures())[1]
            where = f"{block.page}:{block.line} ({block.heading})"
            lacking.append(f"{where}: {figure}; its block begins {block.begins!r}")
    assert counted > 110
    assert not lacking, "name the command there, or in docs/data/measured_numbers.csv"


def test_the_list_has_no_entry_that_nothing_needs(numbers):
    used = {entry for _, (_, entry) in numbers.measured()}
    assert not [entry for entry in numbers.listed() if entry not in used]
    keys = [(e.page, e.heading, e.block) for e in numbers.listed()]
    assert len(keys) == len(set(keys))
    for entry in numbers.listed():
        assert entry.command or entry.reason in NO_COMMAND, entry


def test_every_command_is_there_with_its_options(numbers, monkeypatch):
    monkeypatch.syspath_prepend(str(SITE))
    commands = {command for _, (command, _) in numbers.measured() if command}
    assert len(commands) > 35
    assert not [wrong for each in commands if (wrong := wrong_in(each))]
    called = {each.script for each in experiments()}
    others = runpy.run_path(str(HOME / "tests" / "project" / "pages" / "test_docs.py"))[
        "OTHERS"
    ]
    for path in re.findall(r"benchmarks/([\w/]+)\.py", "\n".join(commands)):
        assert path in called or Path(path).name in others, path


@pytest.mark.parametrize(
    ("command", "wrong"),
    [
        ("python benchmarks/gaps/gaps.py DATA --store a.jsonl", ""),
        (
            "python benchmarks/gaps/gaps.py DATA --stores a",
            "gaps.py has no ['--stores']",
        ),
        ("python benchmarks/gaps/gap.py DATA", "no file benchmarks/gaps/gap.py"),
        ("python benchmarks/gaps/picture.py a.csv --out b -- --k 5", ""),
        ("python -m tests.fuzz_boxes --problems 9", ""),
        ("python -m tests.fuzz_box --problems 9", "no file tests.fuzz_box"),
        ("pytest tests/test_nothing.py", "no file tests/test_nothing.py"),
        ("make demo", ""),
        ("make gold", "no target gold"),
        ("starmin solve a.csv --k 5 --time-limit 10", ""),
        ("starmin solve a.csv --gold 5", "starmin solve has no ['--gold']"),
        ("starmin dig a.csv", "no command dig"),
    ],
)
def test_commands_that_are_not_there_are_found(command, wrong, monkeypatch):
    monkeypatch.syspath_prepend(str(SITE))
    assert wrong_in(command) == wrong


PAGE = """# A page

Each release hides 17 stars, found in 3 seconds.

In 2026, 5 columns and k = 2 were asked for; a group has 3 rows.

```console
$ starmin solve a.csv --k 2
release: 8 stars, 3 seconds
```

## By a script

    python benchmarks/gaps/gaps.py DATA

| rows | stars |
|---|---|
| 100 | 31,229 |

Another 4.5 % was found by hand, far from the script.

| k | what |
|---|---|
| 2 | rows |

Losses by k:

| k | Adult |
|---|---|
| 2 | 0.25 |

In 9 minutes, by `python -m tests.fuzz_boxes --first 1`, and `benchmarks/gaps/exact.py`.
"""


def test_typed_numbers_are_found_and_commands_beside_them(
    numbers, tmp_path, monkeypatch
):
    (tmp_path / "a.md").write_text(PAGE)
    monkeypatch.setattr(numbers, "HOME", tmp_path)
    blocks = numbers.blocks_of("a.md")
    found = [
        ([figure for _, figure in block.figures()], numbers.command_of(at, blocks)[0])
        for at, block in enumerate(blocks)
        if any(block.figures())
    ]
    assert found == [
        (["17 stars", "3 seconds"], ""),
        (["100, stars: 31,229"], "python benchmarks/gaps/gaps.py DATA"),
        (["4.5 %"], ""),
        (["2, Adult: 0.25"], "python benchmarks/gaps/exact.py"),
        (["9 minutes"], "python benchmarks/gaps/exact.py"),
    ]
    lines = PAGE.split("\n")
    for block in blocks:
        assert block.text.split("\n")[0] == lines[block.line - 1]


def test_ten_figures_at_random_are_traced_to_store_and_command(trace, monkeypatch):
    monkeypatch.syspath_prepend(str(SITE))
    for seed in (58, random.randrange(10**6)):
        picked = trace.picked(seed, 10)
        assert picked == trace.picked(seed, 10)
        assert len(picked) == len({each.page for each in picked}) == 10
        assert picked[0].page == "README.md"
        for each in picked:
            assert not wrong_in(each.command), (seed, each)
            line = (HOME / each.page).read_text("utf-8").split("\n")[each.line - 1]
            assert each.figure.split(": ")[-1] in line and each.store, (seed, each)


def test_figures_of_kept_stores_are_in_them(trace):
    pages = ("docs/reference/best_known.md", "docs/explanation/gap.md")
    kept = [
        each
        for each in trace.figures()
        if each.page in pages or each.page.startswith("docs/results/")
    ]
    assert all(trace.is_kept(e) for e in kept if e.page.startswith("docs/results/"))
    kept = [each for each in kept if trace.is_kept(each)]
    assert len(kept) > 1000
    for each in kept:
        assert trace.place(each).endswith(" has it"), each


def test_a_figure_that_its_store_has_not_is_told(trace, tmp_path):
    folder = tmp_path / "exact"
    folder.mkdir()
    row = '{"case": "a 7", "value": 31229, "lower_bound": 30991, "seconds": 9.96}\n'
    (folder / "exact.jsonl").write_text("{}\n" + row)
    told = {
        "31,229 stars": "opened: exact/exact.jsonl:2 has it",
        "a, stars: 31,229": "opened: exact/exact.jsonl:2 has it",
        "0.77 %": "opened: exact/exact.jsonl:2 has it",
        "10 seconds": "opened: exact/exact.jsonl:2 has it",
        "31,228 stars": "opened: NOT FOUND",
        "0.76 %": "opened: NOT FOUND",
        "7 seconds": "opened: NOT FOUND",
    }
    for figure, place in told.items():
        for store in ("exact.jsonl", "FOLDER/exact.jsonl"):
            one = trace.Traced("README.md", 1, figure, store, "python a.py", "")
            assert trace.place(one, tmp_path) == place, one
    elsewhere = "not kept here: the command makes it anew"
    assert trace.place(one) == trace.place(one._replace(store="b.csv")) == elsewhere


def test_the_script_that_traces_runs():
    command = [sys.executable, str(SITE / "trace_figures.py"), "--seed", "3"]
    command += ["--count", "4"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    pages = [line for line in lines if re.fullmatch(r"[\w/]+\.md:\d+", line)]
    assert len(pages) == 4 and pages[0].startswith("README.md:")
    assert re.match(r"of \d,\d+ figures \d+ have a reason", lines[-1])
