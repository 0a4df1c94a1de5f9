"""The files that solve writes."""

import csv
import html
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from starmin.inputs.loading import load_file
from starmin.inputs.roles import INSTANCE, Roles
from starmin.inputs.solve_options import OutputOptions
from starmin.instances import (
    Certificate,
    Partition,
    Problem,
    Progress,
    Result,
    Table,
    TableError,
    check_format,
    check_writable,
    group_by,
    write_table,
)
from starmin.instances.errors import expect_extra
from starmin.instances.io.atomic import is_stdout, is_stream
from starmin.instances.streams.write_parts import is_folder_name
from starmin.instances.tables.random_orders import secret_order
from starmin.outputs.recodings import Published
from starmin.process.say import say
from starmin.process.steps import Steps, save, spare_of, write_file
from starmin.recipes.changes import blank_counts
from starmin.recipes.recipe import Recipe
from starmin.recipes.told import TABLE, filled

HEADER = ("seconds", "value", "lower_bound", "running")


class Trajectory:
    """Listens to a search; a point for each improvement of value or bound.

    Seconds are those of the search: what it takes to start, to read the table and to
    write is no part of it.

    >>> seen = Trajectory()
    >>> for at, value in ((0.1, 9), (0.2, 9), (0.4, 7)):
    ...     seen(Progress(at, value, 5, None, "auto"))
    >>> [(point.seconds, point.value) for point in seen.points]
    [(0.1, 9), (0.4, 7)]
    """

    def __init__(self) -> None:
        self.points: list[Progress] = []

    def __call__(self, progress: Progress) -> None:
        """Keep a point where something improved."""
        found = progress.value, progress.lower_bound
        last = [(p.value, p.lower_bound) for p in self.points[-1:]]
        if found not in [(None, None), *last]:
            self.points.append(progress)

    def end(self, found: Result[Any]) -> None:
        """Add what the result says, where that is more than was told."""
        self(Progress(found.runtime, found.value, found.lower_bound, None, "end"))

    def text(self, problem: Problem) -> str:
        """Return a line for each point; costs are in the unit of ``--json``."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(HEADER)
        for point in self.points:
            costs = [
                "" if cost is None else problem.shown(cost)
                for cost in (point.value, point.lower_bound)
            ]
            writer.writerow([f"{point.seconds:.4f}", *costs, point.running])
        return text.getvalue()


# Of options named otherwise.
_LABELS = {"recipe": "save-recipe", "report_public": "report-public"}


@dataclass(frozen=True)
class Outputs:
    """The files that a command is to write; None: not asked for."""

    out: Path | None = None  # the release
    groups: Path | None = None  # the group of each row of the release
    certificate: Path | None = None  # the proof of the bound
    result: Path | None = None  # the JSON object
    export: Path | None = None  # the model, written by the method
    report: Path | None = None  # the page
    report_public: Path | None = None  # the page that may be published
    trajectory: Path | None = None  # value and bound by seconds
    mapping: Path | None = None  # what each value became
    beside: tuple[Path, ...] = ()  # further files of the release
    recipe: Path | None = None  # the settings

    @classmethod
    def of(
        cls, told: OutputOptions, beside: tuple[Path, ...], read: Path | None
    ) -> "Outputs":
        """Return what is to be written, as the options name it.

        Where a report is written so are the settings, beside it, but never over the
        file ``read`` that they were read from. ``beside`` are further files of the
        release.
        """
        recipe = told.save_recipe
        if recipe is None and told.report is not None:
            recipe = told.report.with_suffix(".recipe.toml")
            if is_stream(told.report) or (
                read is not None and recipe.resolve() == read.resolve()
            ):
                recipe = None
        files = told.out, told.groups, told.certificate, told.result
        pages = told.export, told.report, told.report_public, told.trajectory
        return cls(*files, *pages, told.mapping, beside, recipe)

    def named(self) -> dict[str, Path]:
        """Return the options that name a file, and the files."""
        files = vars(self).items()
        options = {
            f"--{_LABELS.get(k, k)}": path
            for k, path in files
            if isinstance(path, Path)
        }
        return options | {f"--out, {path.name}": path for path in self.beside}

    def check(self, *inputs: str, in_batches: bool = False) -> None:
        """Raise TableError where a file could not be written or is used twice.

        A release that is written in batches may be a folder.
        """
        pages = {"--report": self.report, "--report-public": self.report_public}
        for option in (option for option, path in pages.items() if path is not None):
            expect_extra("report", option)
        taken = {Path(name).resolve(): "is read by this command" for name in inputs}
        stdout = None
        if self.beside and self.out and is_stream(self.out):
            raise TableError(f"--out: {self.out}: this recoding needs files")
        for option, path in self.named().items():
            if option == "--out" and in_batches and is_folder_name(path):
                continue
            check_writable(path)
            if option in ("--out", "--groups"):
                check_format(path)
            if is_stdout(path):
                if stdout is not None:
                    raise TableError(
                        f"{option}: {path} has {stdout} already; name a file for one"
                    )
                stdout = option
            if is_stream(path):
                continue
            if use := taken.get(path.resolve()):
                raise TableError(f"{option}: {path} {use}; name another file")
            taken[path.resolve()] = f"is written as {option}"

    def publish(
        self,
        release: Published,
        order: npt.NDArray[np.integer] | None,
        roles: Roles,
        steps: Steps,
    ) -> Path | None:
        """Write the release and its groups, as its table is written, or as plain CSV.

        ``order`` has the rows in the order in which they are written; None: as they
        are. ``roles`` have the form of the original. Returns where the release is; None
        where it is not asked for or cannot be written.
        """

        def write(what: str, table: Table, path: Path) -> Path | None:
            as_told, plainly = partial(roles.write, table), partial(write_table, table)
            return save(what, path, as_told, plainly, steps)

        out = self.out
        tables: dict[str, Table] = {}
        if out is not None:
            with steps.step("the release"):
                tables = release.tables(order)
        if out is not None and not tables:
            out = None
            self.save_groups(release.groups, steps)
        for suffix, table in tables.items():
            path = Path(f"{out or self.out}{suffix}")
            saved = write("out", table, path)
            out = out if suffix else saved
        if self.groups is not None and release.groups is not None:
            with steps.step("groups"):
                groups = release.groups if order is None else release.groups[order]
                write("groups", group_table(groups), self.groups)
        return out

    def save_groups(self, groups: npt.NDArray[np.integer] | None, steps: Steps) -> None:
        """Save the groups alone, where no release can be made of what was found."""
        if self.out is None or groups is None:
            return
        path = spare_of(self.out.with_name(f"{self.out.name}.groups"))
        with steps.step("groups", path):
            write_table(group_table(groups), path)
            steps.fail(f"--out: the group of each row is saved as {path}")

    def certify(self, certificate: Certificate | None, steps: Steps) -> None:
        """Write the certificate, if it is asked for; say so where there is none."""
        path = self.certificate
        if path is not None and certificate is not None:
            with steps.step("certificate", path):
                certificate.write(path)
        elif path is not None:
            say(
                f"warning: --certificate: {path} is not written: there is no bound "
                "with a proof for this problem"
            )

    def write(self, steps: Steps, **texts: Callable[[], str]) -> None:
        """Write what is asked for of these texts, each by the name of its file."""
        for name, text in texts.items():
            what, errors = name, "strict"
            if name in ("report", "report_public"):
                what, errors = "report", "replace"
            write_text(getattr(self, name), text, steps, what, errors)

    def write_trajectory(
        self,
        seen: Trajectory | None,
        found: Result[Any],
        problem: Problem,
        steps: Steps,
    ) -> None:
        """Write value and bound by seconds, if they are asked for, and so were seen."""
        if seen is not None:
            seen.end(found)
            write_text(self.trajectory, lambda: seen.text(problem), steps, "trajectory")


def write_text(
    path: Path | None,
    text: Callable[[], str],
    steps: Steps,
    what: str,
    errors: str = "strict",
) -> None:
    """Write a text in a step of that name; nothing where no file is asked for."""
    if path is not None:
        with steps.step(what, path):
            said = text().encode(errors=errors)
            write_file(path, said)


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Write columns of rows as CSV; what a row lacks is empty."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_lines(content: Any) -> str:
    """Write an object as JSON that people can read."""
    return json.dumps(content, indent=1) + "\n"


def mapping_text(original: Table, released: Table) -> str:
    """Write what each value of an original became in its release, row by row.

    An empty text is a missing value or an empty cell.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("column", "value", "published", "rows"))
    for column in original.qi:
        codes = original.column(column), released.column(column)
        texts = original.dictionary(column), released.dictionary(column)
        pairs, rows = group_by(codes), Counter[Any]()
        for row, n in zip(pairs.first, pairs.counts, strict=True):
            before, after = codes[0][row], codes[1][row]
            rows[texts[0][before] or "", texts[1][after] or ""] += int(n)
        writer.writerows((column, *both, n) for both, n in rows.items())
    return text.getvalue()


def row_order(
    n: int, shuffle: bool, seed: int | None
) -> npt.NDArray[np.integer] | None:
    """Return the order in which rows are published; None: as they are.

    A seed, which is for tests, is warned of: it tells whatever is drawn to hide people.
    """
    if seed is not None:
        say(
            "warning: --shuffle-seed: whoever knows the seed puts the rows back in "
            "order; leave it out of what is published"
        )
    return secret_order(n, seed) if shuffle else None


def group_table(rows: npt.NDArray[np.integer]) -> Table:
    """Return the group of each row as a table, numbered as they first occur.

    >>> group_table(np.array([4, 0, 4])).rows()
    [('1',), ('2',), ('1',)]
    """
    partition = Partition.from_labels(rows).by_first_rows()
    labels = tuple(str(group + 1) for group in range(partition.size))
    return Table(("group",), partition.groups[np.newaxis], (labels,), ("group",))


# Files of an earlier run that a settings file names again, for another table.


def expect_same_table(
    outputs: Outputs, recipe: Path, problem: Problem, source: str, roles: Roles
) -> None:
    """Raise TableError where a file that a settings file names is of another table.

    A release is one of this table where it has as many rows, and no value more often
    than the table; in whatever order. A proof, a page or a JSON object names its table;
    of groups nothing but their number is known. What the command line itself names is
    not looked at. ``source`` is how the table was named.
    """
    read, names = Recipe.read(recipe), vars(outputs)
    told = filled({k: v for k, v in read.told.items() if k in names}, source)
    for name in ("out", "groups", "certificate", "result", "report"):
        path = names[name]
        if path is None or path != told.get(name):
            continue
        of_it = not (path.is_file() or path.is_dir())
        with suppress(OSError, ValueError):  # it is no file of this kind
            of_it = of_it or _is_of(name, path, problem, source, roles)
        if not of_it:
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
    if released is None or released.n > table.n:
        return False
    if released.n < table.n and not deletes:
        return False
    asked = problem.requirement.columns  # ids may be numbered anew
    common = [c for c in released.names if c in table.names and c not in asked]
    star, coarse = problem.coding.star, {*problem.ranged, *problem.table.floors}
    for column in common:
        before, after = (blank_counts(t, column) for t in (table, released))
        if column in table.qi:
            after.pop(star, None)
        for text, many in after.items():
            # A range or a category is no value of the table.
            if many > before.get(text, many if column in coarse else 0):
                return False
    return bool(common)


def _read(path: Path, roles: Roles) -> Table | None:
    """Read a file as the table is read; None where it is none."""
    try:
        return load_file(str(path), roles.reading).table
    except TableError:
        return None


def _is_of(name: str, path: Path, problem: Problem, source: str, roles: Roles) -> bool:
    """Check whether a file that is there for an output is of this table."""
    table = problem.table
    if name == "out":
        return _releases(path, problem, roles)
    if name == "groups":
        kept = _read(path, roles)
        deletes = problem.requirement.may_delete
        return kept is not None and (kept.n == table.n or deletes)
    if name == "certificate":
        stated = Certificate.read(path).table
        return (stated.get("name"), stated.get("n")) == (table.name, table.n)
    if name == "result":
        told = json.loads(path.read_text(encoding="utf-8"))
        named = told if isinstance(told, dict) else {}
        return (named.get("table"), named.get("n")) == (source, table.n)
    shown = source if source.startswith(INSTANCE) else Path(source).name
    title = f"<title>Release of {html.escape(shown)}</title>"
    return title in path.read_text(encoding="utf-8", errors="replace")
