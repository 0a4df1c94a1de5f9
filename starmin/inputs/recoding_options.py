"""How a release is coded, as the command line names it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from starmin.inputs.declared import column_and_form, pairs_of
from starmin.inputs.hierarchy_options import CodedTable, read_trees
from starmin.instances import Coding, Table, TableError
from starmin.instances.arguments import expect_kind, expect_whole, nearest
from starmin.instances.releases.coding import NONHOMOGENEOUS, RecodingName
from starmin.instances.scales.floors import Floors, expect_end
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.node_losses import LOSS_RULES, Loss, Rule, read_own_losses
from starmin.instances.scales.numbers import Width, expect_step
from starmin.instances.tables.names import split_names
from starmin.instances.times.signs import signs_of

Value = TypeVar("Value")


def _no_table() -> CodedTable:
    raise TableError("--hierarchy: a folder or a rule needs a table")


def parse_coding(
    recoding: RecodingName | None,
    star: str,
    numeric: str | None,
    hierarchies: Sequence[str] | None,
    missing: tuple[str | None, ...] = MISSING,
    coded: Callable[[], CodedTable] = _no_table,
) -> Coding:
    """Read the texts of the options.

    What is said of a column by its name goes before what a folder has for it. ``coded``
    reads the table; it is called if a folder is named, or what depends on values.
    Raises TableError for a hierarchy that cannot be read, or two of one column.

    >>> trees = ["pet={tame{cat,dog},rat}"]
    >>> coding = parse_coding("generalization", "*", "age", trees)
    >>> coding.numeric, coding.trees["pet"].leaves
    (('age',), ('cat', 'dog', 'rat'))
    """
    numbers = split_names(numeric or "", "--numeric")
    coding = Coding(recoding, star, numbers, missing=missing)
    if not hierarchies:
        return coding
    trees, files = read_trees(hierarchies, numbers, star, missing, coded)
    return replace(coding, trees=trees, files=files)


def with_limits(coding: Coding, told: Mapping[str, Any]) -> Coding:
    """Return a coding with what options tell of columns, by names of parameters.

    These are forms of times as COLUMN=FORM and, as COLUMN=VALUE,.., steps of rounding,
    widths of ranges, highest levels, and floors: least levels, and the numbers from
    which on (``top``), or up to which (``bottom``), all are alike. The coding tells
    which columns are of numbers or have taxonomies. Raises TableError for a column
    without them, or with a taxonomy where there are to be numbers; for what is no form,
    step, width, level or number; and for a least level above the highest.

    >>> coding = parse_coding("generalization", "*", "age,born", None)
    >>> told = {"steps": "age=5", "top": "age=90.0", "date_format": ["born=%d.%m.%Y"]}
    >>> found = with_limits(coding, told)
    >>> found.steps, found.floors.top, found.forms
    ({'age': '5'}, {'age': '90'}, {'born': '%d.%m.%Y'})
    """
    option, form = "--date-format", "COLUMN=FORM as born=%d.%m.%Y"
    forms = pairs_of(told.get("date_format") or (), option, form, column_and_form)
    _expect_known(forms, option, coding.numeric, "--numeric")
    _read(option, signs_of, forms)  # an error where a form makes no times
    steps = _by_column(told.get("steps"), "--round", coding.numeric, "--numeric")
    widths = _by_column(told.get("width"), "--width", coding.numeric, "--numeric")
    highest = _levels(told.get("max_level"), "--max-level", coding)
    if (steps or highest or widths) and coding.recoding == NONHOMOGENEOUS:
        raise TableError(
            "--round, --width and --max-level are for releases by groups, not for "
            "--recoding nonhomogeneous"
        )
    coding = replace(
        coding,
        forms=forms,
        steps=_read("--round", expect_step, steps),
        max_levels=highest,
        widths=_read("--width", Width.parse, widths),
    )
    least = _levels(told.get("min_level"), "--min-level", coding)
    tops, bottoms = (
        _read(f"--{name}", expect_end, _by_column(told.get(name), f"--{name}"))
        for name in ("top", "bottom")
    )
    for column, level in least.items():
        if level > highest.get(column, level):
            raise TableError(
                f"--min-level: {column}={level} is above its --max-level, "
                f"{highest[column]}"
            )
    for column in (*tops, *bottoms):
        if column in coding.trees:
            raise TableError(
                f"--{'top' if column in tops else 'bottom'}: column {column!r} has a "
                "--hierarchy; name a --min-level of it"
            )
    return replace(coding, floors=Floors(least, tops, bottoms))


def _levels(text: str | None, option: str, coding: Coding) -> dict[str, int]:
    """Read the level of each column."""
    levels = _by_column(text, option, coding.trees)
    for column, level in levels.items():
        if not level.isascii() or not level.isdigit():
            raise TableError(
                f"{option}: expected COLUMN=LEVEL with a whole number of at "
                f"least 0, got {column}={level}"
            )
    return {column: int(level) for column, level in levels.items()}


def expect_plain(coding: Coding, table: Table, kind: str | None = None) -> None:
    """Raise TableError where it is told of QI columns what a release ignores.

    It is published by suppression; or what counts alone is an objective, whose ``kind``
    may be named.
    """
    ranged, what = "--recoding generalization", f"{coding.recoding} has"
    if kind is not None or coding.recoding == NONHOMOGENEOUS:
        ranged = "--objective gcp"
        what = "the objective has" if kind is None else f"{kind} have"
    for option, columns in (
        ("--numeric", coding.numeric),
        ("--hierarchy", coding.qi_trees(table)),
    ):
        for column in columns:
            if option == "--hierarchy" and column in coding.floors.min_levels:
                continue
            raise TableError(
                f"{option} {column}: is for {ranged}; {what} no use for it"
            )


def _by_column(
    text: str | None,
    option: str,
    known: Collection[str] | None = None,
    declared: str = "--hierarchy",
) -> dict[str, str]:
    """Return the values of an option by column, each of which must be declared."""
    found = pairs_of(split_names(text or "", option), option)
    if known is not None:
        _expect_known(found, option, known, declared)
    return found


def _expect_known(
    columns: Iterable[str], option: str, known: Collection[str], declared: str
) -> None:
    """Raise TableError for a column that is not declared."""
    for column in columns:
        if column not in known:
            raise TableError(
                f"{option}: column {column!r} is not among those of {declared}"
                f"{nearest(column, known)}"
            )


def _read(
    option: str, read: Callable[[str], Value], values: Mapping[str, str]
) -> dict[str, Value]:
    """Read the value of each column; name the option where one is wrong."""
    try:
        return {column: read(value) for column, value in values.items()}
    except TableError as error:
        raise TableError(f"{option}: {error}") from None


def read_loss(text: str | None) -> Loss | None:
    """Return the loss that an option names: a rule, or a file of losses by node.

    Raises TableError where it is no rule, and no such file.
    """
    if text is None or text in LOSS_RULES:
        return cast(Rule | None, text)
    if not text.endswith(".csv"):
        raise TableError(
            f"--loss: expected {', '.join(LOSS_RULES)} or a file .csv, got {text!r}"
            f"{nearest(text, LOSS_RULES)}"
        )
    return read_own_losses(Path(text))


def check_symbol(star: str) -> None:
    """Raise TableError where ``star`` could not be written to a file."""
    if not star or any(c in star for c in "\0\r\n"):
        raise TableError(f"--star: expected a symbol on one line, got {star!r}")


# What calls of Python say of columns.


def _step(column: str, step: str) -> str:
    try:
        return expect_step(step)
    except TableError as error:
        raise TableError(f"{column}: {error}") from None


def _whole(what: str, levels: Mapping[str, int]) -> dict[str, int]:
    return {
        column: expect_whole(f"{what} of {column}", level, 0)
        for column, level in levels.items()
    }


LIMITS = (
    *("round", "max_level", "min_level", "top", "bottom", "width"),
    *("date_format", "sets"),
)


def limits_of(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what arguments tell of columns by name, as ``Coding`` holds it.

    >>> limits = limits_of({"round": {"age": 5.0}, "top": {"age": 90.0}})
    >>> limits["steps"], limits["floors"].top
    ({'age': '5'}, {'age': '90'})
    """
    given: dict[str, Mapping[str, Any]] = {}
    for name in LIMITS:
        value = told.get(name)
        expect_kind(name, value, (Mapping, type(None)), " (a value by column)")
        given[name] = value or {}
    for column, sep in given["sets"].items():
        if not isinstance(sep, str) or not sep:
            raise TableError(
                f"sets: expected what separates the parts of column {column!r}, got "
                f"{sep!r}"
            )
    return {
        "missing": (None, *told.get("missing", MISSING)),
        "steps": {c: _step(c, str(step)) for c, step in given["round"].items()},
        "max_levels": _whole("the highest level", given["max_level"]),
        "widths": {c: Width.parse(limits) for c, limits in given["width"].items()},
        "forms": dict(given["date_format"]),
        "floors": Floors(
            _whole("the least level", given["min_level"]),
            {c: expect_end(end) for c, end in given["top"].items()},
            {c: expect_end(end) for c, end in given["bottom"].items()},
        ),
        "sets": dict(given["sets"]),
    }
