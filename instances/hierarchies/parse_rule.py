"""Rules as they are written: a kind, a colon, and what it needs."""

import re
from collections.abc import Callable, Sequence

from starmin.instances.errors import TableError
from starmin.instances.hierarchies.date_rule import DateRule
from starmin.instances.hierarchies.number_rules import CutRule, RangeRule
from starmin.instances.hierarchies.prefix_rule import PrefixRule
from starmin.instances.hierarchies.rule import HierarchyRule
from starmin.instances.scales.taxonomies.build_taxonomy import PERIODS


def is_rule(text: str) -> bool:
    """Return whether a text is meant as a rule, and not as a file.

    Examples
    --------
    >>> is_rule("prefix:3,1"), is_rule("month, year"), is_rule("C:/trees/month.csv")
    (True, True, False)
    """
    kind, colon, _ = text.partition(":")
    if colon and kind.strip() in _KINDS:
        return True
    return all(part in PERIODS for part in _parts(text))


def hierarchy_rule(text: str) -> HierarchyRule:
    """Return the rule that a text states.

    ========================  ====================================================
    ``prefix:3,2,1``          codes by the first 3, 2 and 1 characters
    ``ranges:5,10,20``        numbers by ranges of these widths
    ``ranges:5,10,<18,90+``   the same, all below 18 and all from 90 on together
    ``cuts:18,30,65/18,65``   numbers by bands that begin at these numbers, by level
    ``dates:month,year``      dates by these periods (or just ``month,year``)
    ``dates:year:%d.%m.%Y``   dates that are written so
    ========================  ====================================================

    Raises
    ------
    TableError
        No such kind, or what it cannot be told.

    Examples
    --------
    >>> hierarchy_rule("prefix:3,1")
    PrefixRule(lengths=(3, 1))
    >>> hierarchy_rule("ranges:5,10,90+")
    RangeRule(widths=('5', '10'), bottom=None, top='90')
    >>> hierarchy_rule("month,year")
    DateRule(periods=('month', 'year'), form=None)
    """
    kind, colon, told = text.partition(":")
    if not colon and is_rule(text):
        kind, told = "dates", text
    if kind.strip() not in _KINDS:
        raise TableError(
            f"expected a rule {', '.join(f'{each}:..' for each in _KINDS)}; got "
            f"{text!r}"
        )
    rule = _KINDS[kind.strip()](told)
    rule.tree(("",))  # what is no rule for any value is refused at once
    return rule


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _prefix(told: str) -> HierarchyRule:
    lengths = _parts(told)
    if not all(re.fullmatch("[0-9]{1,4}", length) for length in lengths):
        raise TableError(f"prefix: expected lengths as 3,2,1; got {told!r}")
    return PrefixRule(tuple(map(int, lengths)))


def _ranges(told: str) -> HierarchyRule:
    parts = _parts(told)
    tops = [part.removesuffix("+") for part in parts if part.endswith("+")]
    bottoms = [part.removeprefix("<") for part in parts if part.startswith("<")]
    widths = [part for part in parts if part[-1:] != "+" and part[:1] != "<"]
    if not widths or len(tops) > 1 or len(bottoms) > 1:
        raise TableError(
            f"ranges: expected widths, at most one as <18 and one as 90+; got {told!r}"
        )
    return RangeRule(tuple(widths), _only(bottoms), _only(tops))


def _only(texts: Sequence[str]) -> str | None:
    return texts[0] if texts else None


def _cuts(told: str) -> HierarchyRule:
    return CutRule(tuple(tuple(_parts(level)) for level in told.split("/")))


def _dates(told: str) -> HierarchyRule:
    periods, colon, form = told.partition(":")
    if colon and not form:
        raise TableError(f"dates: expected a form as %d.%m.%Y behind {periods!r}:")
    return DateRule(tuple(_parts(periods)), form or None)


_KINDS: dict[str, Callable[[str], HierarchyRule]] = {
    "prefix": _prefix,
    "ranges": _ranges,
    "cuts": _cuts,
    "dates": _dates,
}
