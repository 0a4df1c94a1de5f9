"""Tests that all console and Python blocks of all pages run, and show what they do.

The blocks of a page run in their order, in one folder and with the same Python names. A
``text`` block directly below one is what that prints, to the letter; seconds are not
compared, and a line ``..`` stands for any lines.
"""

import random
import re
import shlex
import shutil
import sys
from itertools import zip_longest
from pathlib import Path

import pytest

from starmin.cli.app import main
from starmin.instances import Table, write_table
from tests.support.places import HOME

pytestmark = pytest.mark.usefixtures("undrawn")

PEOPLE = HOME / "docs" / "tutorials" / "people.csv"


def write_files(page: str) -> None:
    """Write what the commands of a page read.

    Parameters
    ----------
    page
        The name of its file, without an ending.
    """
    shutil.copy(PEOPLE, "people.csv")
    rng = random.Random(7)
    if page == "persons":
        people = [(str(rng.randint(30, 33)), rng.choice("fm")) for _ in range(30)]
        rows = [[str(p), *people[p], rng.choice("abcdef")] for p in [*range(30)] * 2]
        names = ["patient", "age", "sex", "diagnosis"]
        visits = Table.from_rows(names, rows, ["age", "sex"])
        write_table(visits, "visits.csv")
    elif page == "risk":
        names = ["sex", "age", "zip", "ill", "weight"]
        rows = [
            [
                rng.choice("fm"),
                str(rng.randint(30, 40)),
                rng.choice("12"),
                rng.choice("ab"),
                str(rng.randint(5, 9)),
            ]
            for _ in range(40)
        ]
        write_table(Table.from_rows(names, rows, names[:3]), "people.csv")
    elif page == "combinations":
        page_path = PEOPLE.parents[1] / "how_to/combinations.md"
        texts = re.findall(r"^```text\n(.*?)^```$", page_path.read_text(), re.M | re.S)
        names = "survey.csv", "pairs.csv", "towns.csv", "cities.csv"
        for name, text in zip(names, texts, strict=False):
            Path(name).write_text(text)
    elif page == "files":
        rows = [[str(rng.randint(30, 33)), rng.choice("fm")] for _ in range(40)]
        survey = Table.from_rows(["age", "sex"], rows, qi=["age", "sex"])
        write_table(survey, "survey.sav")


DOCS = HOME / "docs"

# Pages that tests of their own run, mostly since they say more of what comes out.
ELSEWHERE = {
    "README.md": "test_readme.py",
    "CONTRIBUTING.md": "test_contributing.py",
    "docs/explanation/attacks.md": "test_audit.py",
    "docs/reference/certificate.md": "test_docs_promises.py",
    "docs/how_to/export_a_model.md": "test_exchange.py",
    "docs/how_to/extend.md": "test_outside.py",
    "docs/how_to/floors.md": "test_safe_harbour.py",
    "docs/how_to/frames.md": "test_from_python.py",
    "docs/explanation/generalization.md": "test_docs.py",
    "docs/how_to/from_arx.md": "test_from_python.py",
    "docs/how_to/public_health.md": "test_public_health.py",
    "docs/tutorials/notebook.md": "test_docs_promises.py",
    "docs/explanation/security.md": "test_what_is_promised.py",
}
# Commands that no test runs: those of a page that are in no console block.
NOT_RUN = {
    "docs/explanation/boxes.md": "patients.csv is whatever table the reader has",
    "docs/how_to/export_a_model.md": "the solution comes from another solver",
    "docs/how_to/large_tables.md": "a hundred million rows; a cluster",
    "docs/reproduction.md": "four minutes: test_reproduce.py",
    "docs/how_to/from_arx.md": "the release is one of ARX",
    "docs/explanation/generalization.md": "Adult is not shipped",
    "docs/explanation/linkage.md": "the releases are the reader's",
    "docs/explanation/nonhomogeneous.md": "Adult is not shipped",
    "docs/explanation/one_dimensional.md": "people.csv and job.csv are the reader's",
    "docs/how_to/public_health.md": "the answer is no: test_public_health.py",
    "docs/how_to/every_month.md": "may.csv is the reader's: test_new.py",
    "docs/tutorials/in_the_browser.md": "it serves until ended: test_ten_steps.py",
    "docs/how_to/hierarchies_and_ranges.md": "stays.csv is the reader's",
}


def path_of(page: Path) -> str:
    return str(page.relative_to(HOME))


PAGES = [HOME / "README.md", HOME / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def blocks_of(page: Path) -> list[tuple[str, str, str | None]]:
    """The blocks that run: their language, their text, and what they are to show."""
    text = page.read_text()
    fences = [*FENCED.finditer(text)]
    found = []
    for fence, after in zip_longest(fences, fences[1:]):
        if fence[1] not in ("console", "python"):
            continue
        follows = after is not None and after[1] == "text"
        directly = follows and not text[fence.end() : after.start()].strip()
        found.append((fence[1], fence[2], after[2] if directly else None))
    return found


RUN = [page for page in PAGES if path_of(page) not in ELSEWHERE and blocks_of(page)]


def command(line: str, monkeypatch) -> int:
    """Run a line of a console block; its exit code."""
    words = shlex.split(line)
    monkeypatch.setattr(sys, "argv", words)
    if words[0] == "starmin":
        return main()
    raise AssertionError(f"no test can run {line!r}")


def as_pattern(shown: str) -> str:
    """What a shown text matches: other seconds, and any lines where it has dots."""
    lines = []
    for line in shown.splitlines():
        if line.strip() == "..":
            lines.append(r"(?:.*\n)*?")
            continue
        words = re.escape(line.rstrip())
        lines.append(re.sub(r"\d+(?:\\\.\d+)?\\ s\b", r"[\\d.]+ s", words) + r" *\n")
    return "".join(lines)


def expect(shown: str | None, said: str) -> None:
    if shown is not None:
        assert re.fullmatch(as_pattern(shown), said), f"shown:\n{shown}\nsaid:\n{said}"


@pytest.mark.parametrize("page", RUN, ids=path_of)
def test_its_blocks_run_and_show_what_they_say(
    page, tmp_path, monkeypatch, capsys, jobs_here
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "88")
    write_files(page.stem)
    names: dict[str, object] = {"__name__": "page"}
    for language, source, shown in blocks_of(page):
        if language == "python":
            exec(compile(source, page.name, "exec"), names)
            expect(shown, capsys.readouterr().out)
            continue
        within, said = None, ""  # what a block itself shows below a command
        for line in [*source.splitlines(), "$ "]:
            if not line.startswith("$ "):
                within = f"{within or ''}{line}\n"
                continue
            expect(within, said)
            within = None
            if line != "$ ":
                ended = command(line[2:], monkeypatch)
                out, err = capsys.readouterr()
                assert ended == 0, (line, out, err)
                said = out
        expect(shown, said)


def test_pages_that_run_elsewhere_are_named_there():
    for page, test in ELSEWHERE.items():
        (path,) = (HOME / "tests").rglob(test)
        source = path.read_text()
        name = page.removeprefix("docs/").removesuffix(".md")
        assert Path(page).name in source or f'page("{name}")' in source, page


def test_commands_that_no_test_runs_are_in_the_list():
    for page in PAGES:
        text = page.read_text()
        rest = [fence[2] for fence in FENCED.finditer(text) if fence[1] in ("", "text")]
        rest += re.findall(r"(?:^    .*\n)+", FENCED.sub("", text), re.M)
        waits = any(re.search(r"^ *(\$ )?starmin [a-z]", block, re.M) for block in rest)
        named = path_of(page) in NOT_RUN
        assert waits == named, f"{path_of(page)}: commands in no console block: {waits}"


def test_what_is_shown_must_be_what_is_said():
    expect("a  1.5 s\n..\nend\n", "a  0.2 s\nx\ny\nend\n")
    for shown, said in (
        ("4 stars\n", "5 stars\n"),
        ("a\n", "a\nb\n"),
        ("a\nb\n", "a\n"),
    ):
        with pytest.raises(AssertionError):
            expect(shown, said)
