"""What a release promises and what that costs, in sentences that anyone can read."""

import math
from collections.abc import Sequence
from typing import Any

from starmin.instances import Objective, Requirement, Table
from starmin.verify.releases.disclosure import Disclosure

_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_DIGITS = 4  # of a percentage, at most
_NAMED = 6  # columns in a sentence, at most


def promise(requirement: Requirement, table: Table, recoding: str) -> list[str]:
    """Say what a release that satisfies a requirement promises.

    Parameters
    ----------
    requirement, table
        What was asked, and of what.
    recoding
        How the release is published.

    Returns
    -------
    list of str
        A sentence for each part of the requirement.

    Examples
    --------
    >>> from starmin.instances import KAnonymity
    >>> table = Table.from_rows(["a"], [["0"]], qi=["a"])
    >>> promise(KAnonymity(5), table, "suppression")
    ['By a, nobody in this table can be told apart from fewer than four others.']
    """
    sensitive, columns = _either(table.sensitive), some_of(table.qi)
    sentences = []
    for part in requirement.parts:
        asked = part.as_json()
        if "k" in asked:
            sentences.append(_of_k(int(asked["k"]), columns, recoding))
        elif "l" in asked:
            sentences.append(_of_l(asked, sensitive))
        elif "alpha" in asked:
            sentences.append(_of_share(f"{100 * asked['alpha']:g} %", sensitive))
        elif "t" in asked:
            sentences.append(
                f"Within each group, {sensitive} is distributed nearly as in the whole "
                f"table: the distance is at most {asked['t']:g}, on a scale from 0 to "
                "1."
            )
        else:
            sentences.append(
                f"By {columns}, everybody looks like at least as many people as that "
                f"person asked for, in the column {asked['k_column']}."
            )
    return sentences


def beside(found: Disclosure) -> list[str]:
    """Say what is published beside the quasi-identifiers, and what that tells.

    Examples
    --------
    >>> from starmin.verify.releases.unchanged import Unchanged, Undone
    >>> told = Undone("education", "years", 347, 347)
    >>> beside(Disclosure(Unchanged(("years",), 900, 20, 700), (told,)))[1]
    'years tells 347 of the 347 hidden cells of education.'
    """
    lines = []
    if (kept := found.unchanged) is not None:
        one = len(kept.columns) == 1
        lines.append(
            f"Beside these columns, {some_of(kept.columns)} "
            f"{'is' if one else 'are'} published unchanged: {kept.unique_rows:,} of "
            f"{kept.rows:,} rows are unique by {'it' if one else 'them'}, "
            f"{kept.unique_rows_with_qi:,} with the quasi-identifiers as they are "
            "published."
        )
    return [*lines, *(f"{each}." for each in found.undone or ())]


def some_of(columns: Sequence[str]) -> str:
    """Name a few columns, or say how many there are.

    Examples
    --------
    >>> some_of(["age"]), some_of(["age", "sex", "zip"]), some_of(list("abcdefgh"))
    ('age', 'age, sex and zip', 'a, b, c, d and 4 other columns')
    """
    if len(columns) > _NAMED:
        rest = len(columns) - _NAMED + 2
        return f"{', '.join(columns[: _NAMED - 2])} and {rest} other columns"
    *first, last = columns or ["no column"]
    return f"{', '.join(first)} and {last}" if first else last


def cost(
    objective: Objective,
    recoding: str,
    value: float,
    bound: float | None,
) -> str:
    """Say what a release costs and how little any release with its promise can cost.

    Parameters
    ----------
    objective
        What was minimised.
    recoding
        How the release is published.
    value, bound
        Of the release, and the proven lower bound, as shares of publishing nothing.

    Examples
    --------
    >>> print(cost(Objective(), "suppression", 0.5, 0.4999))
    50 % of the cells are hidden; no release with this promise hides fewer than 49.9 %.
    >>> cost(Objective("gcp"), "generalization", 0.25, 0.25)
    '25 % of the detail is lost; no release with this promise loses less.'
    """
    if recoding == "permutation":
        return (
            "No cell is hidden; what is hidden is which of the values of its group "
            "belongs to which person."
        )
    what, verb, less = loss_words(objective)
    if value == 0:
        return "Nothing is hidden: all cells are published as they are."
    if bound == value:
        return f"{percent(value)} {what} {verb}; no release with this promise {less}."
    if not bound:
        told = "How much less would be possible is not known."
        return f"{percent(value)} {what} {verb}. {told}"
    shown, least = percents(value, bound)
    return f"{shown} {what} {verb}; no release with this promise {less} than {least}."


def percent(share: float) -> str:
    """Write a share in percent, with as many digits as it takes.

    Examples
    --------
    >>> percent(0.1304), percent(0.0449), percent(0.00123), percent(0.00000001)
    ('13 %', '4.5 %', '0.12 %', '< 0.0001 %')
    """
    digits = _first_digits(share)
    while digits < _DIGITS and float(_rounded(share, digits)) == 0 < share:
        digits += 1
    text = _rounded(share, digits)
    if float(text) == 0 < share:
        return f"< {10**-_DIGITS:.{_DIGITS}f} %"
    return f"{text} %"


def percents(value: float, bound: float) -> tuple[str, str]:
    """Write a value and a lower bound of it in percent.

    The bound is rounded down, so that it stays one; there are so many digits that
    little of it is lost, and that the value is above it.

    Parameters
    ----------
    value, bound
        Shares, the bound below the value.

    Examples
    --------
    >>> percents(0.1304, 0.1299), percents(0.1303, 0.1302)
    (('13 %', '12.9 %'), ('13.03 %', '13.02 %'))
    """
    most = 100 * max(value - bound, 0.01 * bound)
    digits = _first_digits(bound)
    while digits < _DIGITS and 100 * bound - _floored(bound, digits) > most:
        digits += 1
    while digits < _DIGITS and _floored(bound, digits) >= float(
        _rounded(value, digits)
    ):
        digits += 1
    least = _floored(bound, digits)
    above = _first_digits(value)
    while above < digits and float(_rounded(value, above)) <= least:
        above += 1
    return f"{_rounded(value, above)} %", f"{_rounded(least / 100, digits)} %"


def _first_digits(share: float) -> int:
    return 0 if share >= 0.1 else 1 if share >= 0.01 else 2


def _rounded(share: float, digits: int) -> str:
    text = f"{100 * share:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _floored(share: float, digits: int) -> float:
    return math.floor(100 * share * 10.0**digits + 1e-9) / 10.0**digits


def _of_k(k: int, columns: str, recoding: str) -> str:
    others = number_word(k - 1)
    if recoding == "nonhomogeneous":
        return (
            f"By {columns}, each published row may be that of any of at least "
            f"{number_word(k)} people, each of whom may as well be any of as many rows."
        )
    if recoding == "permutation":
        return (
            f"By {columns}, nobody's sensitive values can be told apart from those of "
            f"fewer than {others} other{'' if k == 2 else 's'}."
        )
    return (
        f"By {columns}, nobody in this table can be told apart from fewer than "
        f"{others} other{'' if k == 2 else 's'}."
    )


def _of_l(asked: dict[str, Any], sensitive: str) -> str:
    l, form = int(asked["l"]), asked.get("diversity", "frequency")
    if form == "frequency":
        return _of_share(f"one in {number_word(l)}", sensitive)
    if form == "distinct":
        return (
            f"Each group of people who look alike has at least {number_word(l)} "
            f"different values of {sensitive}."
        )
    if form == "entropy":
        return (
            f"In each group of people who look alike, {sensitive} is as uncertain as "
            f"if {number_word(l)} values were equally frequent."
        )
    return (
        f"In each group of people who look alike, the most frequent value of "
        f"{sensitive} has fewer than {asked['c']:g} times as many rows as all values "
        f"from the {_ordinal(l)} most frequent one on."
    )


def _of_share(most: str, sensitive: str) -> str:
    return f"Of the people who look alike, at most {most} have the same {sensitive}."


def loss_words(objective: Objective) -> tuple[str, str, str]:
    """Return what an objective counts, the verb for it, and what no release does.

    Examples
    --------
    >>> loss_words(Objective())
    ('of the cells', 'are hidden', 'hides fewer')
    """
    if objective.weights and objective.kind != "tuples":
        lost = "are hidden" if objective.kind == "stars" else "are lost"
        return "of the cells, counted by their weights,", lost, "loses less"
    return {
        "stars": ("of the cells", "are hidden", "hides fewer"),
        "tuples": ("of the rows", "have a hidden cell", "has fewer of them"),
        "gcp": ("of the detail", "is lost", "loses less"),
    }[objective.kind]


def number_word(number: int) -> str:
    """Write a small number as a word.

    Examples
    --------
    >>> number_word(4), number_word(1200)
    ('four', '1,200')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else f"{number:,}"


def _ordinal(number: int) -> str:
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = "th" if number % 100 in (11, 12, 13) else endings.get(number % 10, "th")
    return f"{number}{ending}"


def _either(columns: Sequence[str]) -> str:
    return " or ".join(columns) or "sensitive value"
