"""The tree of a column of a table, whatever states it."""

from collections.abc import Iterable

import numpy as np

from starmin.instances.hierarchies.open_levels import is_open, opened
from starmin.instances.hierarchies.rule import HierarchyRule, Text
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.instances.tables.table import Table

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
