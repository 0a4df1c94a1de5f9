"""The tree of a column of a table, whatever states it."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal

import numpy as np

from starmin.instances.errors import TableError
from starmin.instances.hierarchies.rule import HierarchyRule, Text
from starmin.instances.scales.missing import MISSING, split_missing
from starmin.instances.scales.numbers import DECIMAL, MOST_LENGTH
from starmin.instances.scales.range_notation import (
    AmbiguousRangeError,
    Interval,
    read_range,
)
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.instances.scales.taxonomies.taxonomy_text import ROOT
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

    Examples
    --------
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
            leaf = _range_of(text, ranges, tree.name) or _prefix_of(text, prefixes)
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


def _prefix_of(text: str, prefixes: Mapping[str, str]) -> str | None:
    fits = [leaf for leaf, prefix in prefixes.items() if text.startswith(prefix)]
    return max(fits, key=lambda leaf: len(prefixes[leaf]), default=None)


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

    Examples
    --------
    >>> from starmin.instances.hierarchies.parse_rule import hierarchy_rule
    >>> table = Table.from_rows(["zip"], [["02139"], ["02140"]], qi=["zip"])
    >>> tree_of_column(hierarchy_rule("prefix:3"), table, "zip").labels
    ('02139', '02140', '*', '021*')
    """
    texts = table.dictionary(column)
    counts = np.bincount(table.column(column), minlength=len(texts))
    values = [texts[code] for code in np.flatnonzero(counts)]
    if released is not None:
        values = [text for text in values if text != released]
    if isinstance(hierarchy, Taxonomy):
        return opened(hierarchy, values, missing)
    name = f"{table.name}: column {column!r}"
    if released is not None:
        return hierarchy.tree_of_release(values, missing, name)
    return hierarchy.tree(values, missing, name)
