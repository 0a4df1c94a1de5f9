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

# Made of the files of verify/checker by its join.py; change those.

import csv
import gzip
import hashlib
import json
import math
import re
import sys
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from fractions import Fraction
from functools import cache, partial
from itertools import accumulate, combinations, islice, pairwise, product
from re import fullmatch
from typing import Any, NamedTuple, TextIO, TypeVar

# checker/words.py

STAR = None  # the node above all values of a column without a hierarchy

Content = dict[str, Any]  # an object of the file
Node = str | None
Key = tuple[Node, ...]  # a pattern, or the nodes of its first columns
Chain = list[tuple[Node, int]]  # the nodes above a value, root first, and their losses
Trees = dict[str, list[list[str]]]  # by column, for each value the nodes above it
Values = tuple[str, ...]


class InputError(ValueError):
    """What is missing among the files, or broken: it says nothing of the claim."""


class RefusalError(Exception):
    """Why the certificate proves nothing."""


class BeyondError(RefusalError):
    """What of the certificate is not known here."""


# checker/reading.py

Item = TypeVar("Item")


def whole(number: Any, least: int | None) -> int:
    """Return a whole number that is at least ``least``."""
    if type(number) is not int or (least is not None and number < least):
        raise RefusalError(f"a number is not whole, or below {least}")
    return number


def listed_in(content: Any) -> list[Any]:
    """Return a list."""
    if isinstance(content, list):
        return content
    raise RefusalError("a list is none")


def entries(content: Content, name: str) -> Content:
    """Return an object of the certificate."""
    found = content[name]
    if isinstance(found, dict):
        return found
    raise RefusalError(f"{name} is not an object")


def priced_types(data: Content, types: int) -> tuple[int, list[int]]:
    """Return the denominator of a certificate's data, and a price for each type."""
    unit = whole(data["denominator"], 1)
    prices = [whole(price, None) for price in listed_in(data["prices"])]
    if len(prices) != types:
        raise RefusalError(f"it has {len(prices)} prices for {types} row types")
    return unit, prices


def pair(content: Any) -> list[Any]:
    """Return both entries of a list of two."""
    both = listed_in(content)
    if len(both) != 2:
        raise RefusalError("a cut or a split does not have two entries")
    return both


def numbers(places: Any, numbered: Sequence[Item]) -> list[Item]:
    """Return what stands at the places of a list."""
    for place in listed_in(places):
        if type(place) is not int or not 0 <= place < len(numbered):
            raise RefusalError(f"a number is not below {len(numbered)}")
    return [numbered[place] for place in places]


def changes(content: Any, numbered: Sequence[int], least: int | None) -> dict[int, int]:
    """Return the new values by number: numbers and values stand in turn."""
    if len(listed_in(content)) % 2:
        raise RefusalError("a number has no value")
    values = [whole(value, least) for value in content[1::2]]
    return dict(zip(numbers(content[::2], numbered), values, strict=True))


def named_once(pairs: list[tuple[str, Any]]) -> Content:
    """Return an object of which no entry is named twice."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("an entry is named twice")
    return dict(pairs)


# checker/problem/deletion.py

DELETED = "delete_rows"  # says what a deleted row costs
ADDED = "added_rows"  # the proof is of a table with so many more rows
OF_ADDED = ("prices", "tree", "odd_sets", "boxes")
LONGEST = 40  # characters of a price


def expect_plain_prices(certificate: Content) -> None:
    """Refuse a proof that says nothing of releases with deleted rows."""
    objective = certificate["objective"]
    if certificate["kind"] != "prices" or "cuts" in certificate["data"]:
        raise RefusalError("where rows may be deleted only prices are known as proofs")
    if objective["kind"] == "tuples" or objective["keep"]:
        raise RefusalError("rows are deleted for stars and gcp, and no column is kept")


def with_added_rows(
    header: list[str], rows: list[list[str]], certificate: Content
) -> tuple[list[list[str]], Content, int]:
    """Return a larger table, its certificate, and what the added rows cost."""
    wanted, objective = certificate["requirement"], certificate["objective"]
    qi, data, kind = (
        certificate["table"]["qi"],
        certificate["data"],
        certificate["kind"],
    )
    if set(wanted) != {"k", DELETED} or kind not in OF_ADDED:
        raise RefusalError("rows are added for k-anonymity alone, to groups")
    if objective["kind"] != "stars" or objective["keep"]:
        raise RefusalError("rows are added for stars, and no column is kept")
    if certificate["table"].get("floors"):
        raise RefusalError("rows are added to a table without floors")
    many = whole(data[ADDED], 2)
    if many != whole(wanted["k"], 2):
        raise RefusalError("its added rows are not k")
    if whole(certificate["table"]["n"], 0) != len(rows):
        raise RefusalError("it is for a table of another size")
    row = sum(whole(objective["weights"].get(column, 1), 0) for column in qi)
    if deletion_price(wanted[DELETED], row, False) != row:
        raise RefusalError("rows are added where a deleted row costs all of its stars")
    named = set(qi)
    added = [
        [f"\0added {place + 1}" if column in named else "" for column in header]
        for place in range(many)
    ]
    less = many * row
    larger = {
        **certificate,
        "table": {**certificate["table"], "n": len(rows) + many},
        "requirement": {"k": wanted["k"]},
        "bound": whole(certificate["bound"], None) + less,
        "data": {name: each for name, each in data.items() if name != ADDED},
    }
    return [*rows, *added], larger, less


def deletion_price(told: Any, row: int, of_losses: bool) -> int:
    """Return what a deleted row costs; ``row`` is what it loses that shows nothing."""
    if told == "row":
        return row
    if not isinstance(told, str) or len(told) > LONGEST:
        raise RefusalError("the price of a deleted row is none")
    if fullmatch(r"[0-9]+([.][0-9]+|/0*[1-9][0-9]*)?", told) is None:
        raise RefusalError("the price of a deleted row is none")
    price = Fraction(told) * (row if of_losses else 1)
    if price.denominator != 1:
        raise RefusalError("the price of a deleted row is no whole number")
    return price.numerator


# checker/problem/asked_of_groups.py

UNITS = ("person", "household")  # whose ids may count instead of rows
WITHIN = "within"  # names the classes of an earlier release
FORMS = ("distinct", "entropy", "recursive")

# How many persons, the greatest share of them with one value, how many values.
Persons = tuple[int, Fraction, int]


def required(part: Any) -> tuple[int, int, int]:
    """Return k, l and distinct values of a requirement, or of one of several."""
    if isinstance(part, dict) and "missing_sensitive" in part:
        raise BeyondError("its missing sensitive values are no value of their own")
    if not isinstance(part, dict) or not set(part) <= {"k", "l", "diversity"}:
        raise RefusalError("only k-anonymity and l-diversity are checked")
    if not {"k", "l"} & set(part):
        raise RefusalError("only k-anonymity and l-diversity are checked")
    k, l = (whole(part.get(x, 1), 1) for x in "kl")
    if "diversity" not in part:
        return k, l, 1
    if part["diversity"] != "distinct" or l < 2:
        raise RefusalError("its diversity is neither by frequency nor distinct")
    return k, 1, l


def ids(wanted: Content, unit: str) -> Persons:
    """Return what is asked of the persons, or households, of every group.

    A group in which no value is had by more than 1/l of the persons has l of them.
    """
    asked, named = {"k", "l", "alpha"}, {unit, "pseudonym", "alike"}
    parts = listed_in(wanted.get("all_of", [wanted]))
    if "all_of" in wanted and not set(wanted) <= named | {"all_of"}:
        raise RefusalError("its requirement has an entry of unknown name")
    least, share, values = list[int](), Fraction(1), 1
    for part in parts:
        if not isinstance(part, dict) or not asked & set(part):
            raise RefusalError("its requirement is empty")
        if not set(part) <= asked | named | {"diversity", "c"}:
            raise RefusalError("its requirement has an entry of unknown name")
        if part.get("diversity", "distinct") not in FORMS:
            raise RefusalError("its diversity is of no known form")
        k, l = (whole(part[x], 2) if x in part else 1 for x in "kl")
        if "diversity" in part:
            values = max(values, l)
        else:
            share = min(share, Fraction(1, l))
        if "alpha" in part:
            told = part["alpha"]
            if type(told) not in (int, float) or not 0 < told <= 1:
                raise RefusalError("its share is not above 0 and at most 1")
            share = min(share, Fraction(str(told)))
        least += [k, l]
    if not least:
        raise RefusalError("its requirement is empty")
    return max(*least, math.ceil(1 / share)), share, values


def expect_release(
    asked: Persons, who: list[str], columns: list[list[str]], apart: list[list[str]]
) -> None:
    """Refuse a table that fails as a whole, or in rows that have to be apart.

    A person has several rows, so that groups may satisfy what the table does not: it is
    asked beside. Rows that differ in ``apart`` can share no group.
    """
    least, share, most = asked
    for keys in ([()] * len(who), [tuple(cells) for cells in apart]):
        persons, having = dict[Any, set[str]](), dict[Any, set[str]]()
        values = dict[Any, set[str]]()
        for key, each, *cells in zip(keys, who, *columns, strict=True):
            persons.setdefault(key, set()).add(each)
            for column, cell in enumerate(cells):
                having.setdefault((key, column, cell), set()).add(each)
                values.setdefault((key, column), set()).add(cell)
        few = any(len(some) < least for some in persons.values())
        few |= any(len(some) < most for some in values.values())
        if few or any(
            len(some) > share * len(persons[key]) for (key, *_), some in having.items()
        ):
            raise RefusalError(
                "persons of the table are too few or too much alike for any release"
            )


def expect_alike(
    wanted: Content, unit: str, qi: list[str], rows: list[Content]
) -> None:
    """Refuse columns that are to be alike for each id, and are none or differ."""
    for column in listed_in(wanted.get("alike", [])):
        if column not in qi:
            raise RefusalError("the columns that are alike are no quasi-identifiers")
        first = dict[str, str]()
        if any(first.setdefault(r[unit], r[column]) != r[column] for r in rows):
            raise RefusalError("columns that are to be alike differ in rows of one id")


def rows_together(wanted: Content, qi: list[str]) -> bool:
    """Return whether a requirement has all rows of a person published alike."""
    alike = listed_in(wanted.get("alike", []))
    return wanted.get("pseudonym") is True or set(alike) == set(qi)


# checker/problem/decimals.py

DECIMAL = r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?0*[0-9]{1,3})?"


def band(text: str, form: Any) -> tuple[str, str]:
    """Return the ends of a value that is a range itself."""
    number = "([0-9]+(?:[.][0-9]+)?)"
    pattern = rf"{number}-{number}"
    if isinstance(form, str) and re.fullmatch(r"[(\[][)\]]", form):
        pattern = rf"\{form[0]}([^,;]+), ?([^,;]+)\{form[1]}"
    elif form != "-":
        raise RefusalError("the form of its ranges is not known")
    if (found := re.fullmatch(pattern, text)) is None:
        raise RefusalError(f"{text!r} is no range of the form {form}")
    return found[1], found[2]


def exact(text: Any) -> Fraction:
    """Return the number that a text writes, with a decimal point or comma."""
    if not isinstance(text, str) or not re.fullmatch(DECIMAL, text):
        raise RefusalError(f"{text!r} is no number")
    try:
        return Fraction(text.replace(",", "."))
    except (ValueError, ZeroDivisionError):
        raise RefusalError(f"{text!r} is no number") from None


# checker/problem/column_floors.py

LEVEL = {"min_level", "fingerprint", "missing"}  # entries of a least level
CAP = {"top", "bottom", "missing"}  # and those that a top and a bottom may have


class Level:
    """A least level of a hierarchy: the node that is published of each value at least.

    That is the node of its path at the level; where it is below another one of these,
    the upper one.
    """

    def __init__(self, stated: Content, paths: list[list[str]], column: set[str]):
        if not {"min_level", "missing"} <= set(stated) <= LEVEL:
            raise RefusalError("a floor has an entry of unknown name")
        level, absent = whole(stated["min_level"], 1), listed_in(stated["missing"])
        root = paths[0][-1]
        known = {path[0] for path in paths}
        self.paths = [*paths, *([text, root] for text in column - known)]
        if not column - known <= set(absent):
            raise RefusalError("a value is in no hierarchy")
        self.nodes: dict[str, str] = {}
        for path in self.paths:
            node = path[min(level, len(path) - 1)]
            if node == root and path[0] in absent and set(path[1:]) == {root}:
                node = path[0]
            self.nodes[path[0]] = node
        nodes = set(self.nodes.values())
        if root in nodes:
            raise RefusalError("a floor is the root of a hierarchy")
        for path in self.paths:
            self.nodes[path[0]] = [node for node in path if node in nodes][-1]

    def text(self, cell: str) -> str:
        """Return what is published of a value at least."""
        return self.nodes[cell]


class Cap:
    """A top and a bottom: numbers from the one on, or up to the other, are alike."""

    def __init__(self, stated: Content, column: set[str]) -> None:
        if not {"missing"} <= set(stated) <= CAP or len(stated) < 2:
            raise RefusalError("a floor has an entry of unknown name")
        self.absent = set(listed_in(stated["missing"]))
        self.top = exact(stated["top"]) if "top" in stated else None
        self.bottom = exact(stated["bottom"]) if "bottom" in stated else None
        if self.top is not None and self.bottom is not None and self.top <= self.bottom:
            raise RefusalError("a top is not above the bottom")
        self.texts = f"{stated.get('top')}+", f"<={stated.get('bottom')}"
        numbers = [self.number(cell) for cell in column - self.absent]
        self.least = min(numbers, default=Fraction(0))
        self.greatest = max(numbers, default=Fraction(0))

    def number(self, cell: str) -> Fraction:
        """Return the number of a cell, which may be a top or a bottom already."""
        if self.top is not None and cell == self.texts[0]:
            return self.top
        if self.bottom is not None and cell == self.texts[1]:
            return self.bottom
        return exact(cell)

    def text(self, cell: str) -> str:
        """Return what is published of a cell at least."""
        if cell in self.absent:
            return cell
        number = self.number(cell)
        if self.top is not None and number >= self.top:
            return self.texts[0]
        if self.bottom is not None and number <= self.bottom:
            return self.texts[1]
        return cell

    def ends(self, cell: str) -> tuple[Fraction, Fraction] | None:
        """Return what a top or a bottom stands for; None for another cell."""
        if self.top is not None and cell == self.texts[0]:
            return max(self.top, self.least), self.greatest
        if self.bottom is not None and cell == self.texts[1]:
            return self.least, min(self.bottom, self.greatest)
        return None


def floor_of(
    column: str, stated: Any, header: list[str], rows: list[list[str]], trees: Trees
) -> Level | Cap:
    """Return the floor of a column, as the certificate states it."""
    if not isinstance(stated, dict) or column not in header:
        raise RefusalError("a floor is none, or of no column")
    texts = {row[header.index(column)] for row in rows}
    if "min_level" not in stated:
        return Cap(stated, texts)
    if not trees.get(column):
        raise InputError("name the hierarchy of each column that has one: COLUMN=FILE")
    return Level(stated, trees[column], texts)


# checker/problem/hierarchies.py

LOSSES = ("ncp", "granularity", "stars")  # rules for nodes of hierarchies


def chains(
    texts: set[str],
    scale: Content,
    paths: list[list[str]] | None,
    floor: Level | None = None,
) -> dict[str, Chain]:
    """Return the nodes above each text in a hierarchy, and what they lose.

    A text that the hierarchy does not have is a missing value: below the root. With a
    floor texts are nodes, which lose something by themselves.
    """
    rule = scale.get("loss")
    if set(scale) != {"scale", "fingerprint", "loss"} or rule not in LOSSES:
        raise BeyondError("its losses are not those of hierarchies by a rule")
    if paths is None:
        raise InputError("name the hierarchy of each column that has one: COLUMN=FILE")
    paths = paths if floor is None else floor.paths
    above = {path[0]: list(dict.fromkeys(reversed(path))) for path in paths}
    if floor is None:
        for text in texts - set(above):
            above[text] = [paths[0][-1], text]
    leaves = Counter(node for path in above.values() for node in path)
    total = len(above)

    def loss(node: str) -> int:
        if leaves[node] == 1:
            return 0
        if rule == "stars":
            return int(leaves[node] == total)
        return leaves[node] - int(rule == "granularity")

    if floor is not None:
        for leaf, node in floor.nodes.items():
            above[node] = above[leaf][: above[leaf].index(node) + 1]
    return {text: [(node, loss(node)) for node in above[text]] for text in texts}


# checker/problem/times.py

ZONE = "Z|[+-][0-9]{2}(?::?[0-9]{2})?"
SIGNS = {
    **dict.fromkeys("mdHIMS", "[0-9]{1,2}"),
    **{"Y": "[0-9]{4}", "y": "[0-9]{2}", "q": "[1-4]", "f": "[0-9]{1,9}", "z": ZONE},
    **{"b": "[A-Za-z]{3}", "B": "[A-Za-z]+", "p": "[AaPp][Mm]"},
}  # of times
MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
CLOCK = r"(?P<H>[0-9]+):(?P<M>[0-5][0-9])(:(?P<S>[0-5][0-9](\.[0-9]{1,9})?))?"
LENGTHS = {
    "duration:days": rf"(?P<D>-?[0-9]+) days?(,? (?P<minus>[+-]?){CLOCK})?",
    "duration:clock": rf"(?P<minus>-?){CLOCK}",
    "duration:iso": r"(?P<all>-?)P(?=.)((?P<W>[0-9]+)W)?((?P<D>[0-9]+)D)?(T(?=.)"
    r"((?P<H>[0-9]+)H)?((?P<M>[0-9]+)M)?((?P<S>[0-9]+(\.[0-9]{1,9})?)S)?)?",
}
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
OF_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
DAY, LAST_MONTH = 86_400, 120_000  # the second is that after the last of year 9999
Period = tuple[Fraction, Fraction]  # when one begins, and the next one


class Times:
    """The times of a column: seconds from year 1 on; months, where there are no days.

    ``tick`` is the least step that can be written, ``clocks`` the seconds by which
    clocks are before universal time, by time; ``last`` is the last year that two digits
    stand for, which the form says behind them.
    """

    def __init__(self, form: Any, texts: set[str]) -> None:
        if not isinstance(form, str):
            raise RefusalError("the form of its times is no text")
        told = re.fullmatch("(.*%y.*) to ([0-9]{4})", form, re.DOTALL)
        form, self.last = (told[1], int(told[2])) if told else (form, 2068)
        self.form, self.signs = form, set(re.findall("%(.)", form))
        if form in LENGTHS:
            pattern = LENGTHS[form]
        elif not self.signs or not self.signs <= set(SIGNS):
            raise RefusalError("the form of its times is not known")
        else:
            pattern = re.sub(
                r"(\\\.|,)?%(.)",
                lambda found: (
                    f"({found[1] or ''}(?P<f>{SIGNS['f']}))?"
                    if found[2] == "f"
                    else f"{found[1] or ''}(?P<{found[2]}>{SIGNS[found[2]]})"
                ),
                re.escape(form),
            )
        self.pattern = re.compile(pattern)
        found = {text: self.fields(text) for text in texts}
        self.months = 0
        if self.signs & set("Yy") and "d" not in self.signs:
            self.months = (
                1 if self.signs & set("mbB") else 3 if "q" in self.signs else 12
            )
        digits = max(
            (len(fields.get("f") or "") for fields in found.values()), default=0
        )
        self.tick = Fraction(self.months or DAY)
        for sign, size in (("H", 3600), ("I", 3600), ("M", 60), ("S", 1)):
            if sign in self.signs:
                self.tick = Fraction(size)
        if "f" in self.signs:
            self.tick = Fraction(1, 10**digits)
        self.clocks: dict[Fraction, int] = {}
        for text, fields in found.items():
            time, ahead = self.number(text), zone(fields.get("z"))
            self.clocks[time] = max(ahead, self.clocks.get(time, ahead))
        self.periods: dict[str, dict[Fraction, Period]] = {}

    def fields(self, text: str) -> dict[str, str | None]:
        """Return the parts of a text, by their signs."""
        found = self.pattern.fullmatch(text)
        if found is None:
            raise RefusalError(f"{text!r} is no time of the form {self.form}")
        return found.groupdict()

    def number(self, text: str) -> Fraction:
        """Return the number that a text stands for."""
        part = self.fields(text)
        got = {sign: each for sign, each in part.items() if each}
        clock = 3600 * int(got.get("H", 0)) + 60 * int(got.get("M", 0))
        total = clock + Fraction(got.get("S", 0))
        if self.form in LENGTHS:
            total = -total if part.get("minus") == "-" else total
            total += DAY * (int(got.get("D", 0)) + 7 * int(got.get("W", 0)))
            return -total if part.get("all") == "-" else total
        if "I" in got:
            total += 3600 * (int(got["I"]) % 12 + 12 * (got["p"].lower() == "pm"))
        total += Fraction(f"0.{got.get('f', 0)}") - zone(got.get("z"))
        year = int(got.get("Y", 1))
        if "y" in got:
            year = self.last - (self.last - int(got["y"])) % 100
        name = got.get("b") or got.get("B") or ""
        try:
            month = int(got.get("m") or 3 * int(got.get("q", 1)) - 2)
            month = MONTHS.index(name[:3].lower()) // 3 + 1 if name else month
            day = date(year, month, int(got.get("d", 1)))
        except ValueError:
            raise RefusalError(f"{text!r} is no time of the form {self.form}") from None
        if self.months:
            return Fraction(12 * year + month - 1)
        return total + DAY * (day.toordinal() - 1)

    def begin(self, value: Fraction, step: Any) -> Fraction:
        """Return when a period begins."""
        return self.period(value, step)[0]

    def end(self, value: Fraction, step: Any) -> Fraction:
        """Return the last time of a period; of lengths of time, the next multiple."""
        begin, following = self.period(value, step)
        if self.form in LENGTHS:
            return value if begin == value else following
        return following - self.tick

    def period(self, value: Fraction, step: Any) -> Period:
        """Return when a period begins, and the next one, by the clocks of the column.

        A period begins by the clock of its first time, and ends by that of its last; if
        periods are not in order then, all are those of universal time.
        """
        if not isinstance(step, str):
            raise RefusalError("its times are rounded to no period")
        if step not in self.periods:
            groups = list[tuple[Period, list[tuple[Fraction, int]]]]()
            for time, ahead in sorted(self.clocks.items()):
                shown = self.shown(time + ahead, step)
                if not groups or groups[-1][0] != shown:
                    groups.append((shown, []))
                groups[-1][1].append((time, ahead))
            ends = [
                (begin - inside[0][1], following - inside[-1][1])
                for (begin, following), inside in groups
            ]
            known = all(a <= c and b <= d for (a, b), (c, d) in pairwise(ends))
            self.periods[step] = {
                time: both if known else self.shown(time, step)
                for both, (_, inside) in zip(ends, groups, strict=True)
                for time, _ in inside
            }
        return self.periods[step][value]

    def shown(self, local: Fraction, step: str) -> Period:
        """Return when a period begins, and the next one, as clocks show it."""
        found = re.fullmatch("([0-9]*)([a-z]+)", step)
        if found is None or found[2] not in SECONDS | OF_MONTHS:
            raise RefusalError("its times are rounded to no period")
        size = int(found[1] or 1) * (SECONDS | OF_MONTHS)[found[2]]
        if self.months:
            first = local // size * size
            return Fraction(max(first, 12)), Fraction(min(first + size, LAST_MONTH))
        if found[2] in SECONDS:
            first, last = local // size * size, midnight(LAST_MONTH)
            following = first + size
            if self.form not in LENGTHS:
                following = min(following, last)
        else:
            day = date.fromordinal(int(local // DAY) + 1)
            month = (12 * day.year + day.month - 1) // size * size
            first, following = midnight(month), midnight(month + size)
        return Fraction(first), Fraction(following)


def midnight(month: int) -> int:
    """Return the first second of a month, from year 1 to 9999."""
    if month >= LAST_MONTH:
        return DAY * date.max.toordinal()
    year, month = divmod(max(month, 12), 12)
    return DAY * (date(year, month + 1, 1).toordinal() - 1)


def zone(text: str | None) -> int:
    """Return by how many seconds clocks of a zone are before universal time."""
    digits = (text or "").strip("Z+-").replace(":", "")
    ahead = 3600 * int(digits[:2] or 0) + 60 * int(digits[2:] or 0)
    return -ahead if (text or "").startswith("-") else ahead


# checker/problem/lines.py

MOST_EXACT = 2**53  # lengths up to it are counted as they are
PARTS = 2**32  # that longer ones are counted in
LINE = {"step", "width", "loss", "time", "band"}  # of scales that may be there


class Line:
    """The numbers of a column in their order, and what their ranges lose.

    ``places`` has the place of each text; missing values have the first ones. A range
    from one place to another loses ``ends[high] - begins[low]``, ``shortest`` at least;
    beyond ``reach[low]`` it is hidden, which loses ``whole``. A single place loses what
    ``single`` has of it: nothing, unless it is a top or a bottom.
    """

    def __init__(self, texts: set[str], scale: Content, cap: Cap | None = None) -> None:
        if not {"scale", "missing"} <= set(scale) <= {*LINE, "scale", "missing"}:
            raise RefusalError("a scale of numbers has an entry of unknown name")
        if scale.get("loss", "stars") != "stars":
            raise RefusalError("losses of numbers are by length, or of stars alone")
        absent = {text or "" for text in listed_in(scale["missing"])}
        missing = sorted(text for text in texts if text in absent)
        low, _, high = scale.get("width", "..").partition("..")
        low, high = (
            end.removesuffix("second").removesuffix("month") for end in (low, high)
        )
        shortest = exact(low) if low else Fraction(0)
        step, times = Fraction(0), None
        bands = {text: (text, text) for text in texts - absent}
        if "band" in scale:
            if cap or {"step", "width"} & set(scale):
                raise RefusalError("ranges as values are not rounded or cut off")
            bands = {text: band(text, scale["band"]) for text in bands}
        if "time" in scale:
            if cap:
                raise RefusalError("a top or a bottom is for numbers, not for times")
            times = Times(
                scale["time"], {end for both in bands.values() for end in both}
            )
        elif "step" in scale:
            step = exact(scale["step"])
            shortest = math.ceil(shortest / step) * step
        spans = {text: cap.ends(text) if cap else None for text in texts - absent}

        def number(text: str) -> Fraction:
            return times.number(text) if times else exact(text)

        def value_of(text: str) -> Fraction:
            span = spans[text]
            if span is None or cap is None:
                return number(bands[text][0])
            return span[text == cap.texts[1]]

        def down(value: Fraction) -> Fraction:
            if times and "step" in scale:
                return times.begin(value, scale["step"])
            return value // step * step if step else value

        def up(value: Fraction) -> Fraction:
            if times and "step" in scale:
                return times.end(value, scale["step"])
            return -down(-value)

        known = sorted((value_of(text), text) for text in texts - absent)
        values = [value for value, _ in known]
        begins = [down(value) for value in values]
        ends = [
            number(bands[text][1]) if "band" in scale else up(value)
            for value, text in known
        ]
        if "band" in scale and any(a >= b for a, b in pairwise(ends)):
            raise RefusalError("of ranges as values one is within another one")
        alone = [Fraction(0)] * len(known)
        for place, (_, text) in enumerate(known):
            if cap is None or (span := spans[text]) is None:
                continue
            if text == cap.texts[0]:
                ends[place] = up(cap.greatest)
                alone[place] = ends[place] - span[0]
            else:
                begins[place] = down(cap.least)
                alone[place] = span[1] - begins[place]
        all_of = values if cap is None else [*values, cap.least, cap.greatest]
        edges = [*begins, *ends, *map(down, all_of), *map(up, all_of)]
        first, last = min(edges, default=Fraction(0)), max(edges, default=Fraction(0))
        lengths = [x - first for x in (*all_of, *edges)] + [shortest, *alone]
        parts = math.lcm(*(length.denominator for length in lengths))
        unit = Fraction(math.gcd(*(int(x * parts) for x in lengths)) or 1, parts)
        if (total := last - first) / unit > MOST_EXACT:
            # Too fine for 64 bits: by the ends alone, or rounded down as the search.
            unit = Fraction(
                math.gcd(*(int(x * parts) for x in lengths[len(all_of) :])), parts
            )
            if total / unit > MOST_EXACT:
                unit = total / PARTS
        self.reach, at = list(range(len(missing))), len(missing) - 1
        for place, begin in enumerate(begins, start=len(missing)):
            while at + 1 < len(missing) + len(ends) and (
                not high or ends[at + 1 - len(missing)] <= begin + exact(high)
            ):
                at += 1
            self.reach.append(max(place, at))
        if cap is not None and set(cap.texts) <= set(texts):
            # From the bottom to the top is all of the column.
            self.reach[len(missing)] = min(
                self.reach[len(missing)], len(self.reach) - 2
            )
        self.apart, apart = len(missing), [0] * len(missing)
        free = "loss" in scale
        self.begins = apart + [0 if free else int((x - first) / unit) for x in begins]
        self.ends = apart + [0 if free else int((x - first) / unit) for x in ends]
        self.single = apart + [0 if free else int(x / unit) for x in alone]
        self.shortest = 0 if free else int(shortest / unit)
        self.whole = max(1, *self.ends, 0)
        ordered = [*missing, *(text for _, text in known)]
        self.places = {text: place for place, text in enumerate(ordered)}

    def loss(self, low: int, high: int) -> int:
        """Return what a row pays for the range between two places."""
        if low == high:
            return self.single[low]
        if high > self.reach[low]:
            return self.whole
        return max(self.ends[high] - self.begins[low], self.shortest)


# checker/problem/statement.py

ROWWISE = ("nonhomogeneous_prices", "nonhomogeneous_tree")
OF_LINES = ("boxes", "odd_sets", "group_prices", "nonhomogeneous_prices")


class Statement:
    """Row types in canonical order, and what a valid release is.

    ``types[t]`` are the values of type t, quasi-identifiers first, then (if l > 1) the
    sensitive ones; ``copies[t]`` is how many rows have them.
    """

    def __init__(
        self,
        header: list[str],
        rows: list[list[str]],
        certificate: Content,
        trees: Trees | None = None,
    ) -> None:
        table = entries(certificate, "table")
        self.qi, sensitive = table["qi"], table["sensitive"]
        wanted = entries(certificate, "requirement")
        self.within = wanted.get(WITHIN)  # the digest of classes
        self.deleted: list[Any] = []
        if unit := next((unit for unit in UNITS if unit in wanted), None):
            if wanted[unit] in self.qi:
                raise RefusalError("its requirement counts a quasi-identifier")
            counted = ids(wanted, unit)
            sensitive, bounds = [wanted[unit]], [(1, 1, counted[0])]
            if certificate["kind"] == "persons":
                if not rows_together(wanted, self.qi):
                    raise RefusalError("rows of a person may be published differently")
                sensitive, bounds = [], [(counted[0], 1, 1)]
        else:
            if DELETED in wanted:
                self.deleted = [wanted[DELETED]]  # what a deleted row costs
                expect_plain_prices(certificate)
            within = WITHIN in wanted
            if within != (certificate["kind"] == WITHIN):
                raise RefusalError("its kind is not for what its requirement asks")
            wanted = {
                key: each
                for key, each in wanted.items()
                if key not in (WITHIN, DELETED)
            }
            parts = (
                listed_in(wanted["all_of"]) if set(wanted) == {"all_of"} else [wanted]
            )
            bounds = [required(part) for part in parts]
            if within and bounds:
                sensitive, bounds = [], [(max(map(max, bounds)), 1, 1)]
        if not bounds:
            raise RefusalError("its requirement is empty")
        self.k, self.l, self.distinct = (
            max(each) for each in zip(*bounds, strict=True)
        )
        data, kind = entries(certificate, "data"), certificate["kind"]
        self.expect_kind(kind)
        of_rows = "sensitive" not in data
        if kind == "odd_sets" and of_rows and self.distinct == 1:
            # Groups of two rows or more are all that it needs.
            self.k, self.l = max(self.k, self.l), 1
        if kind == "boxes" and of_rows:
            # What is left out of the requirement makes the bound no higher.
            self.k, self.l, self.distinct = max(self.k, self.l, self.distinct), 1, 1
        if self.distinct > 1 and kind not in ("tree", "boxes"):
            raise RefusalError("prices are not checked for distinct diversity")
        if self.distinct > 1:
            self.k = max(self.k, self.l, self.distinct)
        self.diverse = max(self.l, self.distinct) > 1
        self.least = max(self.k, self.l)
        if self.least < 2:
            raise RefusalError("it is for groups of fewer than two rows")
        objective = entries(certificate, "objective")
        self.of_losses = objective["kind"] == "gcp"
        shown = self.qi + (sensitive if self.diverse else [])
        if not set(shown) <= set(header) or len(set(shown)) < len(shown):
            raise RefusalError("it is for a table with other columns")
        named = [*objective["weights"], *objective["keep"]]
        if not set(named) <= set(self.qi):
            raise RefusalError(
                "its objective names a column that is no quasi-identifier"
            )
        self.kept = [column in objective["keep"] for column in self.qi]
        self.floors = {
            column: floor_of(column, stated, header, rows, trees or {})
            for column, stated in entries({"floors": {}, **table}, "floors").items()
        }
        rows = [
            [
                self.floors[column].text(cell) if column in self.floors else cell
                for column, cell in zip(header, row, strict=True)
            ]
            for row in rows
        ]
        places = [header.index(column) for column in shown]
        self.n = len(rows)
        self.shown = [tuple(row[j] for j in places) for row in rows]  # by row
        counts: Counter[Any] = Counter(self.shown)
        if certificate["kind"] == "persons":
            if unit is None:
                raise RefusalError("its requirement counts no persons")
            counts = by_person(rows, places, header.index(wanted[unit]))
        self.types: list[Any] = sorted(counts)
        self.copies = [counts[values] for values in self.types]
        if (whole(table["n"], 0), whole(table["d"], 0)) != (self.n, len(self.qi)):
            raise RefusalError("it is for a table of another size")
        if self.n < self.least:
            raise RefusalError("the table has too few rows for any release")
        named = data.get("sensitive", sensitive[:1])
        named = named if isinstance(named, list) else [named]
        if "sensitive" in data and not (
            self.diverse and named and set(named) <= set(sensitive)
        ):
            raise RefusalError("its sensitive column is none of the table")
        if objective["kind"] == "tuples":
            self.join_columns()
        # By column that is looked at, the sensitive value of each type.
        self.values: list[list[str]] = [
            [type_[len(self.qi) + sensitive.index(column)] for type_ in self.types]
            for column in (named if self.diverse else [])
        ]
        self.charge(objective, trees or {}, kind in OF_LINES)
        if unit:
            lines = [dict(zip(header, row, strict=True)) for row in rows]
            expect_alike(wanted, wanted[unit], table["qi"], lines)
            columns = [[row[c] for row in lines] for c in table["sensitive"] or ()]
            apart = [[row[c] for c in objective["keep"]] for row in lines]
            expect_release(
                counted, [row[wanted[unit]] for row in lines], columns, apart
            )

    def expect_kind(self, kind: str) -> None:
        """Refuse a requirement for which there are no proofs of a kind."""
        if kind in ROWWISE and (self.l > 1 or self.distinct > 1):
            raise RefusalError("a proof of this kind is for k-anonymity only")

    def rows_of(self, t: int) -> int:
        """Return how many rows each person of a type has (section "Kind persons")."""
        return int(self.types[t][-1])

    def join_columns(self) -> None:
        """Make one value of each row (section "Tuples"), beside the kept columns."""
        d, kept = len(self.qi), [j for j, kept in enumerate(self.kept) if kept]
        self.types = [
            (repr(row[:d]), *(row[j] for j in kept), *row[d:]) for row in self.types
        ]
        self.qi = ["", *(self.qi[j] for j in kept)]
        self.kept = [False] + [True] * len(kept)

    def charge(self, objective: Content, trees: Trees, of_lines: bool) -> None:
        """Set the nodes above each value, and what a row pays for each of them."""
        scales = objective["scales"] if objective["kind"] == "gcp" else {}
        if objective["kind"] not in ("stars", "tuples", "gcp"):
            raise RefusalError("its objective is neither stars, tuples nor gcp")
        self.chains: list[dict[str, Chain]] = []
        self.lines: list[Line | None] = []
        for j, column in enumerate(self.qi):
            texts = {type_[j] for type_ in self.types}
            floor = self.floors.get(column)
            numeric = column in scales and scales[column].get("scale") == "numeric"
            self.lines.append(None)
            if numeric and of_lines:
                cap = floor if isinstance(floor, Cap) else None
                self.lines[-1] = line = Line(texts, scales[column], cap)
                self.chains.append({text: [(STAR, line.whole)] for text in texts})
            elif column in scales:
                level = floor if isinstance(floor, Level) else None
                paths = trees.get(column)
                self.chains.append(chains(texts, scales[column], paths, level))
            else:
                self.chains.append({text: [(STAR, 1), (text, 0)] for text in texts})
        self.losses = [
            {text: dict(chain) for text, chain in of_text.items()}
            for of_text in self.chains
        ]
        # The root loses most; its loss counts as 1, whatever the column.
        domains = [
            max(1, *(c[0][1] for c in of_text.values())) for of_text in self.chains
        ]
        self.units = [
            whole(objective["weights"].get(column, 1), 0) * (math.lcm(*domains) // most)
            for column, most in zip(self.qi, domains, strict=True)
        ]

    @property
    def most_loss(self) -> int:
        """What a release loses that publishes the root of every column."""
        roots = (max(c[0][1] for c in of_text.values()) for of_text in self.chains)
        row = sum(u * loss for u, loss in zip(self.units, roots, strict=True))
        return self.n * row

    def expect_capped(self, unit: int, prices: list[int]) -> None:
        """Refuse prices above what a deleted row costs, where rows may be deleted."""
        row = self.most_loss // self.n
        for told in self.deleted:
            cap = unit * deletion_price(told, row, self.of_losses)
            if any(price > cap for price in prices):
                raise RefusalError("a price is above what a deleted row costs")

    def lowest(self, column: int, members: list[int]) -> Node:
        """Return the lowest node that all values of some types are below."""
        texts = {self.types[t][column] for t in members}
        levels = zip(*(self.chains[column][text] for text in texts), strict=False)
        common: list[Node] = [a[0][0] for a in levels if len(set(a)) == 1]
        return common[-1]

    def cover(self, types: list[int]) -> Key:
        """Return the smallest pattern that these types fit."""
        if not types:
            raise RefusalError("a pattern has no row type")
        return tuple(self.lowest(column, types) for column in range(len(self.qi)))

    def fitting(self, key: Key) -> tuple[int, list[int]]:
        """Return what a row pays that is published so, and the types that fit."""
        cost, members = 0, list(range(len(self.types)))
        for column, node in enumerate(key):
            losses = self.losses[column]
            members = [t for t in members if node in losses[self.types[t][column]]]
            cost += self.units[column] * losses[self.types[members[0]][column]][node]
        return cost, members


def by_person(rows: list[list[str]], places: list[int], of: int) -> Counter[Any]:
    """Count persons by their values and the number of their rows.

    Parameters
    ----------
    rows
        All of them.
    places
        Where the values stand.
    of
        Where the ids stand.
    """
    values: dict[str, tuple[str, ...]] = {}
    many = Counter(row[of] for row in rows)
    for row in rows:
        seen = tuple(row[j] for j in places)
        if values.setdefault(row[of], seen) != seen:
            raise RefusalError("rows of a person differ, and cannot be alike")
    return Counter((*seen, many[who]) for who, seen in values.items())


# checker/boxes/pieces.py

NEVER = 1 << 5000  # above the worth of any group


class Pieces:
    """A certificate of kind ``boxes``. Sets of types are the bits of a number.

    Bits are numbered by falling price at the root: ``order`` has the types so.
    """

    def __init__(self, problem: Statement, data: Content) -> None:
        self.problem = problem
        self.least: int = problem.least
        self.unit = whole(data["denominator"], 1)
        every = range(len(problem.types))
        prices = [whole(price, None) for price in listed_in(data["prices"])]
        if len(prices) != len(every):
            raise RefusalError(f"it has {len(prices)} prices for {len(every)} types")
        self.order = sorted(every, key=lambda t: -prices[t])
        self.bit = [0] * len(every)
        for place, t in enumerate(self.order):
            self.bit[t] = place
        self.prices = [prices[t] for t in self.order]
        self.copies = [problem.copies[t] for t in self.order]
        self.value = (
            [problem.values[0][t] for t in self.order] if problem.diverse else None
        )
        self.values: int = problem.l if problem.l > 1 else problem.distinct
        self.uncut = isinstance(data.get("sensitive"), list)
        self.columns_of = [[held[t] for t in self.order] for held in problem.values]
        self.sizes = self.piece_sizes()
        self.sets: list[tuple[int, int]] = []
        self.tallies: dict[int, tuple[str, int, tuple[int, int, int]]] = {}
        for stated in listed_in(data["sets"]):
            if self.uncut and len(listed_in(stated)) == 3:
                self.tally(*stated)
                continue
            types, share = pair(stated)
            lowest = 1 if problem.l == 1 or self.uncut else 0
            if not lowest <= whole(share, 0) <= self.least:
                raise RefusalError("a share is 0, or larger than the least group")
            self.sets.append((self.mask(set(numbers(types, self.bit))), share))
        stated = changes(data["multipliers"], range(len(self.sets)), None)
        self.multipliers = [stated.get(s, 0) for s in range(len(self.sets))]
        if any(multiplier > 0 for multiplier in self.multipliers):
            raise RefusalError("a multiplier of the root is above 0")
        if any(m and self.sets[s][1] <= 0 for s, m in stated.items()):
            raise RefusalError("a set that counts piles or rows has a multiplier above")
        self.most = [
            self.most_in(types, share) if share >= 0 else self.most_rows(s)
            for s, (types, share) in enumerate(self.sets)
        ]
        self.most_groups = self.most_in((1 << len(every)) - 1, self.least)
        self.at = [self.places_of(j) for j in range(len(problem.qi))]
        rank = sorted(
            (problem.lines[j] is not None, len(self.at[j]), j)
            for j in range(len(problem.qi))
        )
        self.columns = [j for *_, j in rank]

    def places_of(self, column: int) -> dict[Any, int]:
        """Return by text, or place on a line, the types that have it."""
        found: dict[Any, int] = {}
        line = self.problem.lines[column]
        for place, t in enumerate(self.order):
            text: Any = self.problem.types[t][column]
            key = text if line is None else line.places[text]
            found[key] = found.get(key, 0) | 1 << place
        return found

    def tally(self, types: Any, kind: Any, counted: Any) -> None:
        """Read a box, and what is said of some of its rows (section "Kind boxes").

        Noted are what a row counts that is one of them, any other one, and a group.
        """
        some = set(numbers(counted, self.bit))
        inside = set(numbers(types, self.bit))
        if kind == "rows":
            counts = 1, 0, 0
        elif kind == "share":
            if all(len({held[t] for t in some}) != 1 for held in self.columns_of):
                raise RefusalError("a share counts types of several values")
            counts = self.problem.l - 1, -1, 0
        elif kind == "values":
            others = [{held[t] for t in inside - some} for held in self.columns_of]
            needed = self.problem.distinct - min(len(held) for held in others)
            counts = -1, 0, max(0, needed)
        else:
            raise RefusalError("a set counts neither rows, a share, nor values")
        self.tallies[len(self.sets)] = kind, self.mask(some), counts
        self.sets.append((self.mask(inside), -1))

    def most_rows(self, s: int) -> int:
        """Return what a set that counts rows counts at most."""
        kind, counted, _ = self.tallies[s]
        return sum(self.copies[t] for t in places(counted)) if kind == "rows" else 0

    @staticmethod
    def mask(among: set[int]) -> int:
        """Return a set of types as a number."""
        return sum(1 << t for t in among)

    def worth(
        self,
        cost: int,
        members: Sequence[int],
        must: Sequence[int],
        prices: list[int],
        gain: int = 0,
    ) -> int | None:
        """Return what the cheapest group is worth that some types are in.

        ``members`` are the types that fit, by falling price; ``gain`` is what each pile
        of a group is worth beside.
        """
        if self.value is not None and self.problem.l == 1:
            return self.worth_of_values(cost, members, must, prices, self.value)
        best = None
        for size in self.sizes:
            worth = self.worth_of_size(cost, members, must, prices, size)
            if worth is not None:
                worth -= gain * size[2]
                best = worth if best is None else min(best, worth)
        return best

    def worth_of_size(
        self,
        cost: int,
        members: Sequence[int],
        must: Sequence[int],
        prices: list[int],
        sizes: tuple[int, int, int],
    ) -> int | None:
        """Return what the cheapest group of some sizes is worth.

        ``sizes`` are the least and the most rows, and how many may have the same value.
        """
        least, most, height = sizes
        size, total = len(must), sum(cost - prices[t] for t in must)
        held = Counter([] if self.value is None else [self.value[t] for t in must])
        if size > most or any(many > height for many in held.values()):
            return None
        for t in members:
            each = cost - prices[t]
            if size == most or (size >= least and each >= 0):
                break
            take = self.copies[t] - (t in must)
            take = min(take, (most if each < 0 else least) - size)
            if self.value is not None:
                take = min(take, height - held[self.value[t]])
                held[self.value[t]] += take
            size, total = size + take, total + take * each
        return total if size >= least else None

    def worth_of_values(
        self,
        cost: int,
        members: Sequence[int],
        must: Sequence[int],
        prices: list[int],
        value: list[str],
    ) -> int | None:
        """Return what the cheapest group with several values is worth.

        All that pays is in it, then the cheapest rows of values that are missing, then
        the cheapest of all others.
        """
        taken = dict.fromkeys(must, 1)
        taken.update({t: self.copies[t] for t in members if prices[t] > cost})
        held = {value[t] for t in taken}
        for t in members:
            if len(held) < self.values and value[t] not in held:
                taken[t] = 1
                held.add(value[t])
        if len(held) < self.values:
            return None
        for t in members:
            missing = self.least - sum(taken.values())
            if missing <= 0:
                break
            before = taken.get(t, 0)
            taken[t] = before + min(missing, self.copies[t] - before)
        if sum(taken.values()) < self.least:
            return None
        return sum(many * (cost - prices[t]) for t, many in taken.items())

    def piece_sizes(self) -> list[tuple[int, int, int]]:
        """Return the sizes of pieces: section "Kind boxes", by height."""
        l, least = self.problem.l, self.least
        if l == 1:
            return [(least, 2 * least - 1, 2 * least - 1)]
        top = 2 * -(-least // l) - 1
        if self.uncut and self.value is not None:
            # Larger groups have a value as often as you like.
            held = Counter[str]()
            for value, many in zip(self.value, self.copies, strict=True):
                held[value] += many
            top = max(least // l, *held.values())
        sizes = [
            (max(least, height * l), height * l + l - 1, height)
            for height in range(least // l, top + 1)
        ]
        if self.uncut:
            sizes[-1] = sizes[-1][0], max(self.problem.n, sizes[-1][0]), top
        return sizes

    def rows_at_most(self) -> tuple[int, int, int]:
        """Return how many rows a piece has, least and most, and how many of a value."""
        if self.value is not None and self.problem.l == 1:
            return self.least, self.problem.n, self.problem.n
        return self.sizes[0][0], self.sizes[-1][1], self.sizes[-1][2]

    def most_in(self, types: int, share: int) -> int:
        """Return what the coefficients of a set are together at most."""
        among = places(types)
        rows = sum(self.copies[t] for t in among)
        most = rows // (share or self.values)
        if share in (0, self.least) and self.value is not None:
            held = Counter[str]()
            for t in among:
                held[self.value[t]] += self.copies[t]
            frequent = sorted(held.values(), reverse=True)
            for j in range(self.values):
                left = rows - sum(frequent[:j])
                most = min(most, left // self.beyond(j, share or self.values))
        return most

    def beyond(self, j: int, least: int) -> int:
        """Return how many rows of a piece have none of j values, at least."""
        l: int = self.problem.l
        if l == 1:
            return self.values - j
        height = least // l
        return min(least - j * height, (height + 1) * (l - j))

    def coefficient(self, members: int, must: int, types: int, share: int) -> int:
        """Return how many rows of a set each group of a box has at least, by share."""
        if share < 0:  # it counts rows of the box that has its types
            return int(members == types)
        if share == 0:  # how many groups of the box are inside for each of its groups
            return int(members & ~types == 0)
        if members & ~types and share == self.least > must.bit_count():
            return 0  # a row of the group may be outside
        outside = members & ~types
        if self.value is None:
            rows = self.least - outside.bit_count()
            if rows > 0:
                rows = self.least - sum(self.copies[t] for t in places(outside))
            return max((must & types).bit_count(), rows) // share
        among, inside = places(outside), places(must & types)
        rows = self.least - sum(self.copies[t] for t in among)
        values = self.values - len({self.value[t] for t in among})
        return max(len({self.value[t] for t in inside}), rows, values) // share


def places(number: int) -> list[int]:
    """Return the places of the bits of a number, the lowest first."""
    found: list[int] = []
    while number:
        lowest = number & -number
        found.append(lowest.bit_length() - 1)
        number ^= lowest
    return found


# checker/boxes/box_columns.py


class Choice(NamedTuple):
    """What some types are published as in a column.

    ``parts`` are the types at both ends of a range, or below each child of a node: a
    group has rows of two of them. ``hidden`` is a column of numbers that is hidden.
    """

    cost: int
    types: int
    parts: tuple[int, ...] = ()
    hidden: "LineOfTypes | None" = None

    def ends(self, members: int) -> int | None:
        """Return the types that each group published so has; None: there is none."""
        if self.hidden is not None:
            return 0 if self.hidden.is_hidden(members) else None
        if not self.parts:
            return 0
        held = [part & members for part in self.parts if part & members]
        if len(held) < 2:
            return None
        if len(held) > 2:
            return 0
        return sum(part for part in held if part.bit_count() == 1)


class LineOfTypes:
    """A column of numbers, published as ranges, or hidden."""

    def __init__(self, pieces: Pieces, column: int, line: Line) -> None:
        self.line, self.kept = line, pieces.problem.kept[column]
        self.unit = pieces.unit * pieces.problem.units[column]
        self.place = [0] * len(pieces.order)
        self.at = [0] * len(line.reach)
        for place, types in pieces.at[column].items():
            self.at[place] = types
            for t in places(types):
                self.place[t] = place
        self.whole = self.unit * line.whole
        self.from_low, self.to_high = cache(self._from_low), cache(self._to_high)

    def is_hidden(self, members: int) -> bool:
        """Return whether some types are published as all of the column."""
        held = [place for place, types in enumerate(self.at) if types & members]
        return held[0] != held[-1] and held[-1] > self.line.reach[held[0]]

    def _least(self, low: int, high: int) -> int:
        """Return what a group pays at least that has rows at two places."""
        if low < high and self.kept:
            return NEVER
        loss = self.unit * self.line.loss(low, high)
        return loss if self.kept else min(loss, self.whole)

    def _from_low(self, low: int) -> list[int]:
        return [self._least(min(low, p), max(low, p)) for p in range(len(self.at))]

    def _to_high(self, high: int) -> list[int]:
        return self._from_low(high)

    def least_with(self, must: int, low: int | None, types: list[int]) -> list[int]:
        """Return for some types what a group pays at least that has each one.

        It has the types ``must``; and is published as a range from a place, if one is
        given.
        """
        held = [self.place[t] for t in places(must)]
        if low is not None:
            held.append(low)
        if not held:
            return [self._least(self.place[t], self.place[t]) for t in types]
        first, last = min(held), max(held)
        above, below = self.from_low(first), self.from_low(last)
        between = above[last]
        return [
            below[p] if p < first else above[p] if p > last else between
            for p in map(self.place.__getitem__, types)
        ]


class TreeOfTypes:
    """A column of values below the nodes of a tree."""

    def __init__(self, pieces: Pieces, column: int) -> None:
        self.kept = pieces.problem.kept[column]
        self.unit = pieces.unit * pieces.problem.units[column]
        self.chains = pieces.problem.chains[column]
        self.at = pieces.at[column]
        self.nodes = list[tuple[Choice, int]]()
        self._add(0, list(self.at))
        self.known = cache(self._known)

    def _add(self, depth: int, texts: list[str]) -> None:
        """Add the node of some texts, and those below; each with where these end."""
        parts: dict[Node, list[str]] = {}
        for text in texts:
            chain = self.chains[text]
            child = chain[depth + 1][0] if depth < len(chain) - 1 else text
            parts.setdefault(child, []).append(text)
        inner = depth < len(chain) - 1
        below = tuple(sum(self.at[text] for text in part) for part in parts.values())
        cost = self.unit * chain[depth][1]
        own_place = len(self.nodes)
        choice = Choice(cost, sum(below), below if inner else ())
        self.nodes.append((choice, 0))
        if inner:
            for part in parts.values():
                self._add(depth + 1, part)
        self.nodes[own_place] = choice, len(self.nodes)

    def _known(self, must: int) -> list[tuple[int, int]]:
        """Return the nodes above some types by what they cost, and their types."""
        return sorted(
            (choice.cost, choice.types)
            for choice, _ in self.nodes
            if must & ~choice.types == 0 and not (choice.parts and self.kept)
        )

    def least_with(self, must: int, low: int | None, types: list[int]) -> list[int]:
        """Return for some types what a group pays at least that has each one."""
        above = self.known(must)
        return [
            next((cost for cost, below in above if below >> t & 1), NEVER)
            for t in types
        ]


# checker/boxes/dear_rows.py


class DearRows:
    """Rows of some types by falling price, beside those that each group has.

    Of one sensitive value there are as many as a piece may have; that a piece needs
    different values is left out.
    """

    def __init__(self, pieces: Pieces, types: list[int], must: int) -> None:
        self.never = NEVER
        self.fewest, self.most, height = pieces.rows_at_most()
        self.prices, self.must = pieces.prices, must
        self.has, self.paid = must.bit_count(), 0
        heads, self.first = list[int](), dict[int, int]()
        held = dict[str, int]()
        for t in types:
            price, many = self.prices[t], pieces.copies[t]
            if must >> t & 1:
                many -= 1
                self.paid += price
            if pieces.value is not None:
                value = pieces.value[t]
                many = min(many, height - held.get(value, 0))
                held[value] = held.get(value, 0) + many
            if many:
                self.first[t] = len(heads)
                heads += [-price] * min(many, self.most)
        self.heads = heads
        self.sums = [0, *accumulate(heads)]

    def worth(self, cost: int) -> int:
        """Return what a group is worth at least in which a row pays so much."""
        return self._least(cost, self.has, self.paid, None)

    def worth_with(self, cost: int, t: int) -> int:
        """Return the same of groups that have a row of a type."""
        if self.must >> t & 1:
            return self._least(cost, self.has, self.paid, None)
        own = self.first.get(t)
        return self._least(cost, self.has + 1, self.paid + self.prices[t], own)

    def _least(self, cost: int, has: int, paid: int, without: int | None) -> int:
        """Return what the cheapest group is worth; the row at a place is among those
        that it has."""
        if has > self.most:
            return self.never
        known = len(self.heads) - (without is not None)
        rows = bisect_left(self.heads, -cost)
        if without is not None and rows > without:
            rows -= 1
        if rows > self.most - has:
            rows = self.most - has
        elif rows < self.fewest - has:
            rows = self.fewest - has
            if rows > known:
                return self.never
        if without is not None and rows > without:
            others = self.sums[rows + 1] - self.heads[without]
        else:
            others = self.sums[rows]
        return (has + rows) * cost - paid + others


# checker/boxes/box_list.py


class BoxList:
    """Boxes worth less than a threshold: cost, types, ends, worth.

    Nodes are chosen column by column. Of a type that is left no group need have a row
    if each group that has one is worth the threshold or more: a group that has certain
    types pays in all columns what their smallest nodes cost. Such types stay members of
    boxes, but no box has one as an end.
    """

    def __init__(self, pieces: Pieces, threshold: int) -> None:
        self.pieces, self.threshold = pieces, threshold
        self.found: list[tuple[int, int, int, int]] = []
        self.charged = [
            (types, share, -multiplier)
            for (types, share), multiplier in zip(
                pieces.sets, pieces.multipliers, strict=True
            )
            if multiplier
        ]
        self.columns: list[LineOfTypes | TreeOfTypes] = []
        for column in pieces.columns:
            line = pieces.problem.lines[column]
            self.columns.append(
                TreeOfTypes(pieces, column)
                if line is None
                else LineOfTypes(pieces, column, line)
            )
        types = list(range(len(pieces.order)))
        self.look(0, (1 << len(types)) - 1, types, [])

    def look(
        self, cost: int, members: int, useful: list[int], chosen: list[Choice]
    ) -> None:
        """Look for boxes that begin with some nodes."""
        must = 0
        for choice in chosen:
            ends = choice.ends(members)
            if ends is None:
                return
            must |= ends
        useful = [t for t in useful if members >> t & 1]
        if must & ~mask_of(useful):
            return
        pieces, column = self.pieces, len(chosen)
        full = column == len(self.columns)
        among = places(members) if full or pieces.value is not None else useful
        worth = pieces.worth(cost, among, places(must), pieces.prices)
        if worth is None or worth >= self.threshold:
            return
        left = self.left(members, must)
        if worth >= left:
            return
        if full:
            total = worth + self.threshold - left
            self.found.append((cost, members, must, total))
            return
        useful = self.narrowed(column, cost, must, None, useful, left)
        if not useful:
            return
        one = self.columns[column]
        given = cost, members, must, useful, left, chosen
        if isinstance(one, TreeOfTypes):
            self.choose_node(one, *given)
        else:
            self.choose_range(one, *given)

    def left(self, members: int, must: int) -> int:
        """Return what the threshold leaves to groups, if sets are charged."""
        left = self.threshold
        for types, share, charge in self.charged:
            left -= charge * self.pieces.coefficient(members, must, types, share)
        return left

    def narrowed(
        self,
        column: int,
        cost: int,
        must: int,
        low: int | None,
        useful: list[int],
        left: int,
    ) -> list[int]:
        """Return the types of which groups have rows that are worth little enough.

        They have the types ``must``, and pay a cost in the columns before. ``low`` is
        where the range of this column begins, if that is chosen.
        """
        while True:
            paid = [cost] * len(useful)
            for j in range(column, len(self.columns)):
                more = self.columns[j].least_with(
                    must, low if j == column else None, useful
                )
                paid = [a + b for a, b in zip(paid, more, strict=True)]
            rows = DearRows(self.pieces, useful, must)
            kept = [
                t
                for t, each in zip(useful, paid, strict=True)
                if rows.worth_with(each, t) < left
            ]
            if must & ~mask_of(kept):
                return []
            if len(kept) == len(useful):
                return kept
            useful = kept

    def choose_node(
        self,
        column: TreeOfTypes,
        cost: int,
        members: int,
        must: int,
        useful: list[int],
        left: int,
        chosen: list[Choice],
    ) -> None:
        """Look for boxes with each node of a tree that may pay."""
        place, some = 0, mask_of(useful)
        while place < len(column.nodes):
            choice, after = column.nodes[place]
            among = choice.types & some
            rows = DearRows(self.pieces, places(among), must & among)
            if must & ~choice.types or rows.worth(cost) >= left:
                place = after
                continue
            place += 1
            if choice.parts and column.kept:
                continue
            if rows.worth(cost + choice.cost) < left:
                below = members & choice.types
                self.look(cost + choice.cost, below, useful, [*chosen, choice])

    def choose_range(
        self,
        column: LineOfTypes,
        cost: int,
        members: int,
        must: int,
        useful: list[int],
        left: int,
        chosen: list[Choice],
    ) -> None:
        """Look for boxes with each range that may pay."""
        if not column.kept and column.is_hidden(members):
            choice = Choice(column.whole, members, (), column)
            self.look(cost + column.whole, members, useful, [*chosen, choice])
        held = [place for place, types in enumerate(column.at) if types & members]
        later = members
        for first, low in enumerate(held):
            here = column.at[low] & members
            if must & ~later:
                return
            useful = [t for t in useful if later >> t & 1]
            if DearRows(self.pieces, useful, must).worth(cost) >= left:
                return
            alone = here if here.bit_count() == 1 else 0
            if alone & ~mask_of(useful) == 0:
                if must & ~here == 0:
                    choice = Choice(column.unit * column.line.loss(low, low), here)
                    below = cost + choice.cost, here, useful, [*chosen, choice]
                    self.look(*below)
                if first + 1 < len(held) and not column.kept:
                    given = cost, later, must | alone, useful, chosen
                    self.choose_high(column, held[first:], *given)
            later &= ~here

    def choose_high(
        self,
        column: LineOfTypes,
        held: list[int],
        cost: int,
        members: int,
        must: int,
        useful: list[int],
        chosen: list[Choice],
    ) -> None:
        """Look for boxes with each range from a place that may pay."""
        low, reach = held[0], column.line.reach[held[0]]
        left = self.left(members, must)
        useful = self.narrowed(len(chosen), cost, must, low, useful, left)
        if not useful:
            return
        some, types = mask_of(useful), column.at[low] & members
        rows = DearRows(self.pieces, useful, must)
        for high in held[1:]:
            if high > reach:
                return
            at_high = column.at[high] & members
            types |= at_high
            if must & ~types:
                continue
            alone = at_high if at_high.bit_count() == 1 else 0
            if alone & ~some:
                continue
            paid = cost + column.unit * column.line.loss(low, high)
            if rows.worth(paid) >= left:
                return
            among = DearRows(self.pieces, places(types & some), must | alone)
            if among.worth(paid) < left:
                choice = Choice(paid - cost, types, (column.at[low], column.at[high]))
                self.look(paid, types, useful, [*chosen, choice])


def mask_of(types: list[int]) -> int:
    """Return some types as the bits of a number."""
    mask = 0
    for t in types:
        mask |= 1 << t
    return mask


def below(pieces: Pieces, threshold: int) -> list[tuple[int, int, int, int]]:
    """Return the boxes worth less than a threshold: cost, types, ends, worth."""
    return BoxList(pieces, threshold).found


# checker/boxes/box_bound.py


def box_bound(pieces: Pieces, claim: int, nodes: list[Any]) -> int:
    """Return what is proven, at most the claim, in units of the objective."""
    goal = (claim - 1) * pieces.unit + 1
    sides = [(m, 0, b) for m, b in zip(pieces.multipliers, pieces.most, strict=True)]
    at_root = least_of_all(pieces, pieces.prices, sides)
    boxes = below(pieces, max(0, goal - at_root))
    least = min((worth for *_, worth in boxes), default=0)
    total = at_root + pieces.most_groups * min(0, least)
    if nodes:
        if least < 0:
            raise RefusalError("a box is worth less than 0 at the root of its tree")
        total = max(total, least_box_leaf(pieces, boxes, goal, nodes))
    return min(claim, max(0, -(-total // pieces.unit)))


def least_box_leaf(
    pieces: Pieces, boxes: list[tuple[int, int, int, int]], goal: int, nodes: list[Any]
) -> int:
    """Return the least that is proven at a leaf, at most the goal."""
    listed = [
        (
            *(cost, places(members), places(must)),
            [pieces.coefficient(members, must, *stated) for stated in pieces.sets],
        )
        for cost, members, must, _ in boxes
    ]
    sides = [(m, 0, b) for m, b in zip(pieces.multipliers, pieces.most, strict=True)]
    waiting, lowest = [(pieces.prices, sides)], goal
    for node in nodes:
        if not waiting:
            raise RefusalError("there are nodes beyond its tree")
        prices, sides = waiting.pop()
        if not isinstance(node, dict) or not set(node) <= {
            "prices",
            "sets",
            "split",
        }:
            raise RefusalError("a node has an entry of unknown name")
        new = changes(node.get("prices", []), pieces.bit, None)
        prices = [new.get(t, price) for t, price in enumerate(prices)]
        new = changes(node.get("sets", []), range(len(sides)), None)
        sides = [(new.get(s, m), low, high) for s, (m, low, high) in enumerate(sides)]
        # Of what is said of values there is no lower bound.
        bounded = [s for s, (kind, *_) in pieces.tallies.items() if kind != "rows"]
        if any(sides[s][0] > 0 for s in bounded):
            raise RefusalError("a node has values of a box on their lower side")
        if "split" in node:
            place, number = pair(node["split"])
            (s,) = numbers([place], range(len(sides)))
            if s in bounded:
                raise RefusalError("a node splits values of a box")
            m, low, high = sides[s]
            number = whole(number, 0)
            lower, upper = (low, min(high, number)), (max(low, number + 1), high)
            waiting += [
                (prices, [*sides[:s], (m, *side), *sides[s + 1 :]])
                for side in (upper, lower)
            ]
            continue
        lowest = min(lowest, box_leaf(pieces, listed, prices, sides))
    if waiting:
        raise RefusalError("a node of its tree is missing")
    return lowest


def box_leaf(
    pieces: Pieces,
    listed: list[tuple[int, list[int], list[int], list[int]]],
    prices: list[int],
    sides: list[tuple[int, int, int]],
) -> int:
    """Return what is proven of the releases that agree with a path."""
    used = [(s, m) for s, (m, _, _) in enumerate(sides) if m]
    least = 0
    for cost, members, must, coefficients in listed:
        gains = [(m * coefficients[s], pieces.sets[s][1]) for s, m in used]
        of_piles = sum(gain for gain, share in gains if share == 0)
        others = sum(gain for gain, share in gains if share > 0)
        paid = prices
        for s, m in used:
            if pieces.sets[s][1] < 0 and coefficients[s]:
                _, counted, (one, other, group) = pieces.tallies[s]
                others += m * group
                paid = [
                    price + m * (one if counted >> t & 1 else other)
                    for t, price in enumerate(paid)
                ]
        dearest = sorted(members, key=lambda t: -paid[t])
        worth = pieces.worth(cost, dearest, must, paid, of_piles)
        if worth is not None:
            least = min(least, worth - others)
    return least_of_all(pieces, prices, sides) + pieces.most_groups * least


def least_of_all(
    pieces: Pieces, prices: list[int], sides: list[tuple[int, int, int]]
) -> int:
    """Return what is proven where no box is worth less than 0.

    ``sides`` are the multiplier of each set, and what it has at least and at most.
    """
    total = sum(p * s for p, s in zip(prices, pieces.copies, strict=True))
    return total + sum(
        multiplier * (low if multiplier > 0 else high)
        for multiplier, low, high in sides
    )


# checker/groups/group_cost.py


class GroupCost:
    """Costs of groups, by what two of their types cost in each column.

    No node or range loses less than one within it, which is looked at first. So what a
    group is published as in a column loses what two of its rows lose alone.
    """

    def __init__(self, problem: Statement) -> None:
        self.problem = problem
        if not all(self.grows(column) for column in range(len(problem.qi))):
            raise RefusalError("losses fall where ranges grow")
        self.known: list[dict[tuple[str, str], int | None]] = [{} for _ in problem.qi]
        several = [len({type_[j] for type_ in problem.types}) for j in range(self.d)]
        # Most groups are dear by the columns of many values.
        self.columns = sorted(range(self.d), key=lambda j: -several[j])

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.problem.qi)

    def grows(self, column: int) -> bool:
        """Return whether no range of a column loses less than one within it."""
        line = self.problem.lines[column]
        if line is None:
            chains = self.problem.chains[column].values()
            losses = [[loss for _, loss in chain] for chain in chains]
            return all(each == sorted(each, reverse=True) for each in losses)
        count = len(line.places)
        return all(
            line.loss(low, high) <= line.loss(low, high + 1)
            and line.loss(low + 1, high + 1) <= line.loss(low, high + 1)
            for low in range(count)
            for high in range(low, count - 1)
        )

    def of(self, types: Sequence[int], below: int | None = None) -> int | None:
        """Return what a row pays in a group, as far as it is below a number.

        None where that is as much or more, or where the group is none, as its rows
        differ in a column that is kept.
        """
        total = 0
        for column in self.columns:
            texts = sorted({self.problem.types[t][column] for t in types})
            dearest = 0
            for place, first in enumerate(texts):
                for second in texts[place:] if len(texts) == 1 else texts[place + 1 :]:
                    lost = self.of_two(column, first, second)
                    if lost is None:
                        return None
                    dearest = max(dearest, lost)
            total += dearest
            if below is not None and total >= below:
                return None
        return total

    def of_two(self, column: int, first: str, second: str) -> int | None:
        """Return what two texts lose in a column; None where it is kept."""
        known = self.known[column]
        if (first, second) not in known:
            known[first, second] = self.computed(column, first, second)
        return known[first, second]

    def computed(self, column: int, first: str, second: str) -> int | None:
        """Return what two texts lose in a column, computed."""
        problem = self.problem
        if first != second and problem.kept[column]:
            return None
        unit, line = problem.units[column], problem.lines[column]
        if line is not None:
            low, high = sorted((line.places[first], line.places[second]))
            return unit * line.loss(low, high)
        both = problem.chains[column][first], problem.chains[column][second]
        common = [a for a, b in zip(*both, strict=False) if a == b]
        return unit * common[-1][1]


# checker/groups/group_prices.py


def group_price_bound(problem: Statement, data: Content) -> int:
    """Return the sum of all prices, if no rows published together pay less.

    In units of 1/denominator. Rows that pay less are looked for: the dearest one comes
    first, the others follow by falling price. None pays less when others join. Of a
    sensitive value there are no more than the share 1/l of them, rounded up.
    """
    unit, prices = priced_types(data, len(problem.types))
    rows = [t for t, copies in enumerate(problem.copies) for _ in range(copies)]
    rows.sort(key=lambda t: -prices[t])
    costs, least = GroupCost(problem), problem.least
    values = problem.values[0] if problem.l > 1 else [""] * len(prices)
    alike = -(-least // problem.l)  # rows of a value
    for place, dearest in enumerate(rows):
        if prices[dearest] <= 0:
            break
        # Rows chosen, their prices, and those that may follow.
        waiting: list[tuple[tuple[int, ...], int, list[int]]]
        waiting = [((dearest,), prices[dearest], rows[place + 1 :])]
        while waiting:
            chosen, paid, others = waiting.pop()
            missing = least - len(chosen)
            near, of_value = [], Counter(values[t] for t in chosen)
            for t in others:
                if of_value[values[t]] == alike:
                    continue
                # Others that come with it may be as dear as the last one chosen.
                most = paid + (missing - 1) * prices[chosen[-1]] + prices[t]
                if costs.of((*chosen, t), below=-(-most // (unit * least))) is not None:
                    near.append(t)
            if missing == 1 and near:
                raise RefusalError(f"some {least} rows cost less than their prices")
            for at, t in enumerate(near[: max(0, len(near) - missing + 1)]):
                waiting.append(((*chosen, t), paid + prices[t], near[at + 1 :]))
    return sum(p * m for p, m in zip(prices, problem.copies, strict=True))


# checker/groups/odd_sets.py


def odd_set_bound(problem: Statement, data: Content) -> int:
    """Return what no release costs less than, in units of 1/denominator."""
    unit, prices = priced_types(data, len(problem.types))
    sets = [numbers(one, range(len(prices))) for one in listed_in(data["sets"])]
    paid = [whole(price, 0) for price in listed_in(data["set_prices"])]
    if len(sets) != len(paid):
        raise RefusalError("its sets are not as many as their prices")
    sets_of: list[list[int]] = [[] for _ in prices]
    for s, one in enumerate(sets):
        if not one or len(set(one)) < len(one):
            raise RefusalError("a set has no type, or one twice")
        if sum(problem.copies[t] for t in one) % 2 == 0:
            raise RefusalError(f"set {s} of its data has an even number of rows")
        for t in one:
            sets_of[t].append(s)
    full = [
        price + sum(paid[s] for s in some)
        for price, some in zip(prices, sets_of, strict=True)
    ]
    costs = GroupCost(problem)
    for group, cost in dear_groups(problem, unit, full, costs):
        odd = set[int]()
        for t in group:
            odd ^= set(sets_of[t])
        earned = sum(prices[t] for t in group) + sum(paid[s] for s in odd)
        if earned > len(group) * unit * cost:
            raise RefusalError("a group is paid more than it costs")
    return sum(p * m for p, m in zip(prices, problem.copies, strict=True)) + sum(paid)


def dear_groups(
    problem: Statement, unit: int, full: list[int], costs: GroupCost
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Visit pairs and triples whose full prices are more than they cost.

    Under 2-diversity they are of different sensitive values.
    """
    order = sorted(range(len(full)), key=lambda t: -full[t])
    values = problem.values[0] if problem.diverse else None
    # Types that differ in their values alone lose nothing together.
    least = 0 if problem.diverse else least_difference(problem, costs)
    for place, first in enumerate(order):
        for at in range(place, len(order)):
            second = order[at]
            both = full[first] + full[second]
            if at == place and problem.copies[first] < 2:
                continue
            if at > place and both <= 2 * unit * least:
                break
            if values and values[first] == values[second]:
                continue
            cost = costs.of((first, second), below=-(-both // (2 * unit)))
            if cost is None:
                continue
            yield (first, second), cost
            for third in order[at:]:
                in_all = both + full[third]
                if in_all <= 3 * unit * cost:
                    break
                group = (first, second, third)
                if group.count(third) > problem.copies[third]:
                    continue
                if values and values[third] in (values[first], values[second]):
                    continue
                of_three = costs.of(group, below=-(-in_all // (3 * unit)))
                if of_three is not None:
                    yield group, of_three


def least_difference(problem: Statement, costs: GroupCost) -> int:
    """Return what two types that differ lose at least, neighbours in some column."""
    least = []
    for column, line in enumerate(problem.lines):
        if problem.kept[column]:
            continue
        if line is None:
            above = [
                chain[-2][1]
                for chain in problem.chains[column].values()
                if len(chain) > 1
            ]
            least += [problem.units[column] * loss for loss in above]
        else:
            texts = sorted(line.places, key=line.places.__getitem__)
            for both in pairwise(texts):
                lost = costs.of_two(column, *both)
                least += [] if lost is None else [lost]
    return min(least, default=0)


# checker/trees/fills.py

Priced = list[tuple[int, int]]  # what a copy costs, and its type


def fill(problem: Statement, priced: Priced, low: int, high: int) -> int | None:
    """Return what the best fill with a height of low..high is worth, or None.

    ``priced`` has (cost of a copy, type), cheapest first. A fill is valid for each
    sensitive column that is looked at: so the largest worth counts. The height is
    that of the first (section "Fills").
    """
    if not problem.diverse:
        return by_rows(problem, priced, low, high)
    worths = []
    for place, values in enumerate(problem.values):
        if problem.l > 1:
            bounds = (1, problem.n) if place else (low, high)
            worths.append(by_frequency(problem, priced, values, *bounds))
        else:
            worths.append(by_distinct(problem, priced, values, low, high))
    found = [worth for worth in worths if worth is not None]
    return max(found) if len(found) == len(worths) else None


def by_rows(problem: Statement, priced: Priced, low: int, high: int) -> int | None:
    """Return the worth of the best fill of low..high rows, diversity aside."""
    offered = [(each, problem.copies[t]) for each, t in priced]
    total, need = sum(copies for _, copies in offered), max(problem.k, low)
    if min(high, total) < need:
        return None
    return cheapest(offered, need, high)[0]


def by_frequency(
    problem: Statement, priced: Priced, values: list[str], low: int, high: int
) -> int | None:
    """Return what the best fill that is diverse in one column is worth, or None.

    For a given height greedy is right; the worth is convex in the height, so that
    its least value is found by bisection.
    """
    heads, rest = heads_first(problem, priced, values)
    if len(heads) < problem.distinct:
        return None
    in_all = sum(copies for _, copies, _ in rest) + len(heads)
    low, high = max(low, 1), min(high, in_all // problem.l)
    while low < high:
        h = (low + high) // 2
        here, total = at_height(problem, heads, rest, h)
        if here is None:
            falls = problem.l * h <= total < problem.k
        else:
            above, _ = at_height(problem, heads, rest, h + 1)
            falls = above is not None and above < here
        low, high = (h + 1, high) if falls else (low, h)
    return None if low > high else at_height(problem, heads, rest, low)[0]


def by_distinct(
    problem: Statement, priced: Priced, values: list[str], low: int, high: int
) -> int | None:
    """Return the worth of the best fill of low..high rows with enough values.

    The cheapest copies of the cheapest values come first, then any.
    """
    heads, rest = heads_first(problem, priced, values)
    offered = [(each, copies) for each, copies, _ in rest]
    need, left = max(problem.k, low), sum(copies for _, copies in offered)
    first = len(heads)
    if first < problem.distinct or min(high, left + first) < need:
        return None
    worth, _ = cheapest(offered, need - first, high - first)
    return None if worth is None else sum(heads.values()) + worth


def heads_first(
    problem: Statement, priced: Priced, values: list[str]
) -> tuple[dict[str, int], list[tuple[int, int, str]]]:
    """Take the cheapest copies of as many of the cheapest values as are required.

    Return their costs by value; and cost, number and value of all other copies.
    """
    heads, rest = dict[str, int](), []
    for each, t in priced:
        first = len(heads) < problem.distinct and values[t] not in heads
        if first:
            heads[values[t]] = each
        if problem.copies[t] > first:
            rest.append((each, problem.copies[t] - first, values[t]))
    return heads, rest


def at_height(
    problem: Statement, heads: dict[str, int], rest: list[tuple[int, int, str]], h: int
) -> tuple[int | None, int]:
    """Return worth and size of the best fill of height h; None if none is valid."""
    used, offered = Counter(list(heads)), []
    for cost, copies, value in rest:
        take = min(copies, h - used[value])
        if take > 0:
            used[value] += take
            offered.append((cost, take))
    need = max(problem.k, problem.l * h) - len(heads)
    worth, _ = cheapest(offered, need)
    total = sum(take for _, take in offered) + len(heads)
    return None if worth is None else sum(heads.values()) + worth, total


def cheapest(
    priced: list[tuple[int, int]], need: int, most: int | None = None
) -> tuple[int | None, int]:
    """Return cost and size of the cheapest choice of ``need`` to ``most`` copies.

    ``priced`` is sorted by the cost of a copy. (None, size) if there are too few.
    """
    total = cost = 0
    for each, copies in priced:
        take = copies if each < 0 else min(copies, need - total)
        if most is not None:
            take = min(take, most - total)
        if take <= 0:
            break
        total, cost = total + take, cost + take * each
    return (cost if total >= need else None), total


# checker/trees/walk.py

Listed = dict[Key, tuple[int, list[int]]]  # patterns: cost of a row, types


def patterns(problem: Statement, prices: list[int], unit: int, slack: int) -> Listed:
    """Return the patterns that may be worth less than ``slack``, with their types.

    Section "The list": column after column gets a node. A type is dropped where
    every fill with it is worth ``slack`` or more, and a set of types where all of
    its fills are.
    """
    found: Listed = {}
    waiting: list[tuple[Key, int, list[int]]]
    waiting = [((), 0, list(range(len(problem.types))))]
    while waiting:
        begun, cost, among = waiting.pop()
        members = relevant(problem, among, cost, prices, slack)
        if members is None or never(problem, begun, members):
            continue
        if len(begun) == len(problem.qi):
            if members := settled(problem, begun, cost, members, prices, slack):
                found[begun] = (cost, members)
            continue
        for node, loss, some in nodes_below(problem, len(begun), members):
            waiting.append(((*begun, node), cost + unit * loss, some))
    return found


def settled(
    problem: Statement,
    begun: Key,
    cost: int,
    members: list[int],
    prices: list[int],
    slack: int,
) -> list[int] | None:
    """Look at a pattern until nothing more is dropped, in whatever order columns came.

    Return the types that are left, None where the pattern need not be listed.
    """
    while True:
        left = relevant(problem, members, cost, prices, slack)
        if left is None or never(problem, begun, left):
            return None
        if len(left) == len(members):
            return left
        members = left


def nodes_below(
    problem: Statement, column: int, members: list[int]
) -> Iterator[tuple[Node, int, list[int]]]:
    """Visit the nodes of a column, root first: loss of a row, types below."""
    waiting = [(0, members)]
    while waiting:
        depth, some = waiting.pop()
        chain = problem.chains[column][problem.types[some[0]][column]]
        node, loss = chain[depth]
        at_end = depth == len(chain) - 1
        if at_end or not problem.kept[column]:
            yield node, problem.units[column] * loss, some
        if at_end:
            continue
        below: dict[Node, list[int]] = {}
        for t in some:
            chain = problem.chains[column][problem.types[t][column]]
            below.setdefault(chain[depth + 1][0], []).append(t)
        waiting += [(depth + 1, those) for those in below.values()]


def relevant(
    problem: Statement, members: list[int], cost: int, prices: list[int], slack: int
) -> list[int] | None:
    """Return the types that matter; None where no fill is worth less than slack."""
    gain = sum(
        (prices[t] - cost) * problem.copies[t] for t in members if prices[t] > cost
    )
    members = [t for t in members if cost - prices[t] < gain + slack]
    if problem.l > 1 and problem.distinct == 1:
        members = in_sets(problem, members, cost, prices, slack)
    priced = sorted((cost - prices[t], problem.copies[t]) for t in members)
    worth, _ = cheapest(priced, problem.least)
    return None if worth is None or worth >= slack else members


def in_sets(
    problem: Statement, members: list[int], cost: int, prices: list[int], slack: int
) -> list[int]:
    """Return the types in some l rows of l values worth less than slack.

    All of them, if there are such rows, where k is more than l or slack is not 0.
    """
    head = dict[str, int]()
    for t in members:
        value = problem.values[0][t]
        head[value] = min(cost - prices[t], head.get(value, cost - prices[t]))
    first = sorted(head, key=lambda value: head[value])[: problem.l]
    worth = sum(head[value] for value in first)
    if len(first) < problem.l or worth >= slack:
        return []
    if slack > 0 or problem.k > problem.l:
        return members
    others = {value: worth - head[value] for value in first}
    last = others[first[-1]]
    return [
        t
        for t in members
        if cost - prices[t] + others.get(problem.values[0][t], last) < 0
    ]


def never(problem: Statement, begun: Key, members: list[int]) -> bool:
    """Return whether no release publishes a pattern that begins so.

    A group is published as the lowest node that all of its rows are below, and it
    has l values of every sensitive column; l is 1 where values are to be distinct.
    """
    first = problem.types[members[0]]
    for column, node in enumerate(begun):
        if node != first[column] and node != problem.lowest(column, members):
            return True
    if problem.distinct > 1:
        return False
    sensitive = range(len(problem.qi), len(first))
    return any(
        len({problem.types[t][j] for t in members}) < problem.l for j in sensitive
    )


# checker/persons.py

MOST_PAIRS = 1_000_000  # of a pattern and a type of persons

Fitting = dict[Key, tuple[int, list[int]]]  # patterns: cost of a row, types


def person_bound(problem: Statement, data: Content) -> int:
    """Return what the leaves of a tree of prices prove together, times the unit."""
    listed = of_persons(problem)
    unit, keys = whole(data["denominator"], 1), list(listed)
    place = {key: p for p, key in enumerate(keys)}
    every = range(len(problem.types))
    named = [
        place.get(problem.cover(numbers(types, every)))
        for types in listed_in(data["patterns"])
    ]
    if None in named:
        raise RefusalError("it names a pattern that too few persons fit")
    waiting: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
    least: int | None = None
    for node in listed_in(data["nodes"]):
        if not waiting or not isinstance(node, dict):
            raise RefusalError("there are nodes beyond its tree, or that are none")
        closed, opened = waiting.pop()
        if set(node) == {"split"}:
            (p,) = numbers([node["split"]], named)
            assert p is not None
            waiting += [(closed, opened | {p}), (closed | {p}, opened)]
            continue
        if set(node) != {"prices"}:
            raise RefusalError("a node has neither prices nor a split")
        prices = [whole(price, None) for price in listed_in(node["prices"])]
        if len(prices) != len(problem.types):
            raise RefusalError(
                f"a leaf has {len(prices)} prices for {len(every)} types"
            )
        if closed & opened:
            continue
        found = sum(p * m for p, m in zip(prices, problem.copies, strict=True))
        for p, key in enumerate(keys):
            if p not in closed:
                worth = worth_of(problem, *listed[key], prices, unit)
                found += worth if p in opened else min(0, worth)
        least = found if least is None else min(least, found)
    if waiting or least is None:
        raise RefusalError("a node of its tree is missing")
    return least


def of_persons(problem: Statement) -> Fitting:
    """Return the patterns that enough persons fit, and that a group may have."""
    found: Fitting = {}
    waiting: list[tuple[Key, int, list[int]]]
    waiting, pairs = [((), 0, list(range(len(problem.types))))], 0
    while waiting:
        begun, cost, members = waiting.pop()
        if sum(problem.copies[t] for t in members) < problem.least:
            continue
        if never(problem, begun, members):
            continue
        pairs += len(members)
        if pairs > MOST_PAIRS:
            raise BeyondError("patterns and persons are too many to check")
        if len(begun) == len(problem.qi):
            found[begun] = (cost, members)
            continue
        for node, loss, some in nodes_below(problem, len(begun), members):
            waiting.append(((*begun, node), cost + loss, some))
    return found


def worth_of(
    problem: Statement, cost: int, members: list[int], prices: list[int], unit: int
) -> int:
    """Return what the cheapest persons are worth who can be published as a pattern."""
    priced = sorted(
        (unit * cost * problem.rows_of(t) - prices[t], problem.copies[t])
        for t in members
    )
    worth, _ = cheapest(priced, problem.least)
    assert worth is not None
    return worth


# checker/residue.py


def residue(problem: Statement) -> int:
    """Return how many rows are suppressed in any release (section "Kind residue")."""
    k, l, d = problem.k, problem.l, len(problem.qi)
    rows: dict[Values, Counter[Values]] = {}
    for type_, copies in zip(problem.types, problem.copies, strict=True):
        rows.setdefault(type_[:d], Counter())[type_[d:]] += copies
    suppressed = Counter[Values]()
    of_value = Counter[tuple[Values, int, str]]()
    for type_, sensitive in rows.items():
        own, kept = sensitive.total(), type_[1:]
        stays, heights = own, list[int]()
        columns = len(next(iter(sensitive)))
        counts = [Counter[str]() for _ in range(columns)]
        for values, copies in sensitive.items():
            for count, value in zip(counts, values, strict=True):
                count[value] += copies
        for count in counts:
            heights.append(greatest_height(count, l))
            stays = min(stays, sum(min(c, heights[-1]) for c in count.values()))
        suppressed[kept] += own - stays if stays >= k else own
        for j, count in enumerate(counts):
            left = heights[j] if stays >= k else 0
            for value, copies in count.items():
                of_value[kept, j, value] += max(0, copies - left)
    bounds = {kept: max(some, k) for kept, some in suppressed.items() if some}
    for (kept, _, _), copies in of_value.items():
        bounds[kept] = max(bounds.get(kept, 0), l * copies)
    return sum(bounds.values())


def greatest_height(count: Counter[str], l: int) -> int:
    """Return the greatest h such that l h rows have at most h of each value."""
    low, high = 0, count.total() // l
    while low < high:
        h = (low + high + 1) // 2
        fits = sum(min(copies, h) for copies in count.values()) >= l * h
        low, high = (h, high) if fits else (low, h - 1)
    return low


# checker/rowwise/nonhomogeneous_prices.py


def nonhomogeneous_price_bound(problem: Statement, data: Content) -> int:
    """Return what no such release costs less than, in units of 1/denominator.

    Some release of least cost has each row matched to itself. There row j pays for its
    nodes, and its k - 1 other originals earn it their prices; each original is in k - 1
    of these sets. What is left to a row is the least over all nodes that it fits. For
    losses it is stated (``least``), and lowered where some nodes leave less.
    """
    unit, prices = priced_types(data, len(problem.types))
    kept = [column for column, kept in enumerate(problem.kept) if kept]
    rows = dict[tuple[str, ...], int]()
    for type_, copies in zip(problem.types, problem.copies, strict=True):
        key = tuple(type_[column] for column in kept)
        rows[key] = rows.get(key, 0) + copies
    if min(rows.values()) < problem.k:
        raise RefusalError("some row has fewer than k rows it can be matched to")
    left: list[int | None] = [None] * len(prices)
    if "least" in data:
        left = [whole(each, None) for each in listed_in(data["least"])]
        if len(left) != len(prices):
            raise RefusalError("what is left to the types is not stated of each")
    lower(problem, unit, prices, left)
    total = 0
    for price, copies, least in zip(prices, problem.copies, left, strict=True):
        if least is None:
            raise RefusalError("some row has fewer than k rows it can be matched to")
        total += copies * ((problem.k - 1) * price + least)
    return total


def lower(
    problem: Statement, unit: int, prices: list[int], left: list[int | None]
) -> None:
    """Lower what is left to each type to what it has in some nodes, column by column.

    Nodes chosen later cost more, and fewer types fit them: so where no type has less
    than is stated, none has further on.
    """
    order = sorted(range(len(prices)), key=lambda t: -prices[t])
    waiting: list[tuple[int, int, list[int]]] = [(0, 0, order)]
    while waiting:
        column, cost, members = waiting.pop()
        here = left_to(problem, cost, members, prices)
        lowered = [
            (t, least)
            for t, least in here
            if (stated := left[t]) is None or least < stated
        ]
        if not lowered:
            continue
        if column == len(problem.qi):
            for t, least in lowered:
                left[t] = least
            continue
        for loss, some in published(problem, column, members):
            waiting.append((column + 1, cost + unit * loss, some))


def left_to(
    problem: Statement, cost: int, members: list[int], prices: list[int]
) -> list[tuple[int, int]]:
    """Return what a cost less the k - 1 dearest others leaves to each type.

    Nothing where there are fewer than k rows. ``members`` are the dearest first.
    """
    taken, total, last = 0, 0, 0
    for t in members:
        take = min(problem.copies[t], problem.k - taken)
        if take <= 0:
            break
        taken, total, last = taken + take, total + take * prices[t], prices[t]
    if taken < problem.k:
        return []
    # Of the k dearest leave out the type itself or, if it is not there, the last.
    return [(t, cost - total + max(prices[t], last)) for t in members]


def published(
    problem: Statement, column: int, members: list[int]
) -> Iterator[tuple[int, list[int]]]:
    """Visit what types can be published as in a column: a row's loss, and the types."""
    line, unit = problem.lines[column], problem.units[column]
    if line is None:
        for _, loss, some in nodes_below(problem, column, members):
            yield loss, some
        return
    at = {t: line.places[problem.types[t][column]] for t in members}
    held = sorted(set(at.values()))
    if not problem.kept[column]:
        yield unit * line.whole, members
    for first, low in enumerate(held):
        for high in held[first:]:
            if high > line.reach[low] or (problem.kept[column] and high > low):
                break
            yield (
                unit * line.loss(low, high),
                [t for t in members if low <= at[t] <= high],
            )


# checker/rowwise/nonhomogeneous_tree.py


def nonhomogeneous_tree_bound(problem: Statement, data: Content) -> int:
    """Return the least bound of a leaf, in units of 1/denominator."""
    cells = Cells(problem, whole(data["denominator"], 1))
    n, d = problem.n, len(problem.qi)
    waiting = [([0] * n, [0] * n, [cells.free] * n)]
    bounds = []
    for node in listed_in(data["nodes"]):
        if not waiting:
            raise RefusalError("there are nodes beyond its tree")
        if not isinstance(node, dict) or not set(node) <= {"prices", "split"}:
            raise RefusalError("a node has an entry of unknown name")
        prices, must, may = waiting.pop()
        new = changes(node.get("prices", []), range(n), None)
        prices = [new.get(row, price) for row, price in enumerate(prices)]
        if "split" not in node:
            bounds.append(cells.bound(prices, must, may))
            continue
        row, column = pair(node["split"])
        numbers([row], range(n))
        numbers([column], range(d))
        bit = 1 << column
        if not cells.free & bit:
            raise RefusalError("a split names a column that is never starred")
        starred, unstarred = list(must), list(may)
        starred[row] |= bit
        unstarred[row] &= ~bit
        waiting += [(prices, starred, may), (prices, must, unstarred)]
    if waiting:
        raise RefusalError("a node of its tree is missing")
    proven = [bound for bound in bounds if bound is not None]
    if not proven:
        raise RefusalError("no release agrees with any of its leaves")
    return min(proven)


class Cells:
    """Which originals each released row may have, by its starred columns as bits."""

    def __init__(self, problem: Statement, unit: int) -> None:
        self.k, self.n = problem.k, problem.n
        columns = range(len(problem.qi))
        rows = [
            type_[: len(columns)]
            for type_, copies in zip(problem.types, problem.copies, strict=True)
            for _ in range(copies)
        ]
        self.free = sum(1 << j for j in columns if not problem.kept[j])
        self.costs: dict[int, int] = {0: 0}
        for j in columns:
            if not problem.kept[j]:
                more = unit * problem.units[j]
                self.costs |= {s | 1 << j: c + more for s, c in self.costs.items()}
        self.differ = [
            [sum(1 << j for j in columns if row[j] != other[j]) for other in rows]
            for row in rows
        ]

    def bound(self, prices: list[int], must: list[int], may: list[int]) -> int | None:
        """Return what a leaf proves; None if no release agrees with it."""
        dearest = sorted(range(self.n), key=lambda i: -prices[i])
        total: int = (self.k - 1) * sum(prices)
        for j in range(self.n):
            differ = [(self.differ[j][i], prices[i]) for i in dearest if i != j]
            least = None
            for starred, cost in self.costs.items():
                if must[j] & ~starred or starred & ~may[j]:
                    continue
                fitting = (price for bits, price in differ if not bits & ~starred)
                earned = list(islice(fitting, self.k - 1))
                if len(earned) == self.k - 1:
                    worth = cost - sum(earned)
                    least = worth if least is None else min(least, worth)
            if least is None:
                return None
            total += least
        return total


# checker/rules/people.py


class People:
    """A table of a population; ``count`` names its column of how many people."""

    def __init__(
        self, header: list[str], rows: list[list[str]], count: str | None
    ) -> None:
        if count is not None and count not in header:
            raise ValueError(f"the population has no column {count!r}")
        self.columns = [column for column in header if column != count]
        self._places = {column: header.index(column) for column in self.columns}
        self._rows = Counter[Values]()
        for row in rows:
            number = "1" if count is None else row[header.index(count)]
            if not (number.isascii() and number.isdigit()):
                raise ValueError(f"{number!r} is no number of people")
            self._rows[tuple(row)] += int(number)

    def expect(self, stated: object) -> None:
        """Refuse another population than the one that is stated."""
        own = {"columns": self.columns, "people": sum(self._rows.values())}
        if stated != own:
            raise RefusalError("it is for another population")

    def counted(self, columns: list[str]) -> Counter[Values]:
        """Count the people of each combination of values of some columns."""
        if not set(columns) <= set(self._places):
            raise RefusalError("a column of its rules is none of the population")
        places, found = [self._places[column] for column in columns], Counter[Values]()
        for row, number in self._rows.items():
            found[tuple(row[place] for place in places)] += number
        return found


# checker/rules/rule_levels.py


class Levels:
    """The levels of each quasi-identifier.

    ``nodes[j][text]`` are the nodes of a value and what they cost, level by level:
    first the value itself, last what shows nothing.
    """

    def __init__(
        self,
        qi: list[str],
        texts: list[set[str]],
        objective: Content,
        trees: Trees,
        floors: Content,
    ) -> None:
        weights = [whole(objective["weights"].get(c, 1), 0) for c in qi]
        scales = entries(objective, "scales") if objective["kind"] == "gcp" else {}
        if not set(scales) <= set(qi):
            raise RefusalError("its scales name a column that is no quasi-identifier")
        if set(scales) & set(floors):
            raise BeyondError("a column of its rules has a hierarchy and a floor")
        self.nodes = list[dict[str, Chain]]()
        for column, values in zip(qi, texts, strict=True):
            if column in scales:
                paths = trees.get(column)
                self.nodes.append(rising(values, scales[column], paths))
            else:
                self.nodes.append({text: [(text, 0), (STAR, 1)] for text in values})
        domains = [
            max(1, *(path[-1][1] for path in of_text.values()))
            for of_text in self.nodes
        ]
        common = math.lcm(*domains) if scales else 1
        for j, weight in enumerate(weights):
            unit = weight * (common // domains[j])
            for text, path in self.nodes[j].items():
                self.nodes[j][text] = [(node, unit * loss) for node, loss in path]
        self.last = [len(next(iter(of.values()), [0, 0])) - 1 for of in self.nodes]


def rising(
    texts: set[str], scale: Content, paths: list[list[str]] | None
) -> dict[str, Chain]:
    """Return the nodes above values from below, as many for each.

    Of nodes above the same values all but the lowest are left out, and nodes above all
    values but for the root. A value with fewer nodes has its first levels by itself.
    """
    every = texts | {path[0] for path in paths or []}
    falling = chains(every, scale, paths)
    below = Counter(node for chain in falling.values() for node, _ in chain)
    found: dict[str, Chain] = {}
    for text, chain in falling.items():
        path = [chain[-1]]
        for node, loss in chain[-2::-1]:
            if below[path[-1][0]] < below[node] < len(every):
                path.append((node, loss))
        found[text] = [*path, chain[0]]
    most = max(map(len, found.values()))
    return {
        text: (most - len(path)) * path[:1] + path
        for text, path in found.items()
        if text in texts
    }


# checker/rules/rule_sets.py

SEMANTICS = ("source", "shown", "classes")
RULE_ENTRIES = {
    "k",
    "combinations",
    "rules",
    "semantics",
    "closed",
    "strata",
    "hidden",
    "linked",
    "population",
}
MOST_RULES = 100_000


class RuleSet(NamedTuple):
    """Columns, by place among the quasi-identifiers, and what is asked of them."""

    columns: tuple[int, ...]
    k: int
    semantics: str
    strata: tuple[str, ...]
    part: int  # the requirement that it is of
    people: People | None = None  # who is counted; None: the rows


class RuleFamily(NamedTuple):
    """All rules in the order of their numbers, and what holds for all of them."""

    rules: list[RuleSet]
    linked: list[set[int]]
    hidden: set[str]


def rule_family(wanted: Content, qi: list[str], people: list[People]) -> RuleFamily:
    """Read the rules of a requirement; k-anonymity comes last.

    Populations are named in the order of the parts that count them.
    """
    parts = [wanted]
    if "all_of" in wanted:
        if set(wanted) != {"all_of"}:
            raise RefusalError("its requirement has an entry of unknown name")
        parts = listed_in(wanted["all_of"])
    rules, groups = list[RuleSet](), list[RuleSet]()
    linked, hidden, left = list[set[int]](), set[str](), list(people)
    for number, part in enumerate(parts):
        if not part or not set(part) <= RULE_ENTRIES:
            raise RefusalError("its requirement has an entry of unknown name")
        if "k" in part:
            k, every = whole(part["k"], 2), tuple(range(len(qi)))
            groups.append(RuleSet(every, k, "classes", (), number))
        if set(part) == {"k"}:
            continue
        rules += rules_of_part(part, qi, number, population_of(part, left))
        for names in listed_in(part.get("linked", [])):
            join_linked(linked, set(rule_columns(names, qi)))
        for text in listed_in(part.get("hidden", [])):
            if not isinstance(text, str | None):
                raise RefusalError("a text of its requirement is none")
            if text is not None:  # of typed tables; a text file has none
                hidden.add(text)
    # Strata are published: classes are of rows in one stratum.
    within = tuple(sorted({name for rule in rules for name in rule.strata}))
    groups = [rule._replace(strata=within) for rule in groups]
    if not rules + groups:
        raise RefusalError("its requirement is empty")
    return RuleFamily(rules + groups, linked, hidden)


def population_of(part: Content, left: list[People]) -> People | None:
    """Take the population of one requirement from those that are left."""
    if "population" not in part:
        return None
    if part["semantics"] != "source" or part.get("strata"):
        raise RefusalError("a population is counted by source, and without strata")
    if not left:
        raise BeyondError("its rules count a population, whose file is not named")
    left[0].expect(part["population"])
    return left.pop(0)


def rules_of_part(
    part: Content, qi: list[str], number: int, people: People | None
) -> list[RuleSet]:
    """Close the sets that one requirement names under subsets."""
    semantics, closed = part["semantics"], part.get("closed", True)
    strata = tuple(listed_in(part.get("strata", [])))
    if semantics not in SEMANTICS or not isinstance(closed, bool):
        raise RefusalError("its semantics are neither source, shown nor classes")
    if any(not isinstance(name, str) or name in qi for name in strata):
        raise RefusalError("a column of strata is a quasi-identifier")
    asked: dict[tuple[int, ...], int] = {}
    for columns, k in stated_sets(part, qi):
        for size in range(1 if closed else len(columns), len(columns) + 1):
            for some in combinations(columns, size):
                asked[some] = max(k, asked.get(some, 0))
        if len(asked) > MOST_RULES:
            raise BeyondError("its rules are too many")
    ordered = sorted(asked, key=lambda columns: (len(columns), columns))
    return [
        RuleSet(some, asked[some], semantics, strata, number, people)
        for some in ordered
    ]


def stated_sets(part: Content, qi: list[str]) -> list[tuple[tuple[int, ...], int]]:
    """Return the sets of columns that are named, and those of the sizes named."""
    found = list[tuple[tuple[int, ...], int]]()
    sizes = entries({"combinations": {}, **part}, "combinations")
    for size, k in sizes.items():
        if not (size.isdecimal() and 0 < int(size) < 100):
            raise RefusalError("a size of its combinations is no number of columns")
        most = min(int(size), len(qi))
        for some in combinations(range(len(qi)), most):
            found.append((some, whole(k, 2)))
            if len(found) > MOST_RULES:
                raise BeyondError("its rules are too many")
    for rule in listed_in(part.get("rules", [])):
        if set(rule) != {"columns", "k"}:
            raise RefusalError("a rule has other entries than columns and k")
        found.append((rule_columns(rule["columns"], qi), whole(rule["k"], 2)))
    return found


def rule_columns(names: Any, qi: list[str]) -> tuple[int, ...]:
    """Return the places of columns, in order."""
    if not listed_in(names) or not set(names) <= set(qi):
        raise RefusalError("a column of its rules is no quasi-identifier")
    return tuple(sorted({qi.index(name) for name in names}))


def join_linked(linked: list[set[int]], columns: set[int]) -> None:
    """Add columns that are hidden together; sets with a common one become one."""
    for other in [each for each in linked if each & columns]:
        linked.remove(other)
        columns |= other
    linked.append(columns)


# checker/rules/rule_items.py

MOST_ITEMS = 2**25  # types times terms


class Term(NamedTuple):
    """A rule with a level for each of its columns, or by unit.

    A unit is a set of columns that are hidden together. By classes, if ``exact``, a row
    shows the term that publishes just these levels, else one that publishes these or
    lower ones.
    """

    rule: RuleSet
    levels: tuple[int, ...]
    by_unit: dict[int, int]
    exact: bool

    @property
    def at_least(self) -> bool:
        """Whether whoever shows more shows it, too."""
        return not self.exact or not any(self.levels)


class RuleItems:
    """Row types in canonical order, what each may show, and how often that counts.

    ``units[u]`` are columns that are hidden together; those in ``fixed`` are never
    hidden. ``terms`` holds by number the terms that count: those that no row can have,
    and those that larger sets imply, are left out. ``item[e][t]`` is what type t shows
    of term e, -1 for nothing.
    """

    def __init__(
        self,
        header: list[str],
        rows: list[list[str]],
        certificate: Content,
        family: RuleFamily,
        named: set[int],
        trees: Trees,
    ) -> None:
        table = entries(certificate, "table")
        self.qi, floors = table["qi"], entries({"floors": {}, **table}, "floors")
        objective = entries(certificate, "objective")
        strata = sorted({name for rule in family.rules for name in rule.strata})
        shown = [*self.qi, *strata]
        if not set(shown) <= set(header) or len(set(self.qi)) < len(self.qi):
            raise RefusalError("it is for a table with other columns")
        if not {*objective["weights"], *objective["keep"]} <= set(self.qi):
            raise RefusalError(
                "its objective names a column that is no quasi-identifier"
            )
        places = [header.index(name) for name in shown]
        counts = Counter(tuple(row[j] for j in places) for row in rows)
        types = sorted(counts)
        self.copies = [counts[values] for values in types]
        self._cells = dict(zip(shown, zip(*types, strict=True), strict=True))
        self._hidden = family.hidden
        texts = [set(self._cells[column]) for column in self.qi]
        self.levels = Levels(self.qi, texts, objective, trees, floors)
        self._find_units(family, objective)
        self.terms = self._list_terms(family, named)
        if len(self.terms) * len(types) > MOST_ITEMS:
            raise BeyondError("it has too many row types and rules")
        self.item: dict[int, list[int]] = {}
        self.need, self.count = list[int](), list[int]()
        self._term_of = list[int]()  # by item
        for number, term in self.terms.items():
            self._number(number, term)
        self.rare = [c < k for c, k in zip(self.count, self.need, strict=True)]
        self._find_rare()

    def _find_units(self, family: RuleFamily, objective: Content) -> None:
        """Set the units, how many levels they have, and which are never hidden."""
        joined = {j for columns in family.linked for j in columns}
        alone = [{j} for j in range(len(self.qi)) if j not in joined]
        self.units = [*alone, *family.linked]
        self.last = [max(self.levels.last[j] for j in unit) for unit in self.units]
        if any(
            len(unit) > 1 and last > 1
            for unit, last in zip(self.units, self.last, strict=True)
        ):
            raise BeyondError("linked columns have hierarchies")
        kept = {self.qi.index(column) for column in objective["keep"]}
        self.fixed = {u for u, unit in enumerate(self.units) if unit & kept}

    def cost(self, t: int, u: int, level: int) -> int:
        """Return what a row of a type pays in a unit at a level.

        A missing cell needs no star where cells that are linked to it have one.
        """
        paid, linked = 0, len(self.units[u]) > 1
        for j in self.units[u]:
            text = self._cells[self.qi[j]][t]
            if not (linked and level and text in self._hidden):
                paid += self.levels.nodes[j][text][level][1]
        return paid

    def _list_terms(self, family: RuleFamily, named: set[int]) -> dict[int, Term]:
        terms, number = dict[int, Term](), 0
        for rule in family.rules:
            exact = rule.semantics == "classes"
            implied = exact and any(
                other.part == rule.part
                and other.semantics == "classes"
                and other.k >= rule.k
                and set(rule.columns) < set(other.columns)
                for other in family.rules
            )
            choices = [
                range(self.levels.last[j] + exact) for j in reversed(rule.columns)
            ]
            for turned in product(*choices):
                if not implied or number in named:
                    term = self._term(rule, turned[::-1], exact)
                    if term is not None:
                        terms[number] = term
                number += 1
                if number > MOST_ITEMS:
                    raise BeyondError("it has too many rules and levels")
        self.numbers = number
        return terms

    def _term(self, rule: RuleSet, levels: tuple[int, ...], exact: bool) -> Term | None:
        """Return a term, or None where no row can publish just these levels."""
        by_unit: dict[int, int] = {}
        for j, level in zip(rule.columns, levels, strict=True):
            u = next(u for u, unit in enumerate(self.units) if j in unit)
            if by_unit.setdefault(u, level) != level or (level and u in self.fixed):
                return None
        return Term(rule, levels, by_unit, exact)

    def _number(self, number: int, term: Term) -> None:
        """Number what types show of a term, and count it."""
        keys: list[tuple[Node, ...]] = [self._cells[name] for name in term.rule.strata]
        absent = [False] * len(self.copies)
        for j, level in zip(term.rule.columns, term.levels, strict=True):
            if level == self.levels.last[j]:
                continue
            cells, nodes = self._cells[self.qi[j]], self.levels.nodes[j]
            keys.append(tuple(nodes[text][level][0] for text in cells))
            if self._hidden:
                pairs = zip(absent, cells, strict=True)
                absent = [no or text in self._hidden for no, text in pairs]
        known: dict[tuple[Node, ...], int] = {}
        first, own = len(self.need), list[int]()
        people = self._people(term)
        each = zip(*keys, strict=True) if keys else ((),) * len(self.copies)
        for key, copies, no in zip(each, self.copies, absent, strict=True):
            if no:
                own.append(-1)
                continue
            place = known.setdefault(key, first + len(known))
            if place == len(self.need):
                self.need.append(term.rule.k)
                self._term_of.append(number)
                # Texts: without a hierarchy, a node is the value.
                self.count.append(people[key] if people else 0)
            if people is None:
                self.count[place] += copies
            own.append(place)
        self.item[number] = own

    def _people(self, term: Term) -> Counter[tuple[Node, ...]] | None:
        """Count the people of what rows show of a term; None: rows count."""
        if term.rule.people is None:
            return None
        names = list[str]()
        for j, level in zip(term.rule.columns, term.levels, strict=True):
            if level and level < self.levels.last[j]:
                raise BeyondError("people are counted by values, not by nodes")
            if not level:
                names.append(self.qi[j])
        return Counter(term.rule.people.counted(names))

    def _find_rare(self) -> None:
        """Mark items that too few rows may show, until no more are found."""
        smaller = {e: self._parts(term) for e, term in self.terms.items()}
        demanding = [e for e in self.terms if self.terms[e].rule.semantics != "source"]
        while True:
            shows = [0] * len(self.need)
            for e in demanding:
                parts = [self.item[p] for p in smaller[e]]
                for t, i in enumerate(self.item[e]):
                    if i < 0 or self.rare[i]:
                        continue
                    if not any(p[t] >= 0 and self.rare[p[t]] for p in parts):
                        shows[i] += self.copies[t]
            more = {
                i
                for e in demanding
                for i in self.item[e]
                if i >= 0 and not self.rare[i] and shows[i] < self.need[i]
            }
            for i in more:
                self.rare[i] = True
            if not more:
                self.shows, self.parts = shows, smaller
                return

    def _parts(self, term: Term) -> list[int]:
        """Return the terms that whoever shows this one shows, too."""
        surely = dict.fromkeys(self.fixed, 0) | term.by_unit

        def within(other: Term) -> bool:
            return all(
                u in surely and surely[u] <= level for u, level in other.by_unit.items()
            )

        return [
            e
            for e, other in self.terms.items()
            if other is not term and other.at_least and within(other)
        ]

    def may_show(self, t: int, e: int) -> bool:
        """Return whether a row of a type may show what it has of a term."""
        own = self.item[e][t]
        parts = (self.item[p][t] for p in self.parts[e])
        rare = any(i >= 0 and self.rare[i] for i in parts)
        return own >= 0 and not self.rare[own] and not rare

    def showing(self, i: int) -> list[tuple[int, int]]:
        """Return the term of an item with each type that may show it."""
        e = self._term_of[i]
        types = [t for t, own in enumerate(self.item[e]) if own == i]
        return [(e, t) for t in types if self.may_show(t, e)]


# checker/rules/row_minima.py

MOST_UNITS = 20  # bits of the number of sets of levels that matter to a row


def row_minimum(
    items: RuleItems,
    t: int,
    prices: dict[int, int],
    unit: int,
    once: bool,
    closed: set[int],
) -> int | None:
    """Try all levels of units that matter to a type; return the least it pays.

    It shows no item that is rare or closed; None where that leaves no levels. A row
    pays for its levels, and for the terms that it shows. So costs and prices
    stand at the highest levels that pay them, and are summed over all lower ones, unit
    by unit. Terms of classes are added one by one.
    """
    never, priced = list[int](), list[int]()
    for e in items.terms:
        own = items.item[e][t]
        if own >= 0 and (items.rare[own] or own in closed):
            never.append(e)
        elif own >= 0 and prices.get(e):
            priced.append(e)
    if not never and not priced:
        return 0
    levels = levels_worth(items, never + priced)
    sizes = [len(own) for own in levels.values()]
    if math.prod(sizes) > 1 << MOST_UNITS:
        raise BeyondError(f"more than {MOST_UNITS} columns of a row matter")
    strides = [math.prod(sizes[:i]) for i in range(len(sizes))]
    count = math.prod(sizes)
    sums, barred = [0] * count, [False] * count
    if not once:
        for (u, worth), stride in zip(levels.items(), strides, strict=True):
            paid = [unit * items.cost(t, u, level) for level in worth]
            sums[-1] += paid[-1]
            for i in range(len(worth) - 1):
                sums[count - 1 - (len(worth) - 1 - i) * stride] += paid[i] - paid[i + 1]
    barring = set(never)
    exact = [e for e in never + priced if items.terms[e].exact]
    for e in never + priced:
        if e in exact:
            continue
        place = 0
        for (u, worth), stride in zip(levels.items(), strides, strict=True):
            most = items.terms[e].by_unit.get(u, worth[-1])
            place += stride * max(i for i, level in enumerate(worth) if level <= most)
        if e in barring:
            barred[place] = True
        else:
            sums[place] += prices.get(e, 0)
    sum_below(sums, barred, sizes)
    for e in exact:
        by_unit = items.terms[e].by_unit
        free = [
            [stride * worth.index(by_unit[u])]
            if u in by_unit
            else [stride * i for i in range(len(worth))]
            for (u, worth), stride in zip(levels.items(), strides, strict=True)
        ]
        price, rare = prices.get(e, 0), e in barring
        for some in product(*free):
            sums[sum(some)] += price
            barred[sum(some)] |= rare
    if once:
        sums = [s + unit * (place > 0) for place, s in enumerate(sums)]
    least = [s for s, no in zip(sums, barred, strict=True) if not no]
    return min(least) if least else None


def levels_worth(items: RuleItems, terms: list[int]) -> dict[int, list[int]]:
    """Return by unit the levels worth trying, where that are several.

    Any other level costs no less than the next lower one, and shows the same terms.
    """
    found: dict[int, set[int]] = {}
    for e in terms:
        term = items.terms[e]
        for u, level in term.by_unit.items():
            if u not in items.fixed:
                some = range(items.last[u] + 1) if term.exact else (0, level + 1)
                found.setdefault(u, set()).update(some)
    return {u: sorted(found[u]) for u in sorted(found)}


def sum_below(sums: list[int], barred: list[bool], sizes: list[int]) -> None:
    """Add to each place what stands at higher levels."""
    step = 1
    for size in sizes:
        for place in range(len(sums) - step - 1, -1, -1):
            if place // step % size < size - 1:
                sums[place] += sums[place + step]
                barred[place] |= barred[place + step]
        step *= size


# checker/rules/rule_prices.py


def prices_by_type(written: Any) -> dict[int, dict[int, int]]:
    """Read prices: lists of a type, then terms and prices in turn."""
    prices: dict[int, dict[int, int]] = {}
    for entry in listed_in(written):
        if len(listed_in(entry)) % 2 != 1:
            raise RefusalError("an entry of its prices is not a type, terms and prices")
        t, terms = whole(entry[0], 0), [whole(e, 0) for e in entry[1::2]]
        if t in prices or len(set(terms)) < len(terms):
            raise RefusalError("its prices name a type or a term twice")
        own = [whole(price, None) for price in entry[2::2]]
        prices[t] = dict(zip(terms, own, strict=True))
    return prices


def expect_prices(items: RuleItems, prices: dict[int, dict[int, int]]) -> None:
    """Refuse prices of what is none, or needs no rows."""
    for t, own in prices.items():
        for e in own:
            if t >= len(items.copies) or e >= items.numbers:
                raise RefusalError("its prices name a type or a term that is none")
            if e not in items.terms:
                continue  # no row shows it
            if items.terms[e].rule.semantics == "source":
                raise RefusalError(f"term {e} needs no rows, so it has no price")
            if items.item[e][t] < 0:
                raise RefusalError(f"its prices name term {e}, which type {t} lacks")


def fills_of(items: RuleItems, prices: dict[int, dict[int, int]]) -> int:
    """Return what the rows of all items come to at most."""
    offers: dict[int, list[tuple[int, int]]] = {}
    for t, own in prices.items():
        for e, price in own.items():
            if e in items.terms and items.may_show(t, e):
                offer = price, items.copies[t]
                offers.setdefault(items.item[e][t], []).append(offer)
    total = 0
    for i, listed in offers.items():
        left = items.shows[i] - sum(copies for _, copies in listed)
        total += max(0, item_fill([*listed, (0, left)], items.need[i]))
    return total


def item_fill(offers: list[tuple[int, int]], need: int) -> int:
    """Return the most that at least so many rows come to: prices and rows of each."""
    total = 0
    for price, copies in sorted(offers, reverse=True):
        taken = copies if price > 0 else min(copies, max(0, need))
        total += price * taken
        need -= taken
    return total


# checker/rules/rule_trees.py


class RuleTree:
    """One tree: a list of nodes, closed before opened, and what it touches."""

    def __init__(
        self,
        items: RuleItems,
        prices: dict[int, dict[int, int]],
        unit: int,
        once: bool,
    ) -> None:
        self.items, self.prices, self.unit, self.once = items, prices, unit, once
        self.types, self.touched = set[int](), set[int]()

    def gain(self, nodes: Any) -> int:
        """Return what the lowest leaf adds to the bound of the prices."""
        found = [self._leaf(*leaf) for leaf in self._leaves(listed_in(nodes))]
        least = [gain for gain in found if gain is not None]
        if not least:
            raise RefusalError("a tree of it leaves no release at all")
        return min(least)

    def _leaves(
        self, nodes: list[Any]
    ) -> Iterator[tuple[set[int], set[int], dict[int, dict[int, int]]]]:
        ahead: list[tuple[set[int], set[int]]] = [(set(), set())]
        for node in nodes:
            if not ahead:
                raise RefusalError("a tree of it has nodes below no other")
            closed, opened = ahead.pop()
            if isinstance(node, dict) and set(node) == {"prices"}:
                prices = prices_by_type(node["prices"])
                expect_prices(self.items, prices)
                yield closed, opened, prices
            elif isinstance(node, dict) and set(node) == {"item"}:
                item = {self._item(listed_in(node["item"]))}
                ahead += [(closed, opened | item), (closed | item, opened)]
            else:
                raise RefusalError("a node of its trees is neither item nor prices")
        if ahead:
            raise RefusalError("a tree of it ends before its leaves")

    def _item(self, written: list[Any]) -> int:
        items = self.items
        if len(written) != 2:
            raise RefusalError("an item of its trees is not a type and a term")
        t, e = whole(written[0], 0), whole(written[1], 0)
        if t >= len(items.copies) or e not in items.terms:
            raise RefusalError("its trees name a type or a term that is none")
        if items.terms[e].rule.semantics == "source":
            raise RefusalError(f"term {e} needs no rows, so it is not opened")
        if items.item[e][t] < 0:
            raise RefusalError(f"its trees name term {e}, which type {t} lacks")
        return items.item[e][t]

    def _leaf(
        self, closed: set[int], opened: set[int], own: dict[int, dict[int, int]]
    ) -> int | None:
        """Return what a leaf adds; None where no release reaches it."""
        items, total = self.items, 0
        touched = closed | opened
        for t, prices in own.items():
            shown = [e for e in prices if e in items.terms and items.may_show(t, e)]
            touched |= {items.item[e][t] for e in shown}
        types = set(own)
        for i in closed:
            types |= {t for _, t in items.showing(i)}
        self.types |= types
        self.touched |= touched
        for t in types:
            first, now = self.prices.get(t, {}), own.get(t, {})
            given = self.unit, self.once
            least = row_minimum(items, t, first | now, *given, closed)
            before = row_minimum(items, t, first, *given, set())
            if least is None or before is None:
                return None
            total += items.copies[t] * (least - before)
        for i in touched:
            total += max(0, self._fill(i, {}))
            if i not in closed:
                fill = self._fill(i, own)
                total -= fill if i in opened else max(0, fill)
        return total

    def _fill(self, i: int, own: dict[int, dict[int, int]]) -> int:
        offers = []
        for e, t in self.items.showing(i):
            price = self.prices.get(t, {}).get(e, 0)
            offers.append((own.get(t, {}).get(e, price), self.items.copies[t]))
        return item_fill(offers, self.items.need[i])


def gains_of_trees(
    written: Any,
    items: RuleItems,
    prices: dict[int, dict[int, int]],
    unit: int,
    once: bool,
) -> int:
    """Return what all trees add; no two of them touch the same type or item."""
    total, types, touched = 0, set[int](), set[int]()
    for nodes in listed_in(written):
        tree = RuleTree(items, prices, unit, once)
        total += tree.gain(nodes)
        if types & tree.types or touched & tree.touched:
            raise RefusalError("two of its trees share a row type or an item")
        types |= tree.types
        touched |= tree.touched
    return total


def named_in_trees(written: Any) -> set[int]:
    """Return the terms that trees name."""
    named = set[int]()
    for nodes in listed_in(written):
        for node in listed_in(nodes):
            if isinstance(node, dict) and "item" in node:
                named |= {e for e in listed_in(node["item"])[1:] if isinstance(e, int)}
            if isinstance(node, dict) and "prices" in node:
                for own in prices_by_type(node["prices"]).values():
                    named |= set(own)
    return named


# checker/rules/rule_bound.py


def rule_bound(
    header: list[str],
    rows: list[list[str]],
    certificate: Content,
    trees: Trees,
    people: list[People],
) -> tuple[int, int]:
    """Return what no mask costs less than, at most the claim, and what all costs."""
    data, table = entries(certificate, "data"), entries(certificate, "table")
    kind = entries(certificate, "objective")["kind"]
    if kind not in ("stars", "tuples", "gcp"):
        raise RefusalError("its objective is neither stars, tuples nor gcp")
    if {*data, "trees"} != {"denominator", "prices", "trees"}:
        raise RefusalError("its data are not denominator, prices and maybe trees")
    if (whole(table["n"], 0), whole(table["d"], 0)) != (len(rows), len(table["qi"])):
        raise RefusalError("it is for a table of another size")
    for column, stated in entries({"floors": {}, **table}, "floors").items():
        floor, j = floor_of(column, stated, header, rows, trees), header.index(column)
        rows = [[*row[:j], floor.text(row[j]), *row[j + 1 :]] for row in rows]
    unit, prices = whole(data["denominator"], 1), prices_by_type(data["prices"])
    named = {e for own in prices.values() for e in own}
    named |= named_in_trees(data.get("trees", []))
    wanted = entries(certificate, "requirement")
    family = rule_family(wanted, table["qi"], people)
    items = RuleItems(header, rows, certificate, family, named, trees)
    expect_prices(items, prices)
    total, once = 0, kind == "tuples"
    for t, copies in enumerate(items.copies):
        least = row_minimum(items, t, prices.get(t, {}), unit, once, set())
        if least is None:
            raise RefusalError("the table has no release at all")
        total += copies * least
    total -= fills_of(items, prices)
    total += gains_of_trees(data.get("trees", []), items, prices, unit, once)
    every = range(len(items.units))
    most = sum(
        copies * sum(items.cost(t, u, items.last[u]) for u in every)
        for t, copies in enumerate(items.copies)
    )
    return min(whole(certificate["bound"], None), -(-total // unit)), most


# checker/trees/price_cuts.py


def value_of(
    problem: Statement, cost: int, members: list[int], prices: list[int]
) -> int:
    """Return what the best fill of a pattern is worth, 0 where that is positive.

    By one sensitive column, and for distinct values by rows alone, as for the list.
    """
    priced = sorted((cost - prices[t], t) for t in members)
    if problem.l > 1 and problem.distinct == 1:
        worth = by_frequency(problem, priced, problem.values[0], 1, problem.n)
    else:
        worth = by_rows(problem, priced, 1, problem.n)
    return min(0, worth or 0)


def value_with_cuts(
    problem: Statement, unit: int, prices: list[int], data: Content, listed: Listed
) -> int:
    """Return what the patterns of cuts are worth, less what cuts allow.

    These patterns are taken from the list (section "Kind prices", cuts).
    """
    if problem.l > 1 or problem.distinct > 1:
        raise RefusalError("prices with cuts are for k-anonymity")
    every = range(len(problem.types))
    named = [
        problem.cover(numbers(types, every)) for types in listed_in(data["patterns"])
    ]
    if len(set(named)) < len(named):
        raise RefusalError("a pattern of its cuts is stated twice")
    fitting = [problem.fitting(key) for key in named]
    reduced = [
        {t: unit * cost - prices[t] for t in members} for cost, members in fitting
    ]
    opening, total = [0] * len(named), 0
    for cut in listed_in(data["cuts"]):
        if len(listed_in(cut)) != 3:
            raise RefusalError("a cut does not have three entries")
        inside, multiplier = set(numbers(cut[0], every)), whole(cut[2], 0)
        q, rest = divmod(sum(problem.copies[t] for t in inside), problem.least)
        total -= multiplier * (problem.least - rest) * q
        for p in set(numbers(cut[1], range(len(named)))):
            opening[p] += multiplier * (problem.least - rest)
            for t in reduced[p]:
                reduced[p][t] -= multiplier * (t not in inside)
    for key, costs, extra in zip(named, reduced, opening, strict=True):
        listed.pop(key, None)
        priced = sorted((each, problem.copies[t]) for t, each in costs.items())
        worth, _ = cheapest(priced, problem.least)
        total += 0 if worth is None else min(0, worth + extra)
    return total


# checker/trees/tree.py

NODE = {"prices", "cuts", "counts", "split", "count_split"}
SPLITS = {"split", "count_split"}
COUNTED = {"of", "types", "patterns"}

Limits = dict[int, tuple[int, int]]  # the least and the greatest number
Count = tuple[bool, set[int] | None, set[int] | None]  # groups or rows; types, patterns


class State(NamedTuple):
    """What holds at a node: prices by type, multipliers, bounds and worths."""

    prices: dict[int, int]
    cuts: list[int]
    counts: dict[int, int]
    heights: Limits  # by pattern
    limits: Limits  # by count
    worths: list[int]
    stuck: frozenset[int | None]  # patterns that must have rows and cannot


class Tree:
    """The nodes, walked from the root, with the worth of every pattern kept."""

    def __init__(
        self, problem: Statement, unit: int, listed: Listed, data: Content
    ) -> None:
        self.problem, self.unit = problem, unit
        self.keys = list(listed)
        self.costs = [listed[key][0] for key in self.keys]
        self.members = [listed[key][1] for key in self.keys]
        self.with_type: dict[int, list[int]] = {}
        for p, members in enumerate(self.members):
            for t in members:
                self.with_type.setdefault(t, []).append(p)
        place = {key: p for p, key in enumerate(self.keys)}
        every = range(len(problem.types))
        self.named = [
            place.get(problem.cover(numbers(types, every)))
            for types in listed_in(data["patterns"])
        ]
        self.cuts = [self.cut(*pair(cut)) for cut in listed_in(data["cuts"])]
        self.cuts_of: list[list[int]] = [[] for _ in self.keys]
        for c, (chosen, _, _, _) in enumerate(self.cuts):
            for p in chosen:
                self.cuts_of[p].append(c)
        self.counts = [
            self.count(stated) for stated in listed_in(data.get("counts", []))
        ]

    def cut(self, types: Any, names: Any) -> tuple[set[int], set[int], int, int]:
        """Return patterns, types, r and q of a cut (section "Cuts")."""
        inside = set(numbers(types, range(len(self.problem.types))))
        named = numbers(names, range(len(self.named)))
        chosen = {p for p in (self.named[i] for i in named) if p is not None}
        rows = sum(self.problem.copies[t] for t in inside)
        q, rest = divmod(rows, self.problem.least)
        return chosen, inside, self.problem.least - rest, q

    def count(self, stated: Any) -> Count:
        """Return what a count counts (section "Counts")."""
        if not isinstance(stated, dict) or not {"of"} <= set(stated) <= COUNTED:
            raise RefusalError("a count has other entries than of, types and patterns")
        if stated["of"] not in ("rows", "groups"):
            raise RefusalError("a count is neither of rows nor of groups")
        types = patterns = None
        if "types" in stated:
            types = set(numbers(stated["types"], range(len(self.problem.types))))
        if "patterns" in stated:
            named = numbers(stated["patterns"], self.named)
            patterns = {p for p in named if p is not None}
        return stated["of"] == "groups", types, patterns

    def least_leaf(self, nodes: list[Any]) -> int | None:
        """Return the least bound of a leaf; None where no release agrees with any."""
        state = self.start(
            dict.fromkeys(range(len(self.problem.types)), 0), [0] * len(self.cuts)
        )
        waiting: list[tuple[State, int | None]] = [(state, None)]
        least: int | None = None
        for node in nodes:
            if not waiting:
                raise RefusalError("there are nodes beyond its tree")
            state, decided = waiting.pop()
            state = self.enter(state, decided, node)
            if "split" in node:
                name, g = pair(node["split"])
                (pattern,) = numbers([name], self.named)
                waiting += reversed(self.children(state, pattern, whole(g, 0)))
                continue
            if "count_split" in node:
                name, g = pair(node["count_split"])
                (c,) = numbers([name], range(len(self.counts)))
                waiting += reversed(self.counted(state, c, whole(g, 0)))
                continue
            bound = self.bound(state)
            if bound is not None and (least is None or bound < least):
                least = bound
        if waiting:
            raise RefusalError("a node of its tree is missing")
        return least

    def start(self, prices: dict[int, int], cuts: list[int]) -> State:
        """Return the state where nothing is decided."""
        state = State(prices, cuts, {}, {}, {}, [], frozenset())
        worths = [self.worth(p, state)[0] for p in range(len(self.keys))]
        return state._replace(worths=worths)

    def enter(self, state: State, decided: int | None, node: Any) -> State:
        """Return the state at a node."""
        if not isinstance(node, dict) or not set(node) <= NODE or set(node) >= SPLITS:
            raise RefusalError("a node has an entry of unknown name, or two splits")
        changed = set() if decided is None else {decided}
        new = changes(node.get("prices", []), range(len(state.prices)), None)
        if new:
            state = state._replace(prices=state.prices | new)
            changed.update(p for t in new for p in self.with_type.get(t, []))
        new = changes(node.get("cuts", []), range(len(state.cuts)), 0)
        if new:
            cuts = [new.get(c, m) for c, m in enumerate(state.cuts)]
            state = state._replace(cuts=cuts)
            changed.update(p for c in new for p in self.cuts[c][0])
        new = changes(node.get("counts", []), range(len(self.counts)), None)
        if new:
            state = state._replace(counts=state.counts | new)
            for patterns in (self.counts[c][2] for c in new):
                changed.update(range(len(self.keys)) if patterns is None else patterns)
        worths, stuck = (
            list(state.worths) if changed else state.worths,
            set[int | None](),
        )
        for p in changed:
            worths[p], fails = self.worth(p, state)
            stuck |= {p} if fails else set()
        return state._replace(worths=worths, stuck=state.stuck - changed | stuck)

    def children(
        self, state: State, p: int | None, g: int
    ) -> list[tuple[State, int | None]]:
        """Return both sides of a split: height g at most, or more."""
        if p is None:  # not on the list: it has no rows
            return [(state, None), (state._replace(stuck=state.stuck | {None}), None)]
        low, high = state.heights.get(p, (0, self.problem.n))
        sides = [(low, min(high, g)), (max(low, g + 1), high)]
        return [
            (state._replace(heights=state.heights | {p: side}), p) for side in sides
        ]

    def counted(self, state: State, c: int, g: int) -> list[tuple[State, int | None]]:
        """Return both sides of a split on a count: g at most, or more."""
        low, high = state.limits.get(c, (0, self.problem.n))
        sides = [(low, min(high, g)), (max(low, g + 1), high)]
        return [
            (state._replace(limits=state.limits | {c: side}), None) for side in sides
        ]

    def worth(self, p: int, state: State) -> tuple[int, bool]:
        """Return w of a pattern, and whether it must have rows and cannot."""
        low, high = state.heights.get(p, (0, self.problem.n))
        priced, opening = self.priced(p, state.prices, state.cuts)
        priced, added, touch, touched = self.charged(p, priced, state.counts)
        found = fill(self.problem, priced, max(low, 1), high) if high > 0 else None
        if found is None:
            return 0, low > 0
        if touch:
            others = [(each, t) for each, t in priced if t not in touched]
            avoiding = fill(self.problem, others, max(low, 1), high)
            found += touch
            found = found if avoiding is None else min(found, avoiding)
        found += opening + added
        return (found if low > 0 else min(0, found)), False

    def charged(
        self, p: int, priced: Priced, counts: dict[int, int]
    ) -> tuple[Priced, int, int, set[int]]:
        """Return copies as counts charge them, what opening costs, and a touch.

        That is the multiplier and the types of the first count of groups that charges
        the pattern for some of its types.
        """
        members, opening, touch, touched = set(self.members[p]), 0, 0, set[int]()
        for c, multiplier in sorted(counts.items()):
            groups, types, patterns = self.counts[c]
            if multiplier == 0 or not (patterns is None or p in patterns):
                continue
            inside = members if types is None else members & types
            if not groups:
                priced = [(r + multiplier * (t in inside), t) for r, t in priced]
            elif inside == members or (inside and multiplier < 0):
                opening += multiplier
            elif inside and not touch:
                touch, touched = multiplier, inside
        return sorted(priced), opening, touch, touched

    def priced(
        self, p: int, prices: dict[int, int], multipliers: list[int]
    ) -> tuple[Priced, int]:
        """Return cost and type of each copy, cheapest first, and what opening costs."""
        cost = self.costs[p]
        paid = [(c, multipliers[c]) for c in self.cuts_of[p] if multipliers[c]]
        copies = [
            (cost - prices[t] - sum(m for c, m in paid if t not in self.cuts[c][1]), t)
            for t in self.members[p]
        ]
        return sorted(copies), sum(m * self.cuts[c][2] for c, m in paid)

    def bound(self, state: State) -> int | None:
        """Return what a leaf proves; None if no release agrees with it."""
        if state.stuck or len(self.with_type) < len(self.problem.types):
            return None
        copies = self.problem.copies
        total = sum(price * copies[t] for t, price in state.prices.items())
        total -= sum(
            m * r * q for m, (_, _, r, q) in zip(state.cuts, self.cuts, strict=True)
        )
        for c, multiplier in state.counts.items():
            low, high = state.limits.get(c, (0, self.problem.n))
            total -= multiplier * (high if multiplier > 0 else low)
        return total + sum(state.worths)


# checker/trees/thinning.py


def thinned(
    problem: Statement, unit: int, listed: Listed, data: Content, goal: int
) -> Listed:
    """Return what is left of the list after the prices and each of the rounds."""
    prices = dict(enumerate(data["prices"]))
    multipliers = [0] * len(listed_in(data["cuts"]))
    listed = dropped(Tree(problem, unit, listed, data), prices, multipliers, goal)
    prices = dict.fromkeys(prices, 0)
    for each in listed_in(data.get("rounds", [])):
        if not isinstance(each, dict) or not set(each) <= {"prices", "cuts"}:
            raise RefusalError("a round has other entries than prices and cuts")
        prices |= changes(each.get("prices", []), range(len(prices)), None)
        new = changes(each.get("cuts", []), range(len(multipliers)), 0)
        multipliers = [new.get(c, m) for c, m in enumerate(multipliers)]
        tree = Tree(problem, unit, listed, data)
        listed = dropped(tree, prices, multipliers, goal)
    return listed


def dropped(
    tree: Tree, prices: dict[int, int], multipliers: list[int], goal: int
) -> Listed:
    """Drop types with which every release costs the goal or more."""
    places, n = range(len(tree.keys)), tree.problem.n
    offered = [tree.priced(p, prices, multipliers) for p in places]
    values = [fill(tree.problem, priced, 1, n) for priced, _ in offered]
    worths = [
        0 if value is None else min(0, value + opening)
        for value, (_, opening) in zip(values, offered, strict=True)
    ]
    state = State(prices, multipliers, {}, {}, {}, worths, frozenset())
    total = tree.bound(state)
    if total is None or total >= goal:
        return {}
    left = {}
    for p, value, worth in zip(places, values, worths, strict=True):
        if value is None:
            continue
        priced, opening = offered[p]
        slack = goal - total - opening + worth
        least = forced(tree, priced)
        kept = [t for t in tree.members[p] if max(least[t], value) < slack]
        if kept:
            left[tree.keys[p]] = (tree.costs[p], kept)
    return left


def forced(tree: Tree, priced: Priced) -> dict[int, int]:
    """Return for each type the least worth of enough copies, one of it included."""
    problem, least = tree.problem, tree.problem.least
    copies = [(each, problem.copies[t]) for each, t in priced]
    worth, _ = cheapest(copies, least)
    if worth is None:
        return {}
    free = sum(some for each, some in copies if each < 0)
    last, taken = 0, 0
    for each, some in copies:
        if taken < max(free, least):
            last, taken = each, taken + some
    exchanged = max(last, 0) if free <= least else 0
    return {t: worth + max(0, each - exchanged) for each, t in priced}


# checker/within.py

MOST_SETS = 20_000_000  # of a pattern begun and a class

Ways = list[list[Chain]]  # by class and column the nodes above all of its rows


def within_bound(problem: Statement, data: Content) -> int:
    """Return what prices of rows by class prove, times the unit."""
    unit = whole(data["denominator"], 1)
    labels = classes_named(data["classes"], problem.within)
    if len(labels) != problem.n:
        raise RefusalError(f"its classes are not those of {problem.n} rows")
    rows = [count for _, count in sorted(Counter(labels).items())]
    prices = [whole(price, None) for price in listed_in(data["prices"])]
    if len(prices) != len(rows):
        raise RefusalError(f"it has {len(prices)} prices for {len(rows)} classes")
    ways = ways_of(problem, labels, len(rows))
    total, looked = sum(p * w for p, w in zip(prices, rows, strict=True)), 0
    waiting: list[tuple[int, int, list[int], list[Node]]]
    waiting = [(0, 0, list(range(len(rows))), [])]
    while waiting:
        column, cost, members, begun = waiting.pop()
        looked += len(members)
        if looked > MOST_SETS:
            raise BeyondError("patterns and classes are too many to check")
        if sum(rows[c] for c in members) < problem.least:
            continue
        if all(unit * cost >= prices[c] for c in members):
            continue  # it only gets dearer
        if any(lower_in_common(ways, j, node, members) for j, node in enumerate(begun)):
            continue
        if column == len(problem.qi):
            losses = [(rows[c] * (unit * cost - prices[c]), rows[c]) for c in members]
            total += cheapest_union(losses, problem.least)
            continue
        for node, loss, some in fitting_nodes(problem, ways, column, members):
            waiting.append((column + 1, cost + loss, some, [*begun, node]))
    return total


def classes_named(written: object, digest: object) -> list[int]:
    """Return the class of each row, numbered by first rows."""
    labels, known = listed_in(written), 0
    for label in labels:
        if type(label) is not int or not 0 <= label <= known:
            raise RefusalError("its classes are not numbered by their first rows")
        known = max(known, label + 1)
    text = ",".join(map(str, labels)).encode()
    if hashlib.sha256(text).hexdigest() != digest:
        raise RefusalError("its classes are not those that its requirement names")
    return labels


def ways_of(problem: Statement, labels: list[int], classes: int) -> Ways:
    """Return for each class and column the nodes that all of its rows are below."""
    found: Ways = [[] for _ in range(classes)]
    texts: list[list[set[str]]] = [[set() for _ in problem.qi] for _ in range(classes)]
    for label, row in zip(labels, problem.shown, strict=True):
        for column, own in enumerate(texts[label]):
            own.add(row[column])
    for label, columns in enumerate(texts):
        for column, own in enumerate(columns):
            chains = [problem.chains[column][text] for text in own]
            levels = zip(*chains, strict=False)
            common = [a[0] for a in levels if len({node for node, _ in a}) == 1]
            if problem.kept[column]:
                common = common[-1:] if len(own) == 1 else []
            found[label].append(common)
    return found


def fitting_nodes(
    problem: Statement, ways: Ways, column: int, members: list[int]
) -> Iterator[tuple[Node, int, list[int]]]:
    """Visit the nodes of a column: what a row pays, and the classes below."""
    losses: dict[Node, int] = {}
    fits: dict[Node, list[int]] = {}
    for c in members:
        for node, loss in ways[c][column]:
            losses[node] = loss
            fits.setdefault(node, []).append(c)
    for node, some in fits.items():
        yield node, problem.units[column] * losses[node], some


def lower_in_common(ways: Ways, column: int, node: Node, members: list[int]) -> bool:
    """Return whether some classes are all below a lower node than this one."""
    lowest = ways[members[0]][column][-1][0]
    if lowest == node:
        return False
    depth = [node for node, _ in ways[members[0]][column]].index(node) + 1
    below_it = ways[members[0]][column][depth][0]
    return all(
        len(ways[c][column]) > depth and ways[c][column][depth][0] == below_it
        for c in members
    )


def cheapest_union(losses: list[tuple[int, int]], least: int) -> int:
    """Return what the cheapest classes with enough rows together lose, at most 0.

    ``losses`` has (loss, rows). All that lose less than nothing are taken; of the
    others the cheapest that make up for the rows that lack.
    """
    worth = sum(loss for loss, _ in losses if loss < 0)
    lack = least - sum(rows for loss, rows in losses if loss < 0)
    if lack <= 0 or worth == 0:
        return worth
    best: list[int | None] = [0] + [None] * lack
    for loss, rows in losses:
        if loss < 0:
            continue
        for need in range(lack, 0, -1):
            before, here = best[max(0, need - rows)], best[need]
            if before is not None and (here is None or before + loss < here):
                best[need] = before + loss
    last = best[lack]
    return 0 if last is None else min(0, worth + last)


# checker/proven.py

FORMATS = (1, 2)
PRICED = {"denominator", "prices"}
BY_STARS = ("stars", "tuples")
# Of which objectives a kind is, and the entries that its data have and may have.
KINDS: dict[str, tuple[tuple[str, ...], set[str], set[str]]] = {
    "prices": ((*BY_STARS, "gcp"), PRICED, {"sensitive"}),
    "tree": (
        (*BY_STARS, "gcp"),
        PRICED | {"patterns", "cuts", "nodes"},
        {"sensitive", "rounds", "counts"},
    ),
    "boxes": (
        ("stars", "gcp"),
        PRICED | {"sets", "multipliers"},
        {"sensitive", "nodes"},
    ),
    "residue": (("tuples",), set(), set()),
    "odd_sets": (("stars", "gcp"), PRICED | {"sets", "set_prices"}, {"sensitive"}),
    "group_prices": (("gcp",), PRICED, {"sensitive"}),
    "nonhomogeneous_prices": (("stars", "gcp"), PRICED, set()),
    "nonhomogeneous_tree": (BY_STARS, {"denominator", "nodes"}, set()),
    "persons": ((*BY_STARS, "gcp"), {"denominator", "patterns", "nodes"}, set()),
    "within": (("stars", "gcp"), PRICED | {"classes"}, set()),
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


def proven_for(
    header: list[str],
    rows: list[list[str]],
    certificate: Content,
    trees: Trees,
    people: Sequence[People] = (),
) -> tuple[int, int]:
    """Return what is proven for a table, and the most that any release of it loses."""
    if certificate["kind"] == "rules":
        return rule_bound(header, rows, certificate, trees, list(people))
    if ADDED in certificate["data"] and DELETED in certificate["requirement"]:
        more, larger, less = with_added_rows(header, rows, certificate)
        problem = Statement(header, more, larger, trees)
        return max(0, proven(problem, larger) - less), problem.most_loss
    problem = Statement(header, rows, certificate, trees)
    return proven(problem, certificate), problem.most_loss


def proven(problem: Statement, certificate: Content) -> int:
    """Return the bound that table and certificate prove, at most what it claims."""
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
    if not needed <= set(data) <= needed | allowed:
        raise RefusalError(f"its data are not {', '.join(sorted(needed))}")
    if kind == "residue":
        return min(claim, residue(problem))
    if kind == "boxes":
        return box_bound(Pieces(problem, data), claim, listed_in(data.get("nodes", [])))
    unit = whole(data["denominator"], 1)
    if kind in BY_TOTAL:
        total = BY_TOTAL[kind](problem, data)
    else:
        total = by_patterns(problem, data, claim, kind == "tree")
    return min(claim, max(0, -(-total // unit)))


def by_patterns(problem: Statement, data: Content, claim: int, by_tree: bool) -> int:
    """Return what prices of types prove, alone, with cuts, or by a tree."""
    unit, prices = priced_types(data, len(problem.types))
    problem.expect_capped(unit, prices)
    total = sum(p * m for p, m in zip(prices, problem.copies, strict=True))
    listed = patterns(problem, prices, unit, 0)
    if not by_tree and "cuts" in data:
        total += value_with_cuts(problem, unit, prices, data, listed)
    for cost, members in listed.values():
        total += value_of(problem, cost, members, prices)
    goal = (claim - 1) * unit + 1
    if by_tree and total < goal:
        slack = goal - total
        listed = patterns(problem, prices, unit, slack)
        listed = thinned(problem, unit, listed, data, goal)
        tree = Tree(problem, unit, listed, data)
        least = tree.least_leaf(listed_in(data["nodes"]))
        total = goal if least is None else min(goal, max(total, least))
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
    if "unit" in entries(certificate, "data"):
        raise BeyondError("its prices have a unit, for fine losses")


# checker/command.py

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
    certificate = read_as(certificate_path, certificate_of)
    try:
        expect_known(certificate)
        bound, most = proven_for(header, rows, certificate, trees, people)
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


def certificate_of(file: TextIO) -> Any:
    """Return a certificate, of which nothing is checked."""
    return json.load(file, object_pairs_hook=named_once)


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
