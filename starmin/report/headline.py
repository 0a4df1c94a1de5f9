"""What a release promises and what that costs, in sentences that anyone can read."""

import math

from starmin.instances import Objective, Requirement, Table
from starmin.instances.tables.names import some_of
from starmin.verify.releases.disclosure import Disclosure

_DIGITS = 4  # of a percentage, at most


def promise(requirement: Requirement, table: Table, recoding: str) -> list[str]:
    """Say what a release promises, a sentence for each part of the requirement.

    >>> from starmin.instances import KAnonymity
    >>> table = Table.from_rows(["a"], [["0"]], qi=["a"])
    >>> promise(KAnonymity(5), table, "suppression")
    ['By a, nobody in this table can be told apart from fewer than four others.']
    """
    return [part.sentence(table, recoding) for part in requirement.parts]


def beside(found: Disclosure) -> list[str]:
    """Say what is published beside the quasi-identifiers, and what that tells.

    >>> from starmin.verify.releases.disclosure import Unchanged, Undone
    >>> told = Undone("education", "years", 347, 347)
    >>> beside(Disclosure(Unchanged(("years",), 900, 20, 700), (told,)))[1]
    'years tells 347 of the 347 hidden cells of education.'
    """
    lines = []
    if (kept := found.unchanged) is not None:
        are, them = "are published as they are", "them"
        if len(kept.columns) == 1:
            are, them = "is published as it is", "it"
        lines.append(
            f"Beside these columns, {some_of(kept.columns)} {are}: "
            f"{kept.unique_rows:,} of {kept.rows:,} rows are unique by {them}, "
            f"{kept.unique_rows_with_qi:,} with the quasi-identifiers as they are "
            "published."
        )
    told = [*map(str, found.named), *([found.others] if found.others else ())]
    return [*lines, *(f"{each}." for each in told)]


def cost(
    objective: Objective, recoding: str, value: float, bound: float | None, exact: bool
) -> str:
    """Say what a release costs and how little any release with its promise can cost.

    ``value`` and ``bound``, the proven lower one, are shares of publishing nothing;
    ``exact`` tells whether they are the same.

    >>> print(cost(Objective(), "suppression", 0.5, 0.4999, False))
    50 % of the cells are hidden; no release with this promise hides fewer than 49.9 %.
    >>> cost(Objective("gcp"), "generalization", 0.25, 0.25, True)
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
    if exact:
        return f"{percent(value)} {what} {verb}; no release with this promise {less}."
    if not bound:
        told = "How much less would be possible is not known."
        return f"{percent(value)} {what} {verb}. {told}"
    shown, least = percents(value, bound)
    return f"{shown} {what} {verb}; no release with this promise {less} than {least}."


def percent(share: float) -> str:
    """Write a share in percent, with as many digits as it takes.

    >>> percent(0.1304), percent(0.0449), percent(0.00123), percent(0.00000001)
    ('13 %', '4.5 %', '0.12 %', '< 0.0001 %')
    """
    digits = _first_digits(share)
    while float(text := _rounded(share, digits)) == 0 < share:
        if digits == _DIGITS:
            return f"< {10**-_DIGITS:.{_DIGITS}f} %"
        digits += 1
    return f"{text} %"


def percents(value: float, bound: float) -> tuple[str, str]:
    """Write a value and a lower bound of it in percent.

    Both are shares, the bound below the value. The bound is rounded down, so that it
    stays one; there are so many digits that little of it is lost, and that the value is
    above it.

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


def loss_words(objective: Objective) -> tuple[str, str, str]:
    """Return what an objective counts, the verb for it, and what no release does.

    >>> loss_words(Objective())
    ('of the cells', 'are hidden', 'hides fewer')
    """
    kind = objective.declared
    if objective.weights:
        what = "of the cells, counted by their weights,"
        return what, kind.weighted_lost, "loses less"
    return kind.what, kind.lost, kind.less
