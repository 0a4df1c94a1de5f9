"""What is counted of the columns of a table before their roles are guessed."""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from starmin.instances import Table, as_number
from starmin.instances.tables.grouping import group_by
from starmin.recipes.role_words import words_in

_SAMPLE = 20_000  # rows by which most pairs of columns are seen not to tell each other
_READ = 5_000  # texts by which it is seen how a column is written
_ID_SHARE, _ID_ROWS = 0.95, 10  # different values among so many rows, as ids have


@dataclass(frozen=True)
class Facts:
    """What is counted of a column."""

    name: str
    n: int
    distinct: int  # different values, a missing one among them
    missing: int  # rows without one
    alone: int  # rows that no other one looks like, by this column
    texts: tuple[str, ...]  # its values but missing ones, at most some thousands
    numbers: tuple[float, ...] = ()  # the same, where all are numbers
    whole: bool = False
    rising: bool = False  # whether each row has a greater number than the one before
    mean: float = 0.0  # of the numbers, over rows
    follows: tuple[str, ...] = ()  # columns, each of which tells this one's value

    @property
    def looks_like_id(self) -> bool:
        """Whether nearly each row has a value of its own."""
        return self.n >= _ID_ROWS and self.distinct >= _ID_SHARE * self.n

    @property
    def figures(self) -> str:
        """The counts, for a comment."""
        said = f"{self.distinct:,} values" if self.distinct != 1 else "1 value"
        if self.missing:
            said += f", {self.missing:,} rows without one"
        if self.alone and not self.looks_like_id:
            stand = "stands" if self.alone == 1 else "stand"
            said += f", {self.alone:,} of {self.n:,} rows {stand} alone by it"
        return said


def column_facts(table: Table, unknown: Collection[str | None]) -> dict[str, Facts]:
    """Count what there is to be counted of each column, in O(n) for each.

    Which columns tell which is looked for in some rows, and asked of all rows for those
    pairs alone that are left.
    """
    found = {name: _facts(table, name, unknown) for name in table.names}
    step = max(1, table.n // _SAMPLE)
    rest = [c for c in table.names if not found[c].looks_like_id]
    rest = [c for c in rest if found[c].distinct > 1]
    some = {c: np.ascontiguousarray(table.column(c)[::step]) for c in rest}
    fewer = {c: len(np.unique(some[c])) for c in rest}
    for column in rest:
        follows = []
        for other in rest:
            if other == column or found[other].distinct < found[column].distinct:
                continue
            if fewer[other] != group_by([some[other], some[column]]).size:
                continue
            both = [other, column]
            if step == 1 or found[other].distinct == table.grouped(both).size:
                follows.append(other)
        if follows:
            found[column] = replace(found[column], follows=tuple(follows))
    return found


def _facts(table: Table, name: str, unknown: Collection[str | None]) -> Facts:
    codes, labels = table.column(name), table.dictionary(name)
    rows = table.text_counts(name)
    known = [text for text in rows if text is not None and text not in unknown]
    texts = tuple(known[:: max(1, len(known) // _READ)])
    numbers = [as_number(text.replace(",", ".")) for text in texts]
    values = tuple(float(n) for n in numbers if n is not None)
    if len(values) < len(texts):
        values = ()
    rising, mean = False, 0.0
    if values:
        mean = float(np.average(values, weights=[rows[text] for text in texts]))
        if len(known) == len(texts) == table.n:
            value_of = dict(zip(texts, values, strict=True))
            by_code = np.array([value_of.get(label or "", 0.0) for label in labels])
            rising = bool((np.diff(by_code[codes]) > 0).all())
        elif len(known) == table.n:
            first = [as_number(str(labels[j])) for j in codes[:_READ]]
            rising = all(
                a is not None and b is not None and a < b for a, b in pairwise(first)
            )
    return Facts(
        name,
        table.n,
        len(rows),
        sum(rows.values()) - sum(rows[text] for text in known),
        sum(many == 1 for many in rows.values()),
        texts,
        values,
        bool(values) and all(value == int(value) for value in values),
        rising,
        mean,
    )


# Values that stand for no value, as people code them.

# What people write where there is no value; an empty cell and ? are known anyway.
TOKENS = words_in(
    """na n/a nan null none . - -- unknown unk unbekannt inconnu desconocido
    sconosciuto onbekend nk nsp ns/nr k.a. missing refused"""
)
# Those that are words of their own, unless all others are numbers.
_AMONG_NUMBERS = frozenset({"N", "none", "-", "--", "X", "x"})
# Numbers that stand for a gap where all others are at least 0: -9, -88, -999.
_GAP = re.compile(r"-([7-9])\1*(\.0+)?")
_SMALL_GAP = re.compile(r"-(1|[1-9]|1[05])(\.0+)?")  # beside such ones, or -1 alone
_NINES = re.compile(r"9+[6-9](\.0+)?")  # as 99, 998, 99999, where others are far below
_TOP = re.compile(r"([789])\1*|9+[78]")  # of classes, where no other is near
_NUMBER = re.compile(r"-?\d+([.,]\d+)?")
_CLASSES = 15


def tokens(texts: Collection[str]) -> frozenset[str]:
    """Return the words among values that stand for none.

    Examples
    --------
    >>> sorted(tokens(["12", "N", "NA"])), sorted(tokens(["Y", "N", "Unknown"]))
    (['N', 'NA'], ['Unknown'])
    """
    found = {t for t in texts if t.lower() in TOKENS or t in _AMONG_NUMBERS}
    if len(found) == len(texts):
        return frozenset()
    if found & _AMONG_NUMBERS:
        others = [text for text in texts if text not in found]
        if not all(re.fullmatch(r"[\d.,-]*\d[\d.,-]*", text) for text in others):
            found -= _AMONG_NUMBERS
    return frozenset(found)


def gaps_of(texts: Collection[str]) -> frozenset[str]:
    """Return all values of a column that stand for none."""
    found = tokens(texts)
    known = [text for text in texts if text not in found]
    if known and all(_NUMBER.fullmatch(text) for text in known):
        found |= numbers_of_gaps(known)
    return found


def numbers_of_gaps(texts: Collection[str]) -> frozenset[str]:
    """Return the numbers among numbers that stand for no value.

    Examples
    --------
    >>> sorted(numbers_of_gaps(["-1", "-9", "0", "3", "12"]))
    ['-1', '-9']
    >>> sorted(numbers_of_gaps(["-9", "-5", "-4.5", "3"])), sorted(
    ...     numbers_of_gaps(["1", "2", "17", "999"]))
    ([], ['999'])
    """
    negative = frozenset(text for text in texts if text.startswith("-"))
    sure = {text for text in negative if _GAP.fullmatch(text)}
    small = {text for text in negative if _SMALL_GAP.fullmatch(text)} - sure
    alone = {text.partition(".")[0] for text in small} == {"-1"}
    others_above = len(texts) - len(negative)
    enough = others_above >= max(3 if alone and not sure else 1, len(small))
    if not (sure or alone) or sure | small != negative or not enough:
        negative = frozenset()
    nines = {text for text in texts if _NINES.fullmatch(text)}
    others = [
        float(text.replace(",", ".")) for text in texts if text not in nines | negative
    ]
    if not others:
        return negative
    least, greatest = min(others), max(others)
    far = {text for text in nines if float(text) - greatest > greatest - least}
    return negative | far


def perhaps_gaps(texts: Collection[str]) -> frozenset[str]:
    """Return numbers of classes, as 9 beside 1 and 2, that may stand for no value.

    Examples
    --------
    >>> sorted(perhaps_gaps(["1", "2", "9"])), sorted(perhaps_gaps(["7", "8", "9"]))
    (['9'], [])
    """
    if not 2 < len(texts) <= _CLASSES:
        return frozenset()
    if not all(re.fullmatch(r"-?\d+", text) for text in texts):
        return frozenset()
    top = {text for text in texts if _TOP.fullmatch(text)}
    others = [int(text) for text in texts if text not in top]
    if len(others) < 2 or max(others) < 1:
        return frozenset(text for text in texts if text == "-1")
    far = {text for text in top if int(text) - max(others) > 1 + max(others) // 2}
    return frozenset(far) | frozenset(text for text in texts if text == "-1")
