"""How a release is coded, as the command line names it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar, cast

from starmin.inputs.declared import column_and_form, pairs_of
from starmin.inputs.hierarchy_options import CodedTable, read_trees
from starmin.instances import Coding, Table, TableError
from starmin.instances.arguments import nearest
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

    Examples
    --------
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


def limited(
    coding: Coding,
    rounding: str | None,
    max_level: str | None,
    width: str | None = None,
) -> Coding:
    """Return a coding with limits of its nodes by column, as COLUMN=VALUE,...

    They are steps of rounding, highest levels, and widths of ranges; the coding tells
    which columns are of numbers or have taxonomies. Raises TableError for a column
    without ranges or taxonomy, or what is no step, level or width.

    Examples
    --------
    >>> coding = parse_coding("generalization", "*", "age", None)
    >>> limited(coding, "age=5", None, "age=..20").steps
    {'age': '5'}
    """
    steps = _by_column(rounding, "--round", coding.numeric, "--numeric")
    lengths = _by_column(width, "--width", coding.numeric, "--numeric")
    levels = _levels("--max-level", _by_column(max_level, "--max-level", coding.trees))
    if (steps or levels or lengths) and coding.recoding == NONHOMOGENEOUS:
        raise TableError(
            "--round, --width and --max-level are for releases by groups, not for "
            "--recoding nonhomogeneous"
        )
    return replace(
        coding,
        steps=_read("--round", expect_step, steps),
        max_levels=levels,
        widths=_read("--width", Width.parse, lengths),
    )


def with_forms(coding: Coding, forms: Sequence[str] | None) -> Coding:
    """Return a coding with forms of times, each as COLUMN=FORM.

    Raises TableError for a column that is not numeric, or a form that makes no times.

    Examples
    --------
    >>> coding = parse_coding("generalization", "*", "born", None)
    >>> with_forms(coding, ["born=%d.%m.%Y"]).forms
    {'born': '%d.%m.%Y'}
    """
    option = "--date-format"
    form = "COLUMN=FORM as born=%d.%m.%Y"
    found = pairs_of(forms or (), option, form, column_and_form)
    _expect_known(found, option, coding.numeric, "--numeric")
    _read(option, signs_of, found)  # an error where a form makes no times
    return replace(coding, forms=found)


def with_floors(
    coding: Coding, min_level: str | None, top: str | None, bottom: str | None
) -> Coding:
    """Return a coding with floors by column, as COLUMN=VALUE,...

    They are least levels, and the numbers from which on (``top``), or up to which
    (``bottom``), all are alike; the coding tells which columns have taxonomies. Raises
    TableError for a column without taxonomy, or with one where there are to be numbers;
    for what is no level or number; and for a least level above the highest.

    Examples
    --------
    >>> coding = parse_coding("generalization", "*", "age", None)
    >>> with_floors(coding, None, "age=90.0", None).floors.top
    {'age': '90'}
    """
    levels = _levels("--min-level", _by_column(min_level, "--min-level", coding.trees))
    tops, bottoms = (
        _read(option, expect_end, _by_column(text, option))
        for option, text in (("--top", top), ("--bottom", bottom))
    )
    floors = Floors(levels, tops, bottoms)
    for column, level in levels.items():
        if level > coding.max_levels.get(column, level):
            raise TableError(
                f"--min-level: {column}={level} is above its --max-level, "
                f"{coding.max_levels[column]}"
            )
    for column in (*tops, *bottoms):
        if column in coding.trees:
            raise TableError(
                f"--{'top' if column in tops else 'bottom'}: column {column!r} has a "
                "--hierarchy; name a --min-level of it"
            )
    return replace(coding, floors=floors)


def _levels(option: str, levels: Mapping[str, str]) -> dict[str, int]:
    """Read the level of each column."""
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
