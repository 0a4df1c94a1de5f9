"""Tests that help, printed lines and pages for readers use the words of the field.

Names of options, of JSON keys and of columns of files stay: those are typed, or stand
in backquotes. A page may name another word in parentheses, as the glossary does.
"""

import inspect
import re
import runpy
import shlex
import sys
from importlib import import_module

import pytest

from starmin.auto.describe import describe_fully, page
from starmin.cli.app import main
from starmin.registry import METHODS
from tests.support.places import HOME

DOCS = HOME / "docs"

# Words of the code, and what is said to readers in their place.
REFUSED = {
    r"suppressed (tuple|row|cell)s?": "row with a hidden cell, hidden cell",
    r"QI": "quasi-identifier",
    r"GCP": "information lost",
    r"nodes?": "category",
    r"own costs?": "cheapest way to publish a row",
    r"near patterns?": "candidate",
    r"row types?": "distinct row",
    r"closures?": "smallest cover of a group",
    r"dear(er|est)?": "expensive",
    r"incidences?": "row and way to publish it",
    r"published unchanged": "published as it is",
    r"agrees with (the )?original": "as in the original",
    r"\d* ?m bytes": "bytes a distinct row",
    r"offspring|crossover": "two releases combined",
    r"best Python tool": "its name and version",
    r"((compiles?|compiled|all|the) )?loops (of|are|that|in)": "compiled methods",
}
# Pages that explain words of the code, or write about code.
OF_CODE = {"write_a_loop.md"}
PAGES = [
    HOME / "README.md",
    *(DOCS / f"{name}.md" for name in ("index", "install", "faq")),
    *sorted((DOCS / "tutorials").glob("*.md")),
    *sorted((DOCS / "how_to").glob("*.md")),
]
ASKED = (
    "solve people.csv --drop name --sensitive disease --k 2 --l 2 --out a.csv",
    "solve people.csv --drop name,disease --k 2 --objective tuples",
    "solve people.csv --drop name,disease --k 2 --recoding generalization",
    "solve people.csv --drop name,disease --k 2 --recoding nonhomogeneous",
    "solve people.csv --drop name,disease --k 2 --weights age=2",
    "verify a.csv --drop name --sensitive disease --k 2 --original people.csv",
    "bound people.csv --drop name,disease --k 2",
    "frontier people.csv --drop name,disease --k 2",
    "accuracy-constrained people.csv --drop name,disease --max-loss 0.5",
    "risk people.csv --drop name,disease",
    "hierarchy people.csv age --ranges 10",
)


def refused_in(text: str) -> list[str]:
    """The refused words of a text, without what is code or in parentheses."""
    text = re.sub(
        r"^```.*?^```$|`[^`]*`|\]\([^)]*\)|<!--.*?-->", "", text, flags=re.M | re.S
    )
    text = re.sub(r"^    .*$", "", text, flags=re.M)
    text = re.sub(r"\([^()]*\)", "", text)
    found = re.finditer(rf"(?<![\w./-])({'|'.join(REFUSED)})(?![\w-])", text)
    return [match[0] for match in found]


def test_refused_words_are_found():
    text = (
        "Its QI are 3 nodes (`nodes`, a row type), not `--near patterns`; no looping."
    )
    assert refused_in(text) == ["QI", "nodes"]


def test_help_has_no_words_of_the_code():
    script = runpy.run_path(str(DOCS / "site" / "declared_options.py"))
    seen = 0
    for line, parser in script["declared"]():
        for text in script["texts"](parser):
            assert not refused_in(text), (line, text)
            seen += 1
    assert seen > 300


def test_printed_lines_have_no_words_of_the_code(
    tmp_path, monkeypatch, capsys, jobs_here
):
    (tmp_path / "people.csv").write_text((DOCS / "tutorials/people.csv").read_text())
    monkeypatch.chdir(tmp_path)
    for line in ASKED:
        monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
        code = main()
        out, err = capsys.readouterr()
        assert code == 0 and out, (line, err)
        assert not refused_in(out.replace("`", "'") + err), (line, out, err)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages_for_readers_have_no_words_of_the_code(page):
    if page.name not in OF_CODE:
        assert not refused_in(page.read_text())


OF_METHODS = re.compile(r"\b(QIs?|[Rr]ow\s+types?|[Ii]ncidences?|reach(?=  ))\b")


@pytest.mark.parametrize("name", METHODS)
def test_what_is_said_of_a_method_has_no_words_of_the_code(name):
    """Names of options and of modules stay, and what is in backquotes."""
    told = describe_fully(METHODS[name])
    said = "\n".join([told["guarantee"], told["reach"], told["docstring"]])
    said = re.sub(r"``[^`]*``|^ *(>>>|\.\.\.) .*$", "", said, flags=re.M)
    assert not OF_METHODS.findall(said)
    assert "\nfinishes up to  " in page(METHODS[name])


def test_the_table_of_methods_has_no_words_of_the_code(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["starmin", "methods"])
    assert main() == 0
    said = capsys.readouterr().out
    head, *rows = said.splitlines()
    assert head.split("\t")[-1] == "finishes up to" and len(rows) > 60
    assert not OF_METHODS.findall(said) and not refused_in("\n".join(rows))


def test_pages_of_programs_beside_the_methods_have_no_words_of_the_code(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "site"))
    parts = import_module("method_pages").parts()
    assert len(parts) > 15
    for target in parts:
        function = getattr(import_module(target), target.rpartition(".")[2])
        said = inspect.getdoc(function) or ""
        said = re.sub(r"``[^`]*``|^ *(>>>|\.\.\.) .*$", "", said, flags=re.M)
        assert not OF_METHODS.findall(said), target
