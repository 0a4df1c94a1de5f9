"""Find the tree of a column, whatever states it: a rule, a file, or a text."""

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal

from starmin.instances.errors import TableError
from starmin.instances.scales.missing import MISSING, split_missing
from starmin.instances.scales.numbers import DECIMAL, MOST_LENGTH
from starmin.instances.scales.range_notation import (
    AmbiguousRangeError,
    Interval,
    read_range,
)
from starmin.instances.scales.taxonomies.build_taxonomy import PERIODS
from starmin.instances.scales.taxonomies.hierarchy_rules import (
    CutRule,
    DateRule,
    HierarchyRule,
    PrefixRule,
    RangeRule,
    RareRule,
    Text,
)
from starmin.instances.scales.taxonomies.taxonomy import ROOT, Taxonomy
from starmin.instances.tables.table import Table

# Trees whose leaves are patterns: ranges of numbers, or prefixes of codes.

_PREFIX = re.compile(r"([^*]+)\*+")


def is_open(tree: Taxonomy) -> bool:
    """Return whether a leaf of a tree may stand for other values."""
    return bool(_ranges(tree) or _prefixes(tree))


def opened(
    tree: Taxonomy, values: Iterable[Text], missing: Iterable[Text] = MISSING
) -> Taxonomy:
    """Return a tree with a leaf for each value that a pattern among its leaves holds.

    A leaf that is a range, as ``15-19`` or ``[15, 20[``, holds the numbers in it; one
    that ends with a star, as ``021*``, holds what begins so. Where a value that the
    tree lacks is in one of them, it becomes a leaf below it; of several prefixes that
    is the longest. Patterns without a value are left out of such a tree. If no value is
    in a pattern, the tree stays as it is.

    Values that are ``missing`` are in no pattern. Raises TableError where a number is
    in two ranges, or a range can be read in two ways.

    >>> bands = Taxonomy([("15-19", "young", "*"), ("20-24", "young", "*")])
    >>> opened(bands, ["17", "18", "20-24"]).ancestors["17"]
    ('15-19', 'young', '*')
    """
    ranges, prefixes = _ranges(tree), _prefixes(tree)
    known = {*tree.labels}
    texts, _ = split_missing(values, missing)
    below: dict[str, list[str]] = {}
    for text in texts:
        if text not in known and text != ROOT:
            longest = [each for each in prefixes if text.startswith(prefixes[each])]
            leaf = _range_of(text, ranges, tree.name) or max(
                longest, key=lambda each: len(prefixes[each]), default=None
            )
            if leaf is not None:
                below.setdefault(leaf, []).append(text)
    if not below:
        return tree
    given, paths = {*texts}, list[tuple[str, ...]]()
    for path in tree.paths:
        leaf = path[0]
        if leaf in below:
            paths += [(value, *path) for value in sorted(below[leaf])]
        elif leaf in given or (leaf not in ranges and leaf not in prefixes):
            paths.append(tuple(path))
    return Taxonomy(paths, tree.name, told=tree.told)


def _ranges(tree: Taxonomy) -> dict[str, Interval]:
    found = {}
    for leaf in tree.leaves:
        try:
            interval = read_range(leaf)
        except AmbiguousRangeError:
            continue  # it stands for itself alone
        if interval is not None:
            found[leaf] = interval
    return found


def _prefixes(tree: Taxonomy) -> dict[str, str]:
    found = {leaf: _PREFIX.fullmatch(leaf) for leaf in tree.leaves}
    return {leaf: match[1] for leaf, match in found.items() if match is not None}


def _range_of(text: str, ranges: Mapping[str, Interval], name: str) -> str | None:
    if not ranges or len(text) > MOST_LENGTH or not re.fullmatch(DECIMAL, text):
        return None
    number = Decimal(text.replace(",", "."))
    fits = [leaf for leaf, interval in ranges.items() if interval.holds(number)]
    if len(fits) > 1:
        raise TableError(
            f"{name}: {text!r} is in {fits[0]!r} and in {fits[1]!r}; expected one range"
        )
    return fits[0] if fits else None


Hierarchy = Taxonomy | HierarchyRule


def needs_values(hierarchy: Hierarchy) -> bool:
    """Return whether the tree depends on the values of the column."""
    return isinstance(hierarchy, HierarchyRule) or is_open(hierarchy)


def tree_of_column(
    hierarchy: Hierarchy,
    table: Table,
    column: str,
    missing: Iterable[Text] = MISSING,
    released: str | None = None,
) -> Taxonomy:
    """Return the tree of the values that a column has.

    ``hierarchy`` is a tree, whose leaves may be patterns, or a rule; ``missing`` stands
    for a missing value. ``released`` is given for a release whose original is not at
    hand: the symbol of a suppressed cell; its cells may be nodes. If it is None, the
    table is an original. Raises TableError, which names the column, where a rule does
    not fit a value.

    >>> from starmin.instances.scales.taxonomies.column_hierarchy import hierarchy_rule
    >>> table = Table.from_rows(["zip"], [["02139"], ["02140"]], qi=["zip"])
    >>> tree_of_column(hierarchy_rule("prefix:3"), table, "zip").labels
    ('02139', '02140', '*', '021*')
    """
    values = table.text_counts(column)
    if released is not None:
        values.pop(released, None)
    if isinstance(hierarchy, Taxonomy):
        return opened(hierarchy, values, missing)
    name = f"{table.name}: column {column!r}"
    if released is not None:
        return hierarchy.tree_of_release(values, missing, name)
    return hierarchy.tree(values, missing, name)


# Rules as they are written: a kind, a colon, and what it needs.


def is_rule(text: str) -> bool:
    """Return whether a text is meant as a rule, and not as a file.

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
    ``rare:10``               what fewer than 10 rows have, as ``other``
    ``rare:10:few``           the same, as ``few``
    ========================  ====================================================

    Raises TableError: no such kind, or what it cannot be told.

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


def _parse_rule_ranges(told: str) -> HierarchyRule:
    parts = _parts(told)
    tops = [part.removesuffix("+") for part in parts if part.endswith("+")]
    bottoms = [part.removeprefix("<") for part in parts if part.startswith("<")]
    widths = [part for part in parts if part[-1:] != "+" and part[:1] != "<"]
    if not widths or len(tops) > 1 or len(bottoms) > 1:
        raise TableError(
            f"ranges: expected widths, at most one as <18 and one as 90+; got {told!r}"
        )
    return RangeRule(tuple(widths), next(iter(bottoms), None), next(iter(tops), None))


def _cuts(told: str) -> HierarchyRule:
    return CutRule(tuple(tuple(_parts(level)) for level in told.split("/")))


def _dates(told: str) -> HierarchyRule:
    periods, colon, form = told.partition(":")
    if colon and not form:
        raise TableError(f"dates: expected a form as %d.%m.%Y behind {periods!r}:")
    return DateRule(tuple(_parts(periods)), form or None)


def _rare(told: str) -> HierarchyRule:
    number, colon, node = told.partition(":")
    if not re.fullmatch("[0-9]{1,9}", number.strip()) or int(number) < 2:
        raise TableError(f"rare: expected a number from 2 on, as rare:10; got {told!r}")
    if colon and not node.strip():
        raise TableError(f"rare: expected a name behind {number}:, as rare:10:few")
    return RareRule(int(number), node.strip() or RareRule.node)


_KINDS: dict[str, Callable[[str], HierarchyRule]] = {
    "prefix": _prefix,
    "ranges": _parse_rule_ranges,
    "cuts": _cuts,
    "dates": _dates,
    "rare": _rare,
}
RULE_NAMES = tuple(_KINDS)
