"""What a column is, as its cells tell: numbers, dates, codes, words."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from itertools import pairwise

import numpy as np

from starmin.instances import Coding, Table, TableError, as_number
from starmin.instances.releases.coding import GENERALIZATION
from starmin.instances.scales.numbers import DECIMAL, ambiguity
from starmin.instances.scales.taxonomies.build_taxonomy import prefix_lengths
from starmin.instances.times.recognise import likely_forms, notation_of, written_as
from starmin.instances.times.signs import DAY

# What people write where there is no value; an empty cell and ? are known anyway.
TOKENS = frozenset({"NA", "N/A", "n/a", "na", "NaN", "nan", "NULL", "null", "None"})
TOKENS |= {"none", "N", ".", "-", "--", "unknown"}
_FEW = 12  # whole numbers, up to which they may be codes
_STEPS = 25  # ranges of a column of numbers, about
_SAMPLE = 200  # texts by which forms of dates are found
# Numbers that stand for a gap where all others are at least 0: -9, -88, -999.
_GAP = re.compile(r"-([7-9])\1*(\.0+)?")
_NINES = re.compile(r"9+[6-9](\.0+)?")  # as 99, 998, 99999, where others are far below
# Days that programs put where there is none; from year 2900 on all of them are.
_NO_DAYS = frozenset(
    date(*parts).toordinal()
    for parts in (
        *((1, 1, 1), (1111, 11, 11), (1753, 1, 1), (1899, 12, 30), (1899, 12, 31)),
        *((1900, 1, 1), (1901, 1, 1), (1970, 1, 1), (2099, 12, 31), (2222, 2, 2)),
    )
)
_NEVER = date(2900, 1, 1).toordinal()
_WORDS, _LONG = 3, 0.5  # words of a cell, and share of different ones, of free text


@dataclass(frozen=True)
class Proposal:
    """What is proposed for a column."""

    # by parameter: what is told of the column, a value, or True where it is listed
    told: dict[str, str | bool] = field(default_factory=dict)
    why: str = ""  # words for a comment
    # what else than an empty cell stands for a missing value
    missing: frozenset[str] = frozenset()


def propose_column(
    table: Table, column: str, unknown: Collection[str | None], gaps: bool = True
) -> Proposal:
    """Return what kind of column it is; what is proposed can be published.

    Parameters
    ----------
    table, column
        The column.
    unknown
        What stands for a missing value, whatever the column.
    gaps
        Whether a number as -9 may stand for a missing one, too.

    Examples
    --------
    >>> rows = [[str(20 + i), f"0{i % 10}{i}"] for i in range(10, 40)]
    >>> table = Table.from_rows(["age", "zip"], rows, qi=["age", "zip"])
    >>> propose_column(table, "age", ()).told
    {'numeric': True, 'steps': '2'}
    >>> propose_column(table, "zip", ()).told
    {'hierarchy': 'prefix:2'}
    """
    used = np.unique(table.column(column))
    labels = table.dictionary(column)
    texts = [t for t in (labels[i] for i in used) if t is not None and t not in unknown]
    found = frozenset(TOKENS & {*texts})
    known = [text for text in texts if text not in found]
    if not known:
        return Proposal(why="no values")
    for proposal in (_numbers(known, gaps), _dates(known, gaps), _codes(known)):
        if proposal is not None:
            told = replace(proposal, missing=found | proposal.missing)
            if _can_be(table, column, told, unknown):
                return told
    return Proposal(why="words, published as they are or starred")


def is_free_text(table: Table, column: str) -> bool:
    """Check whether the cells of a column are sentences.

    Examples
    --------
    >>> rows = [[f"was seen on day {i} and left"] for i in range(9)]
    >>> is_free_text(Table.from_rows(["note"], rows, qi=["note"]), "note")
    True
    """
    codes, labels = table.column(column), table.dictionary(column)
    used = np.unique(codes)
    texts = [labels[i] or "" for i in used]
    words = sum(len(text.split()) for text in texts) / len(texts)
    return len(used) > max(_WORDS, _LONG * table.n) and words > _WORDS


def _numbers(texts: Sequence[str], gaps: bool) -> Proposal | None:
    if not all(re.fullmatch(DECIMAL, text) for text in texts) or ambiguity(texts):
        return None
    if any(re.match(r"-?0\d", text) for text in texts):
        return None  # codes
    missing = _gaps(texts) if gaps else frozenset[str]()
    plain = [text.replace(",", ".") for text in texts if text not in missing]
    numbers = sorted({n for t in plain if (n := as_number(t)) is not None})
    whole = all(n == int(n) for n in numbers)
    if len(numbers) < 2 or (whole and len(numbers) <= _FEW):
        many = f"{len(numbers)} whole numbers: taken for codes"
        return Proposal(why=f'{many}; kind = "numeric" makes ranges of them')
    span = float(numbers[-1] - numbers[0])
    least = float(min(b - a for a, b in pairwise(numbers)))
    about = max(span / _STEPS, least)
    step = _round_step(about, whole)
    # A step that moves no number rounds none, as 1 of whole numbers.
    while Fraction(step) < span and all(n % Fraction(step) == 0 for n in numbers):
        about *= 2
        step = _round_step(about, whole)
    why = "numbers, published as ranges"
    if missing:
        why += f"; {' and '.join(sorted(missing))} taken for no value"
    return Proposal({"numeric": True, "steps": step}, why, missing)


def _gaps(texts: Sequence[str]) -> frozenset[str]:
    """Return the numbers that stand for no value, as people code them."""
    negative = frozenset(text for text in texts if text.startswith("-"))
    negative = negative if all(map(_GAP.fullmatch, negative)) else frozenset()
    nines = {text for text in texts if _NINES.fullmatch(text)}
    others = [
        float(text.replace(",", ".")) for text in texts if text not in nines | negative
    ]
    if not others:
        return negative
    least, greatest = min(others), max(others)
    far = {text for text in nines if float(text) - greatest > greatest - least}
    return negative | far


def _round_step(about: float, whole: bool) -> str:
    """Return the greatest of 1, 2, 5, 10, 20, .. (or parts of 1) up to a number."""
    power = 0
    while about < 1 and not whole and power > -9:
        about, power = about * 10, power - 1
    while about >= 10:
        about, power = about / 10, power + 1
    first = next(digit for digit in (5, 2, 1, 0) if digit <= about) or 1
    return f"{first}{'0' * power}" if power >= 0 else f"0.{'0' * (-power - 1)}{first}"


def _dates(texts: Sequence[str], gaps: bool) -> Proposal | None:
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    forms = {written_as(text) for text in sample}
    told: dict[str, str | bool] = {"numeric": True}
    if len(forms) == 1 and None not in forms:
        form = str(next(iter(forms)))
    else:
        likely = likely_forms(sample)
        if not likely:
            return None
        form = told["date_format"] = likely[0]
    if form.startswith("duration"):
        return None
    day, month = re.search("%[dj]", form), re.search("%[mbBq]", form)
    told["steps"] = "month" if day else "year" if month else "hour"
    why, missing = "dates or times, published as ranges", frozenset[str]()
    if gaps and day and "%y" not in form:
        missing = _no_days(texts, form)
    if missing:
        why += f"; {' and '.join(sorted(missing))} taken for no value"
    return Proposal(told, why, missing)


def _no_days(texts: Sequence[str], form: str) -> frozenset[str]:
    """Return days that stand for no value, and are farther away than others apart."""
    notation, _ = notation_of(texts, form)
    assert notation is not None
    moments = {text: notation.read(text) for text in texts}
    days = {t: each // DAY + 1 for t, each in moments.items() if each is not None}
    odd = {t for t, day in days.items() if day in _NO_DAYS or day >= _NEVER}
    others = sorted(day for text, day in days.items() if text not in odd)
    if not others:
        return frozenset()
    first, last = others[0], others[-1]
    return frozenset(
        text
        for text in odd
        if max(first - days[text], days[text] - last) > last - first
    )


def _codes(texts: Sequence[str]) -> Proposal | None:
    if not (lengths := prefix_lengths(texts)):
        return None
    rule = f"prefix:{','.join(map(str, lengths))}"
    return Proposal({"hierarchy": rule}, "codes, joined by how they begin")


def _can_be(
    table: Table, column: str, told: Proposal, unknown: Collection[str | None]
) -> bool:
    """Check whether ranges can be made of the column, cell by cell."""
    if "numeric" not in told.told:
        return True
    alone = table.with_roles([column])
    forms = {k: str(v) for k, v in [(column, told.told.get("date_format"))] if v}
    try:
        Coding(
            GENERALIZATION,
            numeric=(column,),
            missing=(None, *unknown, *told.missing),
            steps={column: str(told.told["steps"])},
            forms=forms,
        ).scales(alone)
    except TableError:
        return False
    return True
