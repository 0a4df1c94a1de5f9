"""starmin hierarchy: build the taxonomy of a column."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np

from starmin.inputs import options
from starmin.inputs.declared import Listed, Passing, argument, option
from starmin.inputs.loading import load_table
from starmin.inputs.roles import Roles, check_out
from starmin.instances import (
    Table,
    TableError,
    Taxonomy,
    date_taxonomy,
    infer_taxonomy,
    prefix_taxonomy,
    range_taxonomy,
    read_table,
)
from starmin.instances.scales.taxonomies.build_taxonomy import joined_taxonomy
from starmin.instances.scales.taxonomies.taxonomy import join_small_areas
from starmin.instances.tables.names import counted, listed, split_names
from starmin.process.say import answer_in, say_later

# How many people live where, as a file says.


def read_population(path: str) -> dict[str, int]:
    """Read a table of codes and numbers of inhabitants, in its first two columns.

    A code that is named several times has all of its inhabitants. Raises TableError
    where there is no such file, fewer columns, or a number that is none.
    """
    table = read_table(path)
    if len(table.names) < 2:
        raise TableError(f"{path}: expected two columns, codes and their populations")
    found: dict[str, int] = {}
    codes, numbers = (table.cells(name) for name in table.names[:2])
    for row, (code, text) in enumerate(zip(codes, numbers, strict=True), start=1):
        plain = (text or "").strip().replace(",", "")
        if not code or not (plain.isascii() and plain.isdigit()):
            raise TableError(
                f"{path}: row {row}: expected a code and a whole number of people, got "
                f"{code!r} and {text!r}"
            )
        found[code] = found.get(code, 0) + int(plain)
    return found


EXAMPLES = (
    "starmin hierarchy instance:census:n=2000 age --ranges 5,10,20 --out age.csv",
    "starmin hierarchy people.csv zip --prefix 3,1",
    "starmin hierarchy people.csv zip --prefix 3 --population inhabitants.csv",
    "starmin hierarchy people.csv born --dates month,year,decade --out born.csv",
    "starmin hierarchy people.csv job --join care=nurse,midwife --rare 5 --out job.csv",
)

_MOST_CHILDREN, _MOST_DEPTH = 6, 3  # of a sketch
_MOST_TOLD = 300  # categories of a level, in JSON

_levels = partial(option, panel="Levels (one of these)")
_areas = partial(option, panel="Small areas")


def hierarchy(
    table: options.TableArg,
    column: Annotated[str, argument("COLUMN", "A column of it.")],
    prefix: Annotated[
        str | None,
        _levels("5,3,1", "Join codes that begin alike: lengths, the longest first."),
        Listed(),
    ] = None,
    ranges: Annotated[
        str | None,
        _levels(
            "5,10,20",
            "Join numbers to ranges of these widths, each a multiple of the one "
            "before.",
        ),
        Listed(),
    ] = None,
    dates: Annotated[
        str | None,
        _levels(
            "day,month,year",
            "Join dates to some of day, month, quarter, year, decade, century.",
        ),
        Listed(),
    ] = None,
    infer: Annotated[
        bool,
        _levels(
            "--infer",
            "Numbers: halved again and again, about as many rows in either half. "
            "Codes: prefixes. Others: the root alone.",
        ),
    ] = False,
    join: Annotated[
        list[str] | None,
        _levels(
            "NAME=VALUES",
            "Join values by hand, with commas between, and name what they become; "
            "repeat for others.",
        ),
        Passing(),
    ] = None,
    rare: Annotated[
        int | None,
        _levels(
            "N",
            "Join the values that fewer rows than this have, beside --join or alone.",
            min=1,
        ),
    ] = None,
    rest: Annotated[
        str, _levels("--rest", "What the values of --rare are called.")
    ] = "other",
    date_form: Annotated[
        str | None,
        option("FORM", "How dates are written, as %d.%m.%Y. [default: as 2024-05-31]"),
    ] = None,
    population: Annotated[
        str | None,
        _areas(
            "--population FILE",
            "Codes and how many people live there: areas of --prefix with few of them "
            "become one category.",
        ),
    ] = None,
    more_than: Annotated[
        int,
        _areas("--more-than N", "An area by itself has more inhabitants than this."),
    ] = 20_000,
    small: Annotated[str, _areas("--small", "What all others are called.")] = "000",
    missing: options.Missing = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    out: Annotated[
        Path | None, option("FILE", "Where to write the taxonomy, for --hierarchy.")
    ] = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Build the taxonomy of a column from its values, show it, and write it.

    The file has a line for each value, from the value to the root `*`, as
    `solve --hierarchy COLUMN=FILE` reads it. Missing values are leaves directly below
    the root.
    """
    by_hand = True if join or rare is not None else None
    given = [prefix, ranges, dates, infer or None, by_hand]
    if sum(value is not None for value in given) != 1:
        raise TableError(
            "hierarchy: name one of --prefix, --ranges, --dates, --infer, --join"
        )
    if date_form is not None and dates is None:
        raise TableError("--date-form is for --dates; name the periods")
    if population is not None and prefix is None:
        raise TableError("--population is for --prefix: the areas of codes")
    check_out(out, table)
    counts = _counts(
        load_table(table, Roles.parse(None, None, None, sep, encoding, sheet)), column
    )
    unknown = options.missing_values(missing)
    name = f"{table}: column {column!r}"
    if prefix is not None:
        lengths = [_length(text) for text in split_names(prefix, "--prefix")]
        tree = prefix_taxonomy(counts, lengths, unknown, name)
        if population is not None:
            known = read_population(population)
            tree = join_small_areas(tree, known, more_than, small)
    elif ranges is not None:
        tree = range_taxonomy(counts, split_names(ranges, "--ranges"), unknown, name)
    elif dates is not None:
        periods = split_names(dates, "--dates")
        tree = date_taxonomy(counts, periods, date_form, unknown, name)
    elif by_hand:
        joined = _joined(join or (), counts, rare, rest, unknown)
        tree = joined_taxonomy(counts, joined, unknown, name)
    else:
        tree = infer_taxonomy(counts, unknown, name)
    say_later(*tree.told)
    if out is not None:
        tree.write(out)
    levels = [Counter(level) for level in zip(*tree.levels, strict=True)]
    content = {
        "table": table,
        "column": column,
        "leaves": len(tree.leaves),
        "nodes": [len(level) for level in levels],
        "rows": _rows_by_level(tree, counts),
        "out": out and str(out),
    }
    lines = [("column", f"{column}: {counted(len(tree.leaves), 'value')}")]
    for height, level in enumerate(levels):
        many = counted(len(level), "category", "categories")
        sizes = f"{min(level.values()):,} to {max(level.values()):,} values each"
        lines.append((f"level {height}", f"{many}, {sizes}"))
    lines += [("", line) for line in sketch(tree)]
    lines += [] if out is None else [("wrote", str(out))]
    answer_in(as_json, content, lines)
    return 0


def sketch(tree: Taxonomy) -> Iterator[str]:
    """Return the first nodes of a tree from its root on, indented, with their leaves.

    >>> print("\\n".join(sketch(Taxonomy.parse("{pet{cat,dog},rat}"))))
    * (3)
      pet (2)
        cat
        dog
      rat
    """
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(tree.parents.tolist()):
        if node != parent:
            children.setdefault(parent, []).append(node)
    root = int(np.flatnonzero(tree.parents == np.arange(len(tree.parents)))[0])
    waiting: list[tuple[int, str]] = [(root, "")]
    first = tree.last - tree.counts
    while waiting:
        node, indent = waiting.pop()
        if node < 0:
            yield f"{indent}.. {-node:,} more"
            continue
        below = sorted(children.get(node, ()), key=lambda child: int(first[child]))
        yield f"{indent}{tree.labels[node]}" + (
            f" ({tree.counts[node]:,})" if below else ""
        )
        if len(indent) >= 2 * _MOST_DEPTH:
            continue
        shown = [(child, indent + "  ") for child in below[:_MOST_CHILDREN]]
        if (more := len(below) - _MOST_CHILDREN) > 0:
            shown.append((-more, indent + "  "))
        waiting += reversed(shown)


def _counts(table: Table, column: str) -> dict[str | None, int]:
    """Return for each value of a column in how many rows it is."""
    if column not in table.names:
        raise TableError(
            f"{table.name}: no column {column!r}; its columns: {listed(table.names)}"
        )
    return table.text_counts(column)


def _joined(
    told: Sequence[str],
    counts: Mapping[str | None, int],
    rare: int | None,
    rest: str,
    unknown: Collection[str | None],
) -> dict[str, list[str]]:
    """Return the values that are joined, by the name of what they become."""
    found: dict[str, list[str]] = {}
    for each in told:
        name, sign, values = each.partition("=")
        if not (name and sign and values):
            raise TableError(f"--join: expected NAME=VALUE,.., got {each!r}")
        found.setdefault(name, []).extend(split_names(values, "--join"))
    if rare is not None:
        taken = {text for values in found.values() for text in values} | {*unknown}
        few = [v for v, n in counts.items() if n < rare and v not in taken]
        if len(few) > 1 or (few and rest in found):  # one alone would hide among none
            found.setdefault(rest, []).extend(v for v in few if v is not None)
    return found


def _rows_by_level(
    tree: Taxonomy, counts: Mapping[str | None, int]
) -> list[dict[str, int]]:
    """Return for each level how many rows each of its categories has."""
    found: list[dict[str, int]] = []
    for level in zip(*tree.levels, strict=True):
        rows = Counter[str]()
        for leaf, node in zip(tree.levels, level, strict=True):
            rows[node] += counts.get(leaf[0], 0)
        found.append(dict(rows.most_common(_MOST_TOLD)))
    return found


def _length(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise TableError(f"--prefix: expected whole numbers, got {text!r}")
    return int(text)
