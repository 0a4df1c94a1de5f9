"""Tests that the reference pages have all that is declared, and keys their schema."""

import json
import re
import shlex
import sys
from dataclasses import fields, replace
from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules

import pytest

import starmin
from starmin.cli.app import main
from starmin.instances import STARS, Certificate, KAnonymity, Objective, Scales
from starmin.instances.io import file_formats
from starmin.instances.io import format as file_kinds
from starmin.instances.io.at_once import FORMATS, READ, WRITTEN
from starmin.instances.io.beside import Beside, Labels
from starmin.instances.releases.objective_kinds import OBJECTIVES
from starmin.instances.requirements.requirements import REQUIREMENTS, options
from starmin.instances.scales.node_losses import LOSS_RULES
from starmin.instances.streams.source import ENDINGS
from starmin.process import faults
from starmin.verify.certificates.certificate_check import check_certificate
from starmin.verify.checker import BeyondError, command
from starmin.verify.checker.columns import Given
from starmin.verify.checker.command import proven_for
from tests.support.places import HOME

DOCS = HOME / "docs"
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


@pytest.fixture(scope="module")
def formats(pages):
    return sys.modules["format_pages"]


@pytest.fixture(scope="module")
def kinds(pages):
    return sys.modules["kind_pages"]


def tables_of(text: str) -> list[list[list[str]]]:
    """The tables of a generated page, as rows of cells."""
    found = []
    for part in text.split(".. list-table::")[1:]:
        body = part.partition("\n\n")[2].split("\n\n")[0]
        rows = ("\n" + body).split("\n   * - ")[1:]
        found.append([re.split(r"\n     - ", row.rstrip()) for row in rows])
    return found


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
    shown = re.findall(r":: starmin\.(\w+)(\(.*)?\n", text)
    assert {*starmin.__all__} == {name for name, _ in shown}
    said = {name: arguments for name, arguments in shown if arguments}
    assert "time_limit: float | None = None" in said["solve"], said
    text = pages.instances()
    assert all(f"``{name}``" in text for name in starmin.instance_names())
    codes = {v for n, v in vars(faults).items() if isinstance(v, int)}
    assert all(f"- {code}\n" in pages.codes() for code in codes | {0})


def test_every_file_format_is_on_its_page_as_it_is(formats, tmp_path, monkeypatch):
    overview, columns, beside = tables_of(formats.formats())
    shown = {row[0].replace("``", ""): row for row in overview[1:]}
    assert ", ".join(shown) == ", ".join(READ)
    for file in iter_modules(file_formats.__path__):
        import_module(f"{file_formats.__name__}.{file.name}")
    concrete = {
        kind
        for kind in subclasses(file_kinds.Format)
        if kind.__module__.startswith(file_formats.__name__) and not isabstract(kind)
        if hasattr(kind, "endings")
    }
    assert concrete == {*map(type, FORMATS)}
    for row in shown.values():
        ends = row[0].replace("``", "").split(", ")
        assert {end in WRITTEN for end in ends} == {row[3] != "no"}
        some = [end for end in ends if end in ENDINGS]
        told = re.findall(r"``(\S+?)``", row[4]) if "alone" in row[4] else ends
        assert some == ([] if row[4] == "no" else told)
    for table in (columns, beside):
        heads = [head.replace("``", "") for head in table[0][1:]]
        assert ", ".join(heads) == ", ".join(WRITTEN)
    # What needs a library of the extra says so, and nothing else does.
    monkeypatch.setattr(file_kinds, "import_module", missing)
    for row, kind in zip(shown.values(), FORMATS, strict=True):
        (tmp_path / f"a{kind.endings[0]}").write_text("a,b\n1,2\n")
        why = ""
        try:
            starmin.read_table(tmp_path / f"a{kind.endings[0]}")
        except starmin.TableError as error:
            why = str(error)
        assert ("starmin[formats]" in why) == (row[5] != "nothing more"), why


def test_every_requirement_and_loss_is_on_its_page_with_its_options(pages):
    asked = sys.modules["asked_pages"]
    assert list(asked.NAMED) == [kind.__name__ for kind in REQUIREMENTS]
    overview, *single = tables_of(asked.requirements())
    for row, kind in zip(overview[1:], REQUIREMENTS, strict=True):
        flags = [option.flag for option in kind.options]
        assert re.findall(r"``(--[\w-]+)``", row[1]) == flags
    told = [row[0] for rows in single for row in rows[1:]]
    assert {f"``{option.flag}``" for option in options()} == {*told}
    # Each name that certificates have for what is asked is that of a requirement.
    names = {name for _, name, *_ in asked.NAMED.values()}
    proven = {
        name for told, _ in sys.modules["kind_pages"].PROVES.values() for name in told
    }
    assert proven - {"k with l by frequency"} <= names
    goals, losses = tables_of(asked.losses())
    assert [row[0] for row in goals[1:]] == [f"``{name}``" for name in OBJECTIVES]
    assert [row[0] for row in losses[1:]] == [f"``{name}``" for name in LOSS_RULES]
    assert [row[3] for row in losses[1:]] == ["3/5", "1/2", "0"]


def subclasses(kind: type) -> set[type]:
    return {kind}.union(*map(subclasses, kind.__subclasses__()))


def missing(name: str) -> None:
    raise ImportError(name)


def test_the_page_on_files_has_the_formats_that_there_are():
    lines = re.findall(
        r"^\| (`\..*) \| (yes|no) \| (yes|no) \|", page_text("reference/files"), re.M
    )
    told = [re.findall(r"`(\.[\w.]+)`", ends) for ends, *_ in lines]
    assert [end for ends in told for end in ends] == [*READ]
    for ends, (_, read, written) in zip(told, lines, strict=True):
        assert read == "yes" and {end in WRITTEN for end in ends} == {written == "yes"}
    extra = re.search(
        r"^(.*) need the extra `starmin\[formats\]`", page_text("reference/files"), re.M
    )
    needing = [e for k in FORMATS if k.written is False or k.writers for e in k.endings]
    assert {*needing} < {*re.findall(r"`(\.\w+)`", extra[1])}


def page_text(name: str) -> str:
    return (DOCS / f"{name}.md").read_text("utf-8")


def test_what_comes_back_from_a_file_is_what_its_page_says(formats):
    _, columns, beside = tables_of(formats.formats())
    cells = {row[0]: row[1:] for row in columns[1:]}
    assert list(cells) == list(formats.COLUMNS)
    assert cells["codes such as 007"] == ["text"] * len(columns[0][1:])
    assert cells["whole numbers"] == [
        *("text", "whole numbers", "numbers", "numbers", "whole numbers")
    ]
    kept = {row[0]: row[1:] for row in beside[1:]}
    assert kept["labels of values"] == ["no", "no", "no", "yes", "yes"]
    assert all("yes" in row for row in kept.values())
    # Each field stands in a row, or is what the table of columns is about.
    rows = {
        "columns": "labels of columns",
        "values": "labels of values",
        "measures": "measures of columns",
        "title": "the title of the file",
        "missing": "codes declared missing",
        "formats": "how numbers are shown",
        "pandas": "types that pandas notes",
    }
    others = {"labels", "typed", "storage", "index"}
    assert {*rows.values()} == {*kept}
    assert {f.name for f in (*fields(Beside), *fields(Labels))} == {*rows} | others


def test_the_kinds_of_certificates_are_those_that_the_checkers_know(kinds):
    text = kinds.kinds()
    proves, by_checker, entries = tables_of(text)
    shown = [row[0].replace("``", "") for row in by_checker[1:]]
    table, _ = tiny()
    odd = replace(asked_of(table, "prices", STARS), kind="odd")
    assert list_in(check_certificate(odd, table).why) == {*shown} == {*kinds.OURS}
    with pytest.raises(BeyondError) as known:
        command.expect_known(content_of(odd))
    alone = {
        row[0].replace("``", "") for row in by_checker[1:] if row[2] != "not checked"
    }
    assert list_in(str(known.value)) == alone == {*kinds.ONE_FILE}
    assert [row[0] for row in proves[1:]] == [f"``{kind}``" for kind in kinds.PROVES]
    assert {*kinds.PROVES} == {*shown}
    assert {row[0].replace("``", "") for row in entries[1:]} == {*command.KINDS}
    sections = re.findall(
        r"^## Kind `(\w+)`$", page_text("reference/certificate"), re.M
    )
    assert {*sections} == {*shown} and len(sections) == len(shown)


def list_in(why: str) -> set[str]:
    """The kinds that a checker names when it knows none of a name."""
    return {*re.split(r", | and ", re.search(r"none of:? (.*)", why)[1])}


def tiny():
    """A table of six rows with ids, and losses of a taxonomy."""
    rows = [[*row, str(i)] for i, row in enumerate(["axu", "axv", "ayu", "bxv", "bxu"])]
    table = starmin.Table.from_rows(
        ["a", "b", "s", "id"], [*rows, ["b", "y", "v", "5"]], ["a", "b"], ["s"]
    )
    return table, Objective("gcp", scales=Scales.of(table, (), {}))


def asked_of(table, kind, objective, requirement=None, data=None) -> Certificate:
    """A certificate that claims something, with data that prove nothing."""
    claim = Certificate.of(table, KAnonymity(2), objective, kind, 1, data or {})
    return replace(claim, requirement=requirement or claim.requirement)


def content_of(claim: Certificate) -> dict:
    """The object of its file."""
    content = json.loads(json.dumps(vars(claim), default=dict))
    return {"starmin_certificate": 2, **content}


def reasons(table, claim) -> list[str]:
    """Why each of the two checkers refuses it; empty where one does not."""
    found = [check_certificate(claim, table).why or ""]
    header = list(table.names)
    rows = [[text or "" for text in row] for row in table.rows()]
    try:
        proven_for(Given(header, rows, content_of(claim), {}))
        found.append("")
    except Exception as error:  # what of its data is missing, among others
        found.append(str(error))
    return found


ASKED_OF = {
    "persons": {"k": 2, "person": "id", "pseudonym": True},
    "within": {"k": 2, "within": "0"},
    "rules": starmin.Combinations(2, 2).as_json(),
}


def test_each_kind_is_for_the_objectives_that_its_page_says(kinds):
    table, losses = tiny()
    for kind in kinds.OURS:
        for objective in (STARS, Objective("tuples"), losses):
            claim = asked_of(table, kind, objective, ASKED_OF.get(kind))
            for why, known in zip(
                reasons(table, claim), (kinds.OURS, kinds.ONE_FILE), strict=True
            ):
                refused = "proof of this kind is for" in why
                assert refused == (objective.kind not in known[kind]), (kind, why)


def test_each_kind_is_for_the_requirements_that_its_page_says(kinds):
    table, losses = tiny()
    requirements = {
        "k": {"k": 2},
        "l by frequency": {"l": 2},
        "k with l by frequency": {"k": 2, "l": 2},
        "l of distinct values": {"l": 2, "diversity": "distinct"},
    }
    for kind, (objectives, needed, _) in command.KINDS.items():
        if kind in ASKED_OF:
            continue
        told, _ = kinds.PROVES[kind]
        objective = Objective(objectives[0]) if objectives[0] != "gcp" else losses
        data = {name: 1 if name == "denominator" else [] for name in needed}
        assert told and {*told} <= {*requirements}
        for name, requirement in requirements.items():
            claim = asked_of(table, kind, objective, requirement, data)
            fits = name in told or (name.startswith("k with") and told[1:] != ())
            for why in reasons(table, claim):
                refused = re.search(r"k-anonymity only|distinct diversity", why)
                assert bool(refused) != fits, (kind, name, why)
