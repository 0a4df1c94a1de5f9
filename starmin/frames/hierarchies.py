"""Hierarchies as people have them in Python: files, nested dicts, frames of levels."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from starmin.inputs.hierarchy_files import find_files, is_several
from starmin.instances import TableError, Taxonomy, from_frame
from starmin.instances.arguments import expect_kind
from starmin.instances.scales.taxonomy_text import ROOT


def read_hierarchies(given: Any, columns: Iterable[str]) -> dict[str, Taxonomy]:
    """Return the taxonomies of columns, in whatever form they are given.

    Parameters
    ----------
    given
        By column a Taxonomy, a file in ARX's form, a nested dict, or a frame with a
        row for each value: the value and the nodes above it, root last. Or, for all
        columns, a folder of files or a pattern with ``{column}``.
    columns
        Those that may have one.

    Raises
    ------
    TableError
        A file that cannot be read, or what is no tree.
    TypeError
        Another form.

    Examples
    --------
    >>> given = {"pet": {"tame": ["cat", "dog"], "rat": None}}
    >>> read_hierarchies(given, ["pet"])["pet"].paths
    [('cat', 'tame', '*'), ('dog', 'tame', '*'), ('rat', '*')]
    """
    if given is None:
        return {}
    if isinstance(given, str | Path):
        if not is_several(str(given)):
            raise TableError(
                f"hierarchies: {given} is no folder; name columns: {{column: file}}"
            )
        files = find_files(str(given), list(columns))
        return {column: _read(path) for column, path in files.items()}
    expect_kind("hierarchies", given, Mapping, " (a hierarchy by column)")
    return {column: _taxonomy(tree, column) for column, tree in given.items()}


def _taxonomy(tree: Any, column: str) -> Taxonomy:
    name = f"the hierarchy of {column}"
    if isinstance(tree, Taxonomy):
        return tree
    if isinstance(tree, str | Path):
        return _read(tree)
    if isinstance(tree, Mapping):
        return Taxonomy(list(nested_paths(tree)), name)
    if not hasattr(tree, "columns"):
        raise TypeError(
            f"Expected {name} to be a Taxonomy, a file, a nested dict or a frame of "
            f"levels, got one of type {type(tree).__name__}."
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
