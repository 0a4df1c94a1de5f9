"""Tests that the reference pages have all that is declared, and keys their schema."""

import json
import shlex
import sys
from importlib import import_module
from pathlib import Path

import pytest

import starmin
from starmin.cli.app import main
from starmin.process import exit_codes

DOCS = Path(__file__).parents[1] / "docs"
SCHEMA = json.loads((DOCS / "answers.schema.json").read_text())["$defs"]
KINDS = {
    "string": str,
    "integer": int,
    "number": int | float,
    "array": list,
    "object": dict,
    "boolean": bool,
    "null": type(None),
}
PEOPLE = "people.csv --drop name --sensitive disease"
ASKED = (
    ("solve", f"solve {PEOPLE} --k 2 --out a.csv --certificate a.json"),
    ("solve", f"solve {PEOPLE} --k 2 --recoding generalization --numeric age"),
    ("solve", f"solve {PEOPLE} --k 2 --recoding permutation --l 2 --out apart.csv"),
    ("solve", f"solve {PEOPLE} --l 20"),
    ("solve", f"bound {PEOPLE} --l 2"),
    ("solve", f"solve {PEOPLE} --k 3 --delete-rows 1 --out few.csv"),
    (
        "verify",
        "verify few.csv --drop name --sensitive disease --k 3 --original people.csv "
        "--delete-rows 1",
    ),
    ("verify", "verify a.csv --sensitive disease --k 2"),
    ("verify", "verify a.csv --sensitive disease --k 3 --t 0.9"),
    (
        "verify",
        "verify a.csv --drop name --sensitive disease --k 2 --original people.csv "
        "--certificate a.json",
    ),
)


@pytest.fixture(scope="module")
def pages():
    sys.path.insert(0, str(DOCS / "site"))
    try:
        return import_module("reference_pages")
    finally:
        sys.path.pop(0)


def wrong_in(answer: dict, schema: dict) -> list[str]:
    """What an answer has that its schema does not allow."""
    told = schema["properties"]
    wrong = [key for key in answer if key not in told]
    wrong += [key for key in schema["required"] if key not in answer]
    for key in set(answer) & set(told):
        kinds = told[key]["type"]
        kinds = kinds if isinstance(kinds, list) else [kinds]
        value = answer[key]
        flag = isinstance(value, bool)
        fits = any(isinstance(value, KINDS[kind]) for kind in kinds)
        if not fits or (flag and "boolean" not in kinds):
            wrong.append(key)
    return wrong


def test_answers_are_as_their_schema_says(tmp_path, monkeypatch, capsys, jobs_here):
    (tmp_path / "people.csv").write_text((DOCS / "tutorials/people.csv").read_text())
    monkeypatch.chdir(tmp_path)
    seen = {name: set() for name in SCHEMA}
    for name, line in ASKED:
        words = ["starmin", *shlex.split(line), "--json"]
        monkeypatch.setattr(sys, "argv", words)
        assert main() in (0, 1), line
        answer = json.loads(capsys.readouterr().out)
        assert not wrong_in(answer, SCHEMA[name]), line
        seen[name] |= set(answer)
    for name, keys in seen.items():
        assert keys == set(SCHEMA[name]["properties"]), name


def test_wrong_answers_are_found():
    schema = SCHEMA["verify"]
    good = {"holds": True, "k": 2, "l": None, "stars": 1, "gcp": 0.5, "groups": 2}
    good |= {"violations": [], "qi": []}
    assert not wrong_in(good, schema)
    assert wrong_in(good | {"k": "2"}, schema) == ["k"]
    assert wrong_in(good | {"stars": True}, schema) == ["stars"]
    assert wrong_in(good | {"more": 1}, schema) == ["more"]
    del good["qi"]
    assert wrong_in(good, schema) == ["qi"]


def test_every_option_of_every_command_is_on_the_page(pages):
    text = pages.options()
    commands = dict(pages.declared())
    assert len(commands) > 20
    sections = dict(zip(commands, text.split("\n-----")[1:], strict=True))
    for name, parser in commands.items():
        for each in parser.params:
            for typed in each.opts if each.opts[0].startswith("-") else ():
                assert f"{typed}``" in sections[name] or f"{typed}," in sections[name]


def test_every_public_name_instance_and_code_is_on_its_page(pages):
    text = pages.python()
    assert all(f":: starmin.{name}\n" in text for name in starmin.__all__)
    text = pages.instances()
    assert all(f"``{name}``" in text for name in starmin.instance_names())
    codes = {v for n, v in vars(exit_codes).items() if n.isupper()}
    assert all(f"- {code}\n" in pages.codes() for code in codes | {0})
