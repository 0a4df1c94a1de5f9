"""Tests that commands say what they said, byte for byte.

Each file in ``golden`` is a session of commands, called in turn in a folder with the
files of ``cases``. ``$`` is a command, or ``cat`` of a file; ``>`` what it prints,
``!`` what it tells on stderr, ``=`` an exit code other than 0, and a backslash an end
without a line break. What differs by machine is masked. ``python -m tests.golden
--renew`` keeps what commands say now, and shows the difference.
"""

import os
import re
import shlex
from difflib import unified_diff
from importlib.metadata import version
from pathlib import Path
from shutil import copytree

import pytest

from tests.support.places import CASES, TESTS

pytestmark = pytest.mark.usefixtures("undrawn")

SESSIONS = sorted((TESTS / "golden").glob("*.txt"))
MASKS = [
    (re.compile(r"\d+\.\d (?=s\)|seconds\.)"), "# "),
    (re.compile(r'"(\w*integral|\w*seconds|runtime)": [\d.e-]+'), r'"\1": "#"'),
    (re.compile(r'"trajectory": \[\[.*?\]\]'), '"trajectory": "#"'),
    (re.compile(r"\t\d+\.\d(?=\t(ok|refused))"), "\t#"),  # seconds of `gap`
    (re.compile(r"(\.\d{9})\d+"), r"\1"),  # processors round the last digits
    # The boxes of --help, which are as wide as a terminal.
    (re.compile(r"(?<=\S) {2,}(?=.*│$)", re.M), " "),
    (re.compile(r" *(─+╮|│| {9,})$|^> ╰─+╯\n", re.M), ""),
    (re.compile(r".*compiles methods that were not called before.*\n"), ""),
]

PAGE = [
    (re.compile(r"<(style|script|svg).*?</\1>", re.S), ""),
    (re.compile(r"<(/tr|/?h\d|/p|/div|/li|/caption|/figcaption)>"), "\0"),
    (re.compile(r"(<[^>]*>|[ \n])+"), " "),
    (re.compile(r"[\0 ]*\0[\0 ]*"), "\n"),
]


def marked(text: str, mark: str) -> str:
    """Return a text with a mark before each line."""
    lines = "".join(f"{mark} {line}" for line in text.splitlines(keepends=True))
    return lines if lines.endswith("\n") or not lines else f"{lines}\n\\\n"


@pytest.mark.parametrize("file", SESSIONS, ids=[file.stem for file in SESSIONS])
def test_commands_say_what_they_said(file, starmin, jobs_here, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.setattr("typer.rich_utils.FORCE_TERMINAL", None)
    copytree(CASES, ".", dirs_exist_ok=True)
    kept, told = file.read_text(), list[str]()
    for line in re.findall(r"^\$ (.*\n)", kept, re.M):
        name, *words = shlex.split(line)
        called = starmin if name == "starmin" else shown
        code, out, err = called(*words)
        said = marked(out, ">") + marked(err, "!") + f"= {code}\n" * (code != 0)
        told += ["$ ", line, masked(said)]
    now = "".join(told)
    lines = (text.splitlines(keepends=True) for text in (kept, now))
    if difference := "".join(unified_diff(*lines, "kept", "now")):
        if renews := "RENEW" in os.environ:
            file.write_text(now)
        done = "kept anew" if renews else "not as kept (python -m tests.golden --renew)"
        pytest.fail(f"{file.name} is {done}:\n{difference}", pytrace=False)


def shown(name: str) -> tuple[int, str, str]:
    """Print a file, of a page its words."""
    text = Path(name).read_bytes().decode()
    if name.endswith(".html"):
        for pattern, put in PAGE:
            text = pattern.sub(put, text)
    return 0, text, ""


def masked(text: str) -> str:
    """Return what is said without seconds, paths and versions."""
    text = text.replace(str(Path.cwd()), "FOLDER").replace(
        version("starmin"), "VERSION"
    )
    for pattern, put in MASKS:
        text = pattern.sub(put, text)
    return text
