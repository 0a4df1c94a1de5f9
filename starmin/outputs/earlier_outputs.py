"""Files of an earlier run that a settings file names again, for another table."""

import html
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from starmin.inputs.roles import INSTANCE, Roles
from starmin.inputs.tables.loading import load_file
from starmin.instances import Certificate, Problem, Table, TableError
from starmin.instances.arrays import Ints
from starmin.outputs.files import Outputs
from starmin.recipes.output_names import TABLE, filled
from starmin.recipes.recipe import Recipe


def expect_same_table(
    outputs: Outputs, recipe: Path, problem: Problem, source: str, roles: Roles
) -> None:
    """Raise TableError where a file that a settings file names is of another table.

    A release is one of this table where it has as many rows, and no value more often
    than the table; in whatever order. A proof, a page or a JSON object names its table;
    of groups nothing but their number is known. Of the outputs, what the command line
    names itself is not looked at. ``source`` is how the table was named, and ``roles``
    say how its files are read.
    """
    read, names = Recipe.read(recipe), vars(outputs)
    told = filled({k: v for k, v in read.told.items() if k in names}, source)
    checks: dict[str, Callable[[Path], bool]] = {
        "out": lambda path: _releases(path, problem, roles),
        "groups": lambda path: _groups(path, problem, roles),
        "certificate": lambda path: _proves(path, problem.table),
        "result": lambda path: _tells(path, source, problem.table),
        "report": lambda path: _shows(path, source),
    }
    for name, is_same in checks.items():
        path = names[name]
        if path is None or path != told.get(name) or not path.exists():
            continue
        if (path.is_file() or path.is_dir()) and not is_same(path):
            read.refuse(
                *read.place_of(name),
                why=f"{path} is there, and not of {source}; put {TABLE} in its name, "
                f"name another file (--{name}), or have it replaced (--overwrite)",
            )


def _releases(path: Path, problem: Problem, roles: Roles) -> bool:
    """Check whether a file may hold a release of a table."""
    table, deletes = problem.original, problem.requirement.may_delete
    if table.counts is not None or path.is_dir():
        return False  # rows in batches are not compared
    released = _read(path, roles)
    if released is None:
        return False
    if released.n > table.n or (released.n < table.n and not deletes):
        return False
    asked = problem.requirement.columns  # ids may be numbered anew
    common = [c for c in released.names if c in table.names and c not in asked]
    star, coarse = problem.coding.star, {*problem.ranged, *problem.table.floors}
    for column in common:
        before, after = _counts(table, column), _counts(released, column)
        if column in table.qi:
            after.pop(star, None)
        for text, many in after.items():
            # A range or a category is no value of the table.
            if many > before.get(text, many if column in coarse else 0):
                return False
    return bool(common)


def _groups(path: Path, problem: Problem, roles: Roles) -> bool:
    """Check whether a file may have the groups of a release of a table."""
    kept = _read(path, roles)
    return kept is not None and (
        kept.n == problem.table.n or problem.requirement.may_delete
    )


def _read(path: Path, roles: Roles) -> Table | None:
    """Read a file as the table is read; None where it is none."""
    try:
        return load_file(str(path), roles.reading).table
    except TableError:
        return None


def _counts(table: Table, column: str) -> dict[str, int]:
    """Count the texts of a column; a missing one is an empty cell."""
    texts = table.dictionary(column)
    counts: Ints = np.bincount(table.column(column), minlength=len(texts))
    found = dict[str, int]()
    for text, many in zip(texts, counts.tolist(), strict=True):
        if many:
            found[text or ""] = found.get(text or "", 0) + many
    return found


def _proves(path: Path, table: Table) -> bool:
    """Check whether a file is a certificate for a table of this name and size."""
    try:
        stated = Certificate.read(path).table
    except TableError:
        return False
    return (stated.get("name"), stated.get("n")) == (table.name, table.n)


def _tells(path: Path, source: str, table: Table) -> bool:
    """Check whether a file is the JSON object of a run on this table."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    told = content if isinstance(content, dict) else {}
    return (told.get("table"), told.get("n")) == (source, table.n)


def _shows(path: Path, source: str) -> bool:
    """Check whether a file is a page on a release of this table."""
    try:
        page = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    name = source if source.startswith(INSTANCE) else Path(source).name
    return f"<title>Release of {html.escape(name)}</title>" in page
