"""Check a certificate of a bound by itself.

    python certificate_checker.py TABLE.csv CERTIFICATE.json [COLUMN=HIERARCHY.csv ..]
        [--population=PEOPLE.csv [--population-count=COLUMN] ..]

This file needs nothing but Python: no package, no solver, no floating point. It was
written from docs/reference/certificate.md and shares no code with starmin. Numbers are
Python's integers, which have no limit. It prints one line and exits with 0 (proven), 1
(refused: the proof is false), 2 (a file is broken or missing) or 3: the certificate is
of a kind that cannot be checked here, which says nothing for or against it.

Kinds are ``prices``, ``tree``, ``boxes``, ``residue``, ``rules``, ``odd_sets``,
``group_prices``, ``within``, ``nonhomogeneous_prices`` and ``nonhomogeneous_tree``.
The objective is stars, suppressed tuples, or losses over hierarchies (a line for each
value: the value and the nodes above it, up to the root, separated by semicolons), with
weights and kept columns; the requirement k-anonymity, l-diversity by frequency or by
distinct values, or both; of rows, or of persons by their ids; or of unions of the
classes of an earlier release (``within``); and rows may be deleted at a price
(``delete_rows``). All kinds but ``prices`` and trees are
checked for losses of ranges of numbers, too; ``rules`` for stars, tuples and nodes.
Where rules count the people of a population, its tables are named in the order of the
rules, each with the column, if any, of how many people a line stands for.

Words as in the specification: a *pattern* is a *node* for each quasi-identifier: a
value, a star, or what stands between them in a hierarchy; rows that are published as a
pattern are its *fill*; its *height* is the number of rows of the most frequent
sensitive value in the fill, or of all rows where no diversity is asked for.
"""

import csv
import gzip
import json
import sys
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TextIO, TypeVar

from starmin.verify.checker.columns import Given
from starmin.verify.checker.proven import expect_known, proven_for
from starmin.verify.checker.reading import (
    BeyondError,
    InputError,
    RefusalError,
    named_once,
)
from starmin.verify.checker.rule_sets import People
from starmin.verify.checker.statement import DELETED

Read = TypeVar("Read")
# What reading an entry raises that is not what it should be.
WRONG = (
    *(LookupError, TypeError, AttributeError, ValueError),
    *(ArithmeticError, RecursionError),
)


def check(
    table_path: str,
    certificate_path: str,
    *hierarchies: str,
    populations: Sequence[tuple[str, str | None]] = (),
) -> tuple[bool | None, str]:
    """Return whether the claim is proven, or None, and a sentence about it.

    A population is a file, and its column of how many people a line stands for.
    ``InputError``: a file is broken, or a hierarchy that is needed is not named.
    """
    header, rows = read_as(table_path, table_of)
    people = [read_as(path, partial(people_of, n)) for path, n in populations]
    named = (hierarchy.rsplit("=", 1) for hierarchy in hierarchies)
    trees = {column: read_as(path, tree_of) for column, path in named}
    read = partial(json.load, object_pairs_hook=named_once)
    certificate: Any = read_as(certificate_path, read)
    try:
        expect_known(certificate)
        bound, most = proven_for(Given(header, rows, certificate, trees), people)
    except InputError:
        raise
    except BeyondError as why:
        return None, f"cannot be checked here: {why}"
    except RefusalError as why:
        return False, f"refused: {why}"
    except WRONG as error:
        return False, f"refused: an entry is missing or of another kind ({error})"
    claim, kind = certificate["bound"], certificate["objective"]["kind"]
    if bound < claim:
        return False, f"refused: it claims {claim}; table and data prove {bound}"
    if kind == "gcp":
        told = f"accepted: no release loses less than {claim} of {most}"
    else:
        what = "stars" if kind == "stars" else "suppressed rows"
        told = f"accepted: no release has fewer than {claim} {what}"
    deleted = DELETED in certificate["requirement"]
    return True, told + (", deleted rows counted" if deleted else "")


def read_as(path: str, read: Callable[[TextIO], Read]) -> Read:
    """Return what a file holds."""
    opened = gzip.open if str(path).endswith(".gz") else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            return read(file)
    except RecursionError:
        raise InputError(f"{path}: it is nested too deeply") from None
    except (OSError, EOFError, zlib.error, csv.Error, ValueError) as error:
        raise InputError(f"{path}: it cannot be read ({error})") from None


def people_of(count: str | None, file: TextIO) -> People:
    """Return a population, with its column of how many people a line stands for."""
    return People(*table_of(file), count)


def tree_of(file: TextIO) -> list[list[str]]:
    """Return the lines of a hierarchy."""
    paths = [path for path in csv.reader(file, delimiter=";") if path]
    if not paths:
        raise ValueError("it has no line")
    return paths


def table_of(file: TextIO) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of a table."""
    lines = list(csv.reader(file))
    if not lines:
        raise ValueError("it has no header")
    header, *rows = lines
    while rows and not rows[-1] and len(header) > 1:
        rows.pop()  # blank lines at the end
    if len(set(header)) < len(header):
        raise ValueError("two columns have the same name")
    if any(len(row) != len(header) for row in rows):
        raise ValueError("a row has another number of cells than the header")
    return header, rows


def main() -> int:
    """Check the files that are named on the command line."""
    if len(sys.argv) < 3 or any("=" not in each for each in sys.argv[3:]):
        print(
            "usage: certificate_checker.py TABLE.csv CERTIFICATE.json "
            "[COLUMN=HIERARCHY.csv ..] "
            "[--population=PEOPLE.csv [--population-count=COLUMN] ..]"
        )
        return 2
    try:
        trees, people = populations_in(sys.argv[3:])
        accepted, sentence = check(*sys.argv[1:3], *trees, populations=people)
    except InputError as error:
        print(error)
        return 2
    print(sentence)
    return 3 if accepted is None else 0 if accepted else 1


def populations_in(
    arguments: list[str],
) -> tuple[list[str], list[tuple[str, str | None]]]:
    """Part what follows the certificate into hierarchies and populations."""
    trees, people = list[str](), list[tuple[str, str | None]]()
    for each in arguments:
        name, value = each.split("=", 1)
        if name == "--population":
            people.append((value, None))
        elif name == "--population-count" and people:
            people[-1] = people[-1][0], value
        else:
            trees.append(each)
    return trees, people


if __name__ == "__main__":
    sys.exit(main())
