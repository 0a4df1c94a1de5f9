r"""Writes the pages of results from the rows that are kept of them.

    python docs/site/results_pages.py [NAME ..]

``docs/site/results/NAME.toml`` has the question, the answer with names of numbers, and
the tables; ``docs/data`` has the rows, and ``stamps.json`` when and on what they were
measured. All pages have one form: question, answer, picture, at most fifteen rows, a
CSV of all rows, stamp, command. A table with ``across`` has a line for each value of
its column ``rows``, and a column for each value of ``across``.
"""

import argparse
import json
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kept_numbers import matching, number_of, value
from kept_rows import STAMPS, Row, read_rows, shown

SPECS = Path(__file__).parent / "results"
PAGES = Path(__file__).parents[1] / "results"
MOST = 15  # rows of a table
INDEX = """
# Results

For whom: you want to know what was measured. You get: a question and its answer a \
page, each with its rows, a file of all rows, when and on what they were measured, and \
the command that measures them again.

How it is measured: whole commands, from the file that is read to the files that are \
written, on two cores. Where a search makes random choices there are several seeds: \
their median and the worst. Every release is recounted from its cells by code that \
shares nothing with the search. *Certified* or *proven* is what `starmin verify` \
proves again from the certificate, without a solver. DATA is a folder with the public \
tables.
"""


def spec_of(name: str) -> dict[str, Any]:
    """What is said of a page."""
    return tomllib.loads((SPECS / f"{name}.toml").read_text("utf-8"))


def names() -> list[str]:
    """The pages."""
    return sorted(path.stem for path in SPECS.glob("*.toml"))


def page(name: str) -> str:
    """The whole page."""
    spec = spec_of(name)
    numbers = numbers_of(spec)
    parts = [f"# {spec['title']}", f"**Question.** {spec['question'].strip()}"]
    parts.append(f"**Answer.** {answer_of(spec)}")
    if picture := spec.get("picture"):
        parts.append(f"![{picture['caption'].format(**numbers)}]({picture['file']})")
    for table in spec["tables"]:
        if heading := table.get("heading"):
            parts.append(f"## {heading}")
        parts += section(table)
    if note := spec.get("note"):
        parts += ["## How to read it", note.strip().format(**numbers)]
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """The page of all questions and answers."""
    parts = [INDEX.strip()]
    for name in names():
        spec = spec_of(name)
        head, question = spec["title"], spec["question"].strip()
        parts.append(f"**[{head}]({name}.md).** {question} {answer_of(spec)}")
    return "\n\n".join(parts) + "\n"


def answer_of(spec: dict[str, Any]) -> str:
    """The answer, with its numbers."""
    return str(spec["answer"]).strip().format(**numbers_of(spec))


def numbers_of(spec: dict[str, Any]) -> dict[str, str]:
    """The numbers of a page, by name."""
    return {key: number_of(asked) for key, asked in spec.get("numbers", {}).items()}


def section(table: dict[str, Any]) -> Iterator[str]:
    """A table with its rows, its CSV, its stamp and its command."""
    every = read_rows(table["data"])
    rows = matching(every, table.get("show", {}))
    if words := table.get("words"):
        yield words.strip()
    if "across" in table:
        wide = across(rows, *(table[word] for word in ("rows", "across", "value")))
        yield markdown(wide[:MOST], list(wide[0]), table.get("head", ""))
    elif rows:
        rows = rows[:MOST]
        yield markdown(rows, table.get("columns") or list(every[0]))
    link = f"[CSV](../data/{table['data']}.csv)"
    few = f"{len(rows)} of {len(every)} rows" if len(rows) < len(every) else "All rows"
    whole = "; all are in this" if len(rows) < len(every) else " are in this"
    yield f"{few}{whole} {link}. {stamp_of(table)} By"
    yield f"    {table['command']}\n    python docs/site/results_pages.py"


def across(rows: list[Row], key: str, column: str, value: str) -> list[Row]:
    """Rows with a key, whose cells stand beside each other by another column."""
    heads = dict.fromkeys(row[column] for row in rows)
    found: dict[str, Row] = {}
    for row in rows:
        empty = {key: row[key]} | dict.fromkeys(heads, "-")
        found.setdefault(row[key], empty)[row[column]] = row[value]
    return [*found.values()]


def markdown(rows: list[Row], columns: list[str], head: str = "") -> str:
    """A table of Markdown; its first column may have another head."""
    heads = [head or columns[0], *columns[1:]]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(columns) + "|"]
    lines += [f"| {' | '.join(shown(row[c]) for c in columns)} |" for row in rows]
    return "\n".join(lines)


def stamp_of(table: dict[str, Any]) -> str:
    """When, with what and on what; the seconds that the rows took together."""
    kept = json.loads(STAMPS.read_text("utf-8"))[table["data"]]
    words = f"Version {kept['version']}, until {kept['date']}, {kept['machine']}"
    took = f"; about {kept['seconds']:,} s in all" if "seconds" in kept else ""
    return f"{words}{took}."


def add_seconds(tables: Iterable[dict[str, Any]]) -> None:
    """Put into the stamps what the rows took together, where they say it."""
    stamps = json.loads(STAMPS.read_text("utf-8"))
    for table in tables:
        if column := table.get("seconds"):
            took = 0.0
            for row in read_rows(table["data"]):
                runs = row[table["runs"]].count(",") + 1 if "runs" in table else 1
                took += value(row[column]) * runs
            stamps[table["data"]]["seconds"] = round(took)
    STAMPS.write_text(json.dumps(stamps, indent=1, sort_keys=True) + "\n", "utf-8")


def main() -> None:
    """Write the pages that are named; all, if none is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="of pages")
    for name in parser.parse_args().names or names():
        add_seconds(spec_of(name)["tables"])
        (PAGES / f"{name}.md").write_text(page(name), "utf-8")
    (PAGES / "index.md").write_text(index(), "utf-8")


if __name__ == "__main__":
    main()
