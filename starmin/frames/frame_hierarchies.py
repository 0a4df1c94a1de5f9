"""Hierarchies as people have them in Python: files, nested dicts, frames of levels."""

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from starmin.call_arguments import warn
from starmin.inputs.hierarchy_files import (
    column_and_tree,
    find_files,
    is_file,
    is_several,
)
from starmin.inputs.hierarchy_options import rules_of
from starmin.instances import Table, TableError, Taxonomy, from_frame
from starmin.instances.arguments import expect_kind, nearest
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.taxonomies.column_hierarchy import (
    Hierarchy,
    hierarchy_rule,
    is_rule,
    needs_values,
    tree_of_column,
)
from starmin.instances.scales.taxonomies.hierarchy_rules import HierarchyRule
from starmin.instances.scales.taxonomies.taxonomy import ROOT


def read_hierarchies(
    given: Any,
    table: Table,
    columns: Iterable[str],
    missing: Collection[str | None] = MISSING,
) -> dict[str, Taxonomy]:
    """Return the taxonomies of columns, in whatever form they are given.

    ``given`` has by column a Taxonomy, a file in ARX's form, a nested dict, or a frame
    with a row for each value: the value and the nodes above it, root last; or a rule,
    or its text, as ``prefix:3,1``. Or it is, for all columns, a folder of files, a
    pattern with ``{column}``, or a file of rules. The table has the values; ``columns``
    are those that may have a taxonomy; ``missing`` stands for a missing value.

    Raises TableError for a file that cannot be read, or what is no tree, and TypeError
    for another form.

    Examples
    --------
    >>> given = {"pet": {"tame": ["cat", "dog"], "rat": None}, "zip": "prefix:2"}
    >>> table = Table.from_rows(["pet", "zip"], [["cat", "021"]], qi=["pet", "zip"])
    >>> found = read_hierarchies(given, table, table.qi)
    >>> found["pet"].paths
    [('cat', 'tame', '*'), ('dog', 'tame', '*'), ('rat', '*')]
    >>> found["zip"].paths
    [('021', '02*', '*')]
    """
    if given is None:
        return {}
    columns = list(columns)
    told: Mapping[str, Any]
    if isinstance(given, str | Path):
        path = Path(given)
        if is_several(str(given)):
            told = find_files(str(given), columns)
        elif path.is_file():
            told = dict(map(column_and_tree, rules_of(path)))
        else:
            raise TableError(
                f"hierarchies: {given} is no folder and no file of rules; name "
                "columns: {column: file}"
            )
    else:
        expect_kind("hierarchies", given, Mapping, " (a hierarchy by column)")
        told = given
    found: dict[str, Taxonomy] = {}
    for column, each in told.items():
        tree = _taxonomy(each, column)
        if column in columns and needs_values(tree):
            of_rule = isinstance(tree, HierarchyRule)
            tree = tree_of_column(tree, table, column, missing)
            warn(tree.told if of_rule else ())
        elif not isinstance(tree, Taxonomy):
            raise TableError(
                "hierarchies: no quasi-identifier or sensitive column "
                f"{column!r}"
                f"{nearest(column, columns)}"
            )
        found[column] = tree
    return found


def _taxonomy(tree: Any, column: str) -> Hierarchy:
    name = f"the hierarchy of {column}"
    if isinstance(tree, Taxonomy | HierarchyRule):
        return tree
    if isinstance(tree, str) and tree.startswith("{"):
        return Taxonomy.parse(tree, name)
    if isinstance(tree, str) and is_rule(tree) and not is_file(tree):
        return hierarchy_rule(tree)
    if isinstance(tree, str | Path):
        return _read(tree)
    if isinstance(tree, Mapping):
        return Taxonomy(list(nested_paths(tree)), name)
    if not hasattr(tree, "columns"):
        raise TypeError(
            f"Expected {name} to be a Taxonomy, a file, a rule, a nested dict or a "
            f"frame of levels, got one of type {type(tree).__name__}."
        )
    rows = from_frame(tree, name=name).rows()
    for number, row in enumerate(rows, start=1):
        if None in row[1:] or "" in row[1:]:
            raise TableError(f"{name}: row {number}: a missing node; name it")
    return Taxonomy([(row[0] or "", *map(str, row[1:])) for row in rows], name)


def _read(path: Path | str) -> Taxonomy:
    """Read a file, and warn of what was guessed of it."""
    tree = Taxonomy.read(path)
    for line in tree.told:
        warnings.warn(line, stacklevel=2)
    return tree


def nested_paths(tree: Mapping[Any, Any]) -> Iterator[tuple[str, ...]]:
    """Return the paths, leaf first, of a nested dict.

    A key is a node, what it holds is below it: a dict, a list of leaves, or nothing,
    which makes it a leaf. A single key that holds something is the root; else there is
    a root ``*`` above all.

    Examples
    --------
    >>> list(nested_paths({"any": {"pet": [1, 2]}}))
    [('1', 'pet', 'any'), ('2', 'pet', 'any')]
    """
    single = len(tree) == 1 and any(tree.values())
    return _below(tree, () if single else (ROOT,))


def _below(tree: Any, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not isinstance(tree, Mapping):
        for leaf in [tree] if isinstance(tree, str) else tree:
            yield (str(leaf), *above)
        return
    for node, content in tree.items():
        path = (str(node), *above)
        if content is None or (not isinstance(content, str) and len(content) == 0):
            yield path
        else:
            yield from _below(content, path)
