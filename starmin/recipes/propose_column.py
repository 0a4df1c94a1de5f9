"""What a column is, as its cells tell: numbers, dates, codes, words."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from itertools import pairwise

from starmin.instances import Coding, Table, TableError, as_number
from starmin.instances.releases.coding import GENERALIZATION
from starmin.instances.scales.numbers import DECIMAL, ambiguity
from starmin.instances.scales.taxonomies.build_taxonomy import prefix_lengths
from starmin.instances.times.recognise import likely_forms, notation_of, written_as
from starmin.instances.times.signs import DAY
from starmin.recipes.column_facts import gaps_of, numbers_of_gaps, tokens
from starmin.recipes.role_guess import is_word, topics_of, words_of
from starmin.recipes.role_words import CODED, SIZES

_FEW = 12  # whole numbers, up to which they may be codes
_STEPS = 25  # ranges of a column of numbers, about
_SAMPLE = 200  # texts by which forms of dates are found
_READ = 20_000  # texts that are looked at where there are very many
_NUMBER = re.compile(DECIMAL)
# Of codes: values at least, first digits at least, share that ends with 0 at most, and
# digits from which a 0 in front may be lost.
_CODES, _FIRSTS, _ROUND, _SHORT = 30, 5, 0.3, 3
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
    table: Table,
    column: str,
    unknown: Collection[str | None],
    denied: Collection[str] = (),
) -> Proposal:
    """Return what kind of column it is; what is proposed can be published.

    ``unknown`` stands for a missing value, whatever the column; ``denied`` are values
    that stand for none in no column, as they are values of another one.

    >>> rows = [[str(20 + i), f"0{i % 10}{i}"] for i in range(10, 40)]
    >>> table = Table.from_rows(["age", "zip"], rows, qi=["age", "zip"])
    >>> propose_column(table, "age", ()).told
    {'numeric': True, 'steps': '2'}
    >>> propose_column(table, "zip", ()).told
    {'hierarchy': 'prefix:2'}
    """
    used = table.text_counts(column)
    texts = [t for t in used if t is not None and t not in unknown]
    found = tokens(texts) - {*denied}
    known = [text for text in texts if text not in found]
    if not known:
        return Proposal(why="no values")
    numbers, gaps = None, frozenset[str]()
    if all(map(_NUMBER.fullmatch, known)) and not ambiguity(known):
        gaps = numbers_of_gaps(known) - {*denied}
        known = [text for text in known if text not in gaps]
        numbers = _numeric_codes(column, known) or _numbers(known)
    for proposal in (numbers, _dates(known, denied), _codes(known)):
        if proposal is not None:
            missing = found | gaps | proposal.missing
            told = replace(proposal, missing=missing)
            if _can_be(table, column, told, unknown):
                return told
    return Proposal(why="words, published as they are or starred", missing=found)


def is_free_text(table: Table, column: str) -> bool:
    """Check whether the cells of a column are sentences.

    >>> rows = [[f"was seen on day {i} and left"] for i in range(9)]
    >>> is_free_text(Table.from_rows(["note"], rows, qi=["note"]), "note")
    True
    """
    used = [*table.text_counts(column)]
    if len(used) <= max(_WORDS, _LONG * table.n):
        return False
    texts = [text or "" for text in used[:: max(1, len(used) // _READ)]]
    return sum(len(text.split()) for text in texts) / len(texts) > _WORDS


def are_dates(texts: Sequence[str]) -> bool:
    """Check whether texts that are no numbers are dates or times."""
    gaps = gaps_of(texts)
    known = [text for text in texts if text not in gaps]
    return bool(known) and _dates(known, ()) is not None


def _numeric_codes(column: str, texts: Sequence[str]) -> Proposal | None:
    """Return that whole numbers are codes, by their name or by how they are spread.

    Codes have one width, begin with many digits and seldom end with 0, and leave gaps.
    """
    if not all(text.isdigit() for text in texts) or len(texts) <= _FEW:
        return None
    words = words_of(column)
    called = any(is_word(word, CODED) for word in words[-1:] + words[:1])
    widths, numbers = {len(text) for text in texts}, sorted(map(int, texts))
    if not called:
        spread = numbers[-1] - numbers[0] + 1
        if (
            widths - {4, 5, 6, 7, 8}
            or len(widths) > 1
            or len(texts) < _CODES
            or sum(text.endswith("0") for text in texts) > _ROUND * len(texts)
            or len({text[0] for text in texts}) < _FIRSTS
            or len(texts) > spread / 2
        ):
            return None
        if any(topic.said in SIZES for _, topic in topics_of(column)):
            return None
    name = "by its name" if called else "by their width and gaps"
    if len(widths) == 1 and (lengths := prefix_lengths(texts, coded=True)):
        rule = f"prefix:{','.join(map(str, lengths))}"
        why = f"codes {name}, not sizes: joined by how they begin"
        return Proposal({"hierarchy": rule}, why)
    zeros = "; some may have lost a 0 in front" if max(widths) > _SHORT else ""
    return Proposal(why=f'codes {name}{zeros}; kind = "numeric" makes ranges of them')


def _numbers(texts: Sequence[str]) -> Proposal | None:
    if any(re.match(r"-?0\d", text) for text in texts):
        return None  # codes
    # Of very many numbers some thousands tell the step; all of them are numbers.
    some = texts[:: max(1, len(texts) // _READ)]
    plain = [text.replace(",", ".") for text in some]
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
    return Proposal({"numeric": True, "steps": step}, "numbers, published as ranges")


def _round_step(about: float, whole: bool) -> str:
    """Return the greatest of 1, 2, 5, 10, 20, .. (or parts of 1) up to a number."""
    power = 0
    while about < 1 and not whole and power > -9:
        about, power = about * 10, power - 1
    while about >= 10:
        about, power = about / 10, power + 1
    first = next(digit for digit in (5, 2, 1, 0) if digit <= about) or 1
    return f"{first}{'0' * power}" if power >= 0 else f"0.{'0' * (-power - 1)}{first}"


def _dates(texts: Sequence[str], denied: Collection[str]) -> Proposal | None:
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
    missing = frozenset[str]()
    if day and "%y" not in form:
        missing = _no_days(texts, form) - {*denied}
    return Proposal(told, "dates or times, published as ranges", missing)


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
    digits = sum(any(c.isdigit() for c in text) for text in texts)
    if 2 * digits < len(texts) or not (lengths := prefix_lengths(texts)):
        return None  # as of CA, CO and CT, which have nothing in common
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
