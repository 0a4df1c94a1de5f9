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

from starmin.verify.checker.box_pieces import Pieces
from starmin.verify.checker.boxes import box_bound
from starmin.verify.checker.columns import Given
from starmin.verify.checker.group_bounds import (
    group_price_bound,
    odd_set_bound,
    residue,
)
from starmin.verify.checker.nonhomogeneous import (
    nonhomogeneous_price_bound,
    nonhomogeneous_tree_bound,
)
from starmin.verify.checker.patterns import patterns, value_of
from starmin.verify.checker.reading import (
    BeyondError,
    Content,
    InputError,
    RefusalError,
    entries,
    listed_in,
    named_once,
    whole,
)
from starmin.verify.checker.rule_bound import rule_bound
from starmin.verify.checker.rule_sets import People
from starmin.verify.checker.statement import ADDED, DELETED, Statement, with_added_rows
from starmin.verify.checker.tree import Tree, thinned, value_with_cuts
from starmin.verify.checker.unions import person_bound, within_bound

# What a certificate proves, by the theorem of its kind.

FORMATS = (1, 2)
PRICED, ROUNDED = {"denominator", "prices"}, {"sensitive", "unit"}
BY_STARS, CELLS, ALL = ("stars", "tuples"), ("stars", "gcp"), ("stars", "tuples", "gcp")
# Of which objectives a kind is, and the entries that its data have and may have.
KINDS: dict[str, tuple[tuple[str, ...], set[str], set[str]]] = {
    "prices": (ALL, PRICED, ROUNDED),
    "tree": (
        ALL,
        PRICED | {"patterns", "cuts", "nodes"},
        ROUNDED | {"rounds", "counts"},
    ),
    "boxes": (CELLS, PRICED | {"sets", "multipliers"}, {"sensitive", "nodes"}),
    "residue": (("tuples",), set(), set()),
    "odd_sets": (CELLS, PRICED | {"sets", "set_prices"}, ROUNDED),
    "group_prices": (CELLS, PRICED, ROUNDED),
    "nonhomogeneous_prices": (CELLS, PRICED, {"unit"}),
    "nonhomogeneous_tree": (BY_STARS, {"denominator", "nodes"}, set()),
    "persons": (ALL, {"denominator", "patterns", "nodes"}, set()),
    "within": (CELLS, PRICED | {"classes"}, set()),
}
BY_TOTAL = {
    "odd_sets": odd_set_bound,
    "group_prices": group_price_bound,
    "nonhomogeneous_prices": nonhomogeneous_price_bound,
    "nonhomogeneous_tree": nonhomogeneous_tree_bound,
    "persons": person_bound,
    "within": within_bound,
}
KNOWN = (*KINDS, "rules")
# What else is stated would be of a problem that is not known here.
STATED = {
    "table": {"name", "n", "d", "qi", "sensitive", "floors", "fingerprint"},
    "objective": {"kind", "weights", "keep", "scales"},
}


def proven_for(given: Given, people: Sequence[People] = ()) -> tuple[int, int]:
    """Return what is proven for a table, and the most that any release of it loses."""
    certificate, less = given.certificate, None
    if certificate["kind"] == "rules":
        return rule_bound(given, list(people))
    if ADDED in certificate["data"] and DELETED in certificate["requirement"]:
        given, less = with_added_rows(given)
    problem, claim = Statement(given), whole(given.certificate["bound"], None)
    proven = min(claim, recomputed(problem, given.certificate))
    return proven if less is None else max(0, proven - less), problem.most_loss


def recomputed(problem: Statement, certificate: Content) -> int:
    """Return what table and certificate prove; of trees and boxes, up to the claim."""
    claim, data = whole(certificate["bound"], None), certificate["data"]
    kind, objective = certificate["kind"], certificate["objective"]["kind"]
    if kind not in KINDS:
        raise BeyondError(f"its kind is none of {', '.join(KNOWN)}")
    objectives, needed, allowed = KINDS[kind]
    if objective not in objectives:
        raise RefusalError(f"a proof of this kind is for {' or '.join(objectives)}")
    if kind == "prices" and "cuts" in data:
        needed = needed | {"patterns", "cuts"}
    if kind == "nonhomogeneous_prices" and objective == "gcp":
        needed = needed | {"least"}
    if objective != "gcp":  # whole numbers, which are not rounded
        allowed = allowed - {"unit"}
    if not needed <= set(data) <= needed | allowed:
        raise RefusalError(f"its data are not {', '.join(sorted(needed))}")
    if kind == "residue":
        return residue(problem)
    if kind == "boxes":
        return box_bound(Pieces(problem, data), claim, listed_in(data.get("nodes", [])))
    unit = whole(data["denominator"], 1)
    if kind in BY_TOTAL:
        total = BY_TOTAL[kind](problem, data)
    else:
        total = by_patterns(problem, data, claim, kind == "tree")
    return problem.proven(-(-total // unit))


def by_patterns(problem: Statement, data: Content, claim: int, by_tree: bool) -> int:
    """Return what prices of types prove, alone, with cuts, or by a tree."""
    unit, prices = problem.priced_in(data)
    problem.expect_capped(unit, prices)
    total = sum(p * m for p, m in zip(prices, problem.copies, strict=True))
    listed = patterns(problem, prices, unit, 0)
    if not by_tree and "cuts" in data:
        return total + value_with_cuts(problem, unit, prices, data, listed)
    for cost, members in listed.values():
        total += value_of(problem, cost, members, prices)
    goal = (problem.needed(claim) - 1) * unit + 1
    if by_tree and total < goal:
        slack = goal - total
        listed = patterns(problem, prices, unit, slack)
        tree = Tree(problem, thinned(problem, listed, data, goal), data)
        least = tree.least_leaf(listed_in(data["nodes"]))
        total = goal if least is None else min(goal, max(total, least))
    elif by_tree:  # not needed, but it is to be one
        tree = Tree(problem, {}, data)
        for node in listed_in(data["nodes"]):
            tree.read(node)
    return total


def expect_known(certificate: Content) -> None:
    """Refuse what is no certificate; say of another kind that it is not known."""
    version, kind = certificate["starmin_certificate"], certificate["kind"]
    if whole(version, 1) not in FORMATS:
        raise BeyondError(f"it is of format {version}; known: 1 and 2")
    if not isinstance(kind, str):
        raise RefusalError("its kind is not named by text")
    if kind not in KNOWN:
        raise BeyondError(f"its kind is none of {', '.join(KNOWN)}")
    for name, may in STATED.items():
        if not set(entries(certificate, name)) <= may:
            raise RefusalError(f"its {name} has an entry of unknown name")
    entries({"scales": {}, **certificate["objective"]}, "scales")
    entries(certificate, "data")


# The files that an auditor names, and the verdict.

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
