"""starmin publish: from a table and its settings file to all that is filed away."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

from starmin.commands.audit import audit
from starmin.commands.solve import solve
from starmin.commands.verify import verify
from starmin.inputs import options
from starmin.inputs.declared import option
from starmin.inputs.loading import load_file
from starmin.inputs.roles import Roles, separator
from starmin.instances import NotSupportedError, Table, TableError
from starmin.instances.io.atomic import is_stream
from starmin.instances.tables.names import counted
from starmin.process.faults import BAD_INPUT, BUG, NO, UNKNOWN
from starmin.process.say import answers_alone, say, say_kept, show_lines
from starmin.recipes.changes import changes, earlier_table
from starmin.recipes.recipe import COLUMNS, Recipe, line_of
from starmin.recipes.told import filled, stem_of

EXAMPLES = (
    "starmin new june.csv --sensitive hospital --out june.toml",
    "starmin publish june.csv --recipe june.toml",
    "starmin publish july.csv --recipe june.toml",
)
_WORSE = (0, UNKNOWN, NO, BAD_INPUT, BUG)  # exit codes, the worst one last
_SECONDS = 60.0  # of each inference of the audit
_SAME = 0.8  # of the values: a column that has them may be another one, renamed


def publish(
    table: options.TableArg,
    *,
    recipe: Annotated[
        Path,
        option("--recipe FILE.toml", "The settings, as `starmin new` proposes them."),
    ],
    quiet: options.Quiet = False,
) -> int:
    """Check, solve, verify, audit and report, with one settings file.

    Each step says one line. First the columns of the table are held against those of
    the settings: what is missing, was renamed, or is not named there is told, and
    nothing is published. Then the release, its proof and a report are written, where
    the settings say so; by default beside one another, named by the table. They are
    checked as `starmin verify` and `starmin audit` do. The exit code is that of the
    step that went worst.
    """
    settings = Recipe.read(recipe)
    files = _files(settings, table)
    _check(table, settings)
    told = {name: files[name] for name in files if name not in settings.told}
    code, lines = _called(solve, table=table, recipe=recipe, quiet=quiet, **told)
    say_kept()
    out, proof = files["out"], files["certificate"]
    if code or not out.exists():
        why = lines.get("reason") or lines.get("status", "no release was written")
        return _step("solved", f"no: {why}", code or BUG)
    parts = lines["release"].split("; ")
    lost = next((each for each in parts if each.endswith("lost")), parts[0])
    codes = [_step("solved", f"{out}: {lost}; {lines['status']}")]
    if lines.get("advice"):
        _step("advice", lines["advice"])
    proven = {"certificate": proof} if f"certificate: {proof}" in lines["wrote"] else {}
    asked = {"recipe": recipe, "original": table, "quiet": quiet}
    code, lines = _called(verify, release=str(out), **asked, **proven)
    parts = ["what was asked holds", f"each cell is true to {table}"]
    parts.append("the proof is right" if proven else "there is no proof")
    failing = (lines.get(each) for each in ("holds", "cells", "proof"))
    said = ", ".join(parts) if not code else "; ".join(filter(None, failing))
    codes.append(_step("verified", said, code))
    codes.append(_audited(out, asked))
    _step("report", f"{files['report']}; keep it, {table} and {proof} to yourself")
    return max(codes, key=_WORSE.index)


def _step(label: str, said: str, code: int = 0) -> int:
    """Say what became of a step, and return its exit code."""
    show_lines([(label, said)])
    return code


def _heard(command: Callable[..., int], **given: Any) -> tuple[int, str]:
    """Call a command; return its exit code and what it answers."""
    heard = StringIO()
    with redirect_stdout(heard), answers_alone():
        code = command(**given)
    return code, heard.getvalue()


def _called(command: Callable[..., int], **given: Any) -> tuple[int, dict[str, str]]:
    """Call a command; return its exit code, and what it says, by label."""
    code, heard = _heard(command, **given)
    lines = dict[str, str]()
    for line in heard.splitlines():
        label, said = line[:9].strip(), line[10:]
        lines[label] = f"{lines[label]}\n{said}" if label in lines else said
    return code, {"wrote": ""} | lines


def _audited(out: Path, asked: Mapping[str, Any]) -> int:
    """Audit a release, and say what it tells beyond what is published."""
    given = {**asked, "releases": [str(out)], "time_limit": _SECONDS}
    try:
        _, heard = _heard(audit, **given, as_json=True)
    except (TableError, NotSupportedError) as error:
        return _step("audited", f"no: {error}", UNKNOWN)
    found = [each for each in json.loads(heard).values() if each]
    most = {
        name: max((each.get(name) or 0 for each in found), default=0)
        for name in ("pinned", "certain", "above")
    }
    words = {
        "pinned": (
            "hidden cell has one value left",
            "hidden cells have one value left",
        ),
        "certain": ("sensitive value is certain", "sensitive values are certain"),
        "above": ("guess is surer than was asked", "guesses are surer than was asked"),
    }
    parts = [counted(n, *words[name]) for name, n in most.items() if n]
    nothing = "it tells nothing beyond what is published"
    return _step("audited", "; ".join(parts) or nothing)


# What is checked before anything is searched.


def _check(source: str, settings: Recipe) -> None:
    """Hold a table against its settings.

    Raises TableError where its columns are not those of the settings, after a line for
    each thing that is otherwise.
    """
    path, told = settings.path, settings.told
    if told.get("stream") or Path(source).is_dir():
        raise TableError(
            f"{source}: publish reads a table as a whole; for one that is read in "
            "batches call solve and verify"
        )
    roles = Roles(
        sep=separator(told.get("sep")),
        encoding=told.get("encoding"),
        sheet=told.get("sheet"),
        sets=told.get("sets", {}),
    )
    table = load_file(source, roles).table
    named = {*settings.columns, *_named(told)}
    lacking = [c for c in settings.columns if c not in table.names]
    new = [c for c in table.names if c not in named and "qi" in told]
    if lacking or new:
        before, earlier = None, told.get("earlier")
        if earlier is not None:
            before = earlier_table(source, earlier, roles)
        before = before if isinstance(before, Table) else None
        for column in lacking:
            place = line_of(settings.text, COLUMNS, column)
            say(f"no column {column!r}, which {path} names in line {place}")
        for column in new:
            was = _former(column, table, lacking, before)
            why = f"is {was!r} under another name, it seems" if was else "is new"
            say(f"column {column!r} {why}; {path} does not say what it is")
        for line in () if before is None else changes(table, before):
            if not line.startswith("no column"):
                say(f"beside {earlier}: {line}")
        raise TableError(
            f"{source}: its columns are not those of {path}; rename them, or mend "
            f"[{COLUMNS}] there. Nothing is published"
        )
    size = f"{counted(table.n, 'row')} by {counted(len(table.names), 'column')}"
    _step("checked", f"{source}: {size}, all named in {path}")


def _former(
    column: str, table: Table, lacking: list[str], before: Table | None
) -> str | None:
    """Return the missing column of which this one is another name, perhaps."""
    for other in lacking if before is not None else ():
        if before is None or other not in before.names:
            continue
        here, there = (
            {*t.used().dictionary(c)} for t, c in ((table, column), (before, other))
        )
        if len(here & there) >= _SAME * min(len(here), len(there)):
            return other
    return next(iter(get_close_matches(column, lacking, 1)), None)


def _named(told: Mapping[str, Any]) -> Iterator[str]:
    """Return all texts of settings that may be names of columns."""
    for value in told.values():
        if isinstance(value, str):
            yield from value.split(",")
        elif isinstance(value, tuple | dict):
            yield from value


def _files(settings: Recipe, source: str) -> dict[str, Path]:
    """Return where the release, its proof and the report are written."""
    told, stem = filled(settings.told, source), stem_of(source)
    out = told.get("out", Path(f"{stem}.public.csv"))
    files = {
        "out": out,
        "certificate": out.with_name(f"{stem}.proof.json"),
        "report": out.with_name(f"{stem}.report.html"),
    }
    files |= {name: told[name] for name in files if name in told}
    for name, path in files.items():
        if is_stream(path):
            settings.refuse(*settings.place_of(name), why="publish needs a file")
    return files
