"""Finds the numbers of measurement on pages, and the command that each comes from.

A page is read in blocks: paragraphs, items of a list and tables. A block with a number
of measurement (``31,229 stars``, ``0.77 %``, ``28 seconds``; in a table also plain
numbers, where heads, the heading or the words above say so) names its command, stands
beside a script of benchmarks, or has an entry in ``docs/data/measured_numbers.csv``.
"""

import csv
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

DOCS = Path(__file__).parents[1]
HOME = DOCS.parent
LISTED = DOCS / "data" / "measured_numbers.csv"
STAMPS = "docs/data/stamps.json"
SPECS = DOCS / "site" / "results"  # of the pages of results
ALL = "*"  # an entry for all blocks of a section that have no other one
# Pages without results: what they show is compared by tests that run them, or they
# tell how the program is built.
NO_RESULTS = ("command_line", "contributing", "design", "index")
MEASURED_TOO = tuple(
    f"how_to/{name}.md"
    for name in (
        *("combinations", "every_month", "export_a_model", "floors", "frames"),
        *("hierarchies_and_ranges", "large_tables", "persons", "public_health", "risk"),
    )
)
NUMBER = r"(?<![\w.,-])\d+(?:,\d{3})*(?:\.\d+)?"
UNIT = (
    r"(?:\s(?:per cent|percent|(?:processor )?(?:milli)?seconds?|minutes?|hours?)\b"
    r"|\sstars\b|\s?(?:%|MiB\b|[MG]B\b)|\ss\b)"
)
MEASURED = re.compile(NUMBER + UNIT)
HEAD = re.compile(
    r"\b(stars|seconds?|s|bound|gap|losse?s?|lost|value|optimum|MiB|memory|cost|GCP|NCP"
    r"|certified|exposed)\b|%",
    re.IGNORECASE,
)
SCRIPT = re.compile(r"\b(benchmarks/[\w/]+\.py)([^`\n]*)")
MODULE = re.compile(r"python -m (tests\.\w+[^`\n]*)")
TARGET = re.compile(r"`(make demo)`")
STARMIN = re.compile(r"(?:\$ |`|    )(starmin \w+ [^`\n]*(?:\.csv|instance:)[^`\n]*)")
TESTED = re.compile(r"\btests/([\w/]+\.py)\b")


@dataclass(frozen=True)
class Block:
    """A paragraph, an item of a list, a table or a block of code.

    Attributes
    ----------
    page, heading, line
        Where it stands: a path from the root, the heading above it (empty above the
        first one), the number of its first line.
    text
        Its lines.
    code
        Whether it is code.
    above
        The end of the sentence that announces it with a colon.
    """

    page: str
    heading: str
    line: int
    text: str
    code: bool = False
    above: str = ""

    @property
    def is_table(self) -> bool:
        """Whether it is a table."""
        return self.text.startswith("|")

    @property
    def begins(self) -> str:
        """Its first words, as an entry of the list names them."""
        return " ".join(re.sub(r"[|*`\-]+", " ", self.text).split()[:6])

    def figures(self) -> Iterator[tuple[int, str]]:
        """The numbers of measurement, each with its line."""
        if self.code:
            return
        if not self.is_table:
            for at, line in enumerate(self.text.split("\n")):
                for found in MEASURED.finditer(line):
                    yield self.line + at, found[0]
            return
        rows = [
            (self.line + at, [cell.strip() for cell in line.strip("|").split("|")])
            for at, line in enumerate(self.text.split("\n"))
        ]
        head = rows[0][1]
        said = HEAD.search(f"{head[0]} {self.above} {self.heading}")
        for line, (label, *cells) in rows[2:]:
            every = said or HEAD.search(label)
            for name, cell in zip(head[1:], cells, strict=False):
                plain = re.match(NUMBER, cell) and (every or HEAD.search(name))
                if plain or MEASURED.search(cell):
                    yield line, f"{label}, {name}: {cell}"
            if MEASURED.search(label):
                yield line, label


@dataclass(frozen=True)
class Entry:
    """What the list says of a block, or of all of a section.

    Attributes
    ----------
    page, heading, block
        Which; the block by its first words, or ``*``.
    command
        What makes the numbers, from the root; empty where that is not known.
    store
        What it keeps or writes, if it does.
    reason
        Why there is no command.
    """

    page: str
    heading: str
    block: str
    command: str
    store: str
    reason: str


def blocks_of(page: str) -> list[Block]:
    """The blocks of a page, from the top."""
    found: list[Block] = []
    heading, kept, start, fence = "", list[str](), 0, ""

    def close(code: bool = False) -> None:
        if kept:
            last = found[-1].text if found and found[-1].heading == heading else ""
            above = re.split(r"[.;]\s", last)[-1] if last.endswith(":") else ""
            block = Block(page, heading, start, "\n".join(kept), code, above)
            found.append(block)
            kept.clear()

    for number, line in enumerate((HOME / page).read_text("utf-8").split("\n"), 1):
        if fence:
            if line.startswith(fence):
                close(True)
                fence = ""
            else:
                kept.append(line)
            continue
        if marks := re.match(r"```+|~~~+", line):
            close()
            fence, start = marks[0], number + 1
            continue
        if line.startswith("    ") and not (kept and kept[0][0] in "-|"):
            if kept and not kept[0].startswith("    "):
                close()
            start = start if kept else number
            kept.append(line)
            continue
        if kept and kept[0].startswith("    "):
            close(True)
        if line.startswith("#"):
            close()
            heading = line.lstrip("# ")
        elif not line.strip() or line.startswith("<!--"):
            close()
        else:
            item = re.match(r"- |\d+\. ", line)
            if item or (kept and kept[0].startswith("|") != line.startswith("|")):
                close()
            start = start if kept else number
            kept.append(line)
    close()
    return found


@cache
def listed() -> tuple[Entry, ...]:
    """The entries of the list."""
    with LISTED.open(encoding="utf-8", newline="") as file:
        return tuple(Entry(**row) for row in csv.DictReader(file))


def command_in(text: str, beside: bool = False) -> str:
    """The command that a text names; empty if there is none.

    Parameters
    ----------
    text
        A block.
    beside
        Whether it is only beside the numbers: then it must be a script of benchmarks.
    """
    if found := SCRIPT.search(text):
        return f"python {found[1]}{found[2]}".strip().rstrip(" ),;:.")
    if beside:
        return ""
    if found := MODULE.search(text):
        return f"python -m {found[1]}".strip()
    for kind in (STARMIN, TARGET):
        if found := kind.search(text):
            return found[1].strip()
    return f"pytest tests/{found[1]}" if (found := TESTED.search(text)) else ""


@cache
def generated(page: str) -> Entry | None:
    """What a page of results is made of; None if it is none."""
    path = HOME / page
    names = [path.stem] if path.parent == DOCS / "results" else []
    if names == ["index"]:
        names = sorted(each.stem for each in SPECS.glob("*.toml"))
    specs = [tomllib.loads((SPECS / f"{name}.toml").read_text()) for name in names]
    tables = [table for spec in specs for table in spec["tables"]]
    asked = [number for spec in specs for number in spec.get("numbers", {}).values()]
    files = dict.fromkeys(f"docs/data/{each['data']}.csv" for each in tables + asked)
    if not files:
        return None
    if len(specs) > 1:
        command = "python docs/site/results_pages.py"
    else:
        command = tables[0]["command"]
    return Entry(page, ALL, ALL, command, " ".join([*files, STAMPS]), "")


def entry_of(block: Block) -> Entry | None:
    """The entry of a block: its own, else that of its section, or of several."""
    if made := generated(block.page):
        return made
    return next(
        (
            each
            for wanted in (block.begins, ALL)
            for each in listed()
            if each.page == block.page and each.block == wanted
            if fnmatchcase(block.heading, each.heading)
        ),
        None,
    )


def command_of(at: int, blocks: list[Block]) -> tuple[str, Entry | None]:
    """The command of a block, and the entry of the list that says it.

    The list comes first; then what the block says itself; then a script of benchmarks
    in the block before it or after it, of the same section.
    """
    block = blocks[at]
    if entry := entry_of(block):
        return entry.command, entry
    if command := command_in(block.text):
        return command, None
    near = (blocks[i] for i in (at - 1, at + 1) if 0 <= i < len(blocks))
    texts = (each.text for each in near if each.heading == block.heading)
    found = (command_in(text, beside=True) for text in texts)
    return next(filter(None, found), ""), None


def pages() -> list[str]:
    """The pages that have results, as paths from the root."""
    found = [*DOCS.glob("*.md"), *DOCS.glob("reference/*.md")]
    found += DOCS.glob("explanation/*.md")
    found += [*DOCS.glob("results/**/*.md"), *(DOCS / name for name in MEASURED_TOO)]
    names = sorted(str(p.relative_to(HOME)) for p in found if p.stem not in NO_RESULTS)
    return ["README.md", *names]


def measured() -> Iterator[tuple[Block, tuple[str, Entry | None]]]:
    """All blocks with numbers of measurement, each with its command."""
    for page in pages():
        blocks = blocks_of(page)
        for at, block in enumerate(blocks):
            if any(block.figures()):
                yield block, command_of(at, blocks)
