"""Which column a hierarchy is of, and which file of a folder is that of which."""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from starmin.instances import TableError
from starmin.instances.io.layout import is_text
from starmin.instances.scales.taxonomies.column_hierarchy import is_rule

PLACE = "{column}"  # stands for the name of a column in a pattern


def is_several(given: str) -> bool:
    """Return whether ``--hierarchy`` names files of several columns."""
    if PLACE in given:
        return True
    with suppress(OSError):  # an inline tree is too long for a name
        return Path(given).is_dir()
    return False


def is_file(given: str | Path) -> bool:
    """Return whether a text names a file; one that is too long for a name does not."""
    with suppress(OSError):
        return Path(given).is_file()
    return False


def column_and_tree(given: str, folder: Path | str = "") -> tuple[str, str]:
    """Part COLUMN=TREE; both may have further signs of equality.

    It is parted where a tree, a rule or a file of the folder follows, or else at the
    first sign; where there is none, both are empty.

    Examples
    --------
    >>> column_and_tree("a=b=prefix:1"), column_and_tree("a={x=y,z}")
    (('a=b', 'prefix:1'), ('a', '{x=y,z}'))
    """
    ways = [
        (given[: sign.start()].strip(), given[sign.end() :].strip())
        for sign in re.finditer("=", given)
    ]
    for column, tree in ways:
        if tree.startswith("{") or is_rule(tree) or is_file(Path(folder, tree)):
            return column, tree
    return ways[0] if ways else ("", "")


def find_files(given: str, columns: Sequence[str]) -> dict[str, Path]:
    """Return the hierarchies of columns: of a folder, or by a pattern.

    In a folder it is the text file (``.csv``, ``.csv.gz``, ``.tsv``, ``.txt``) whose
    name is that of the column, or ends in it after a sign that is neither letter nor
    digit, as ``adult_hierarchy_age.csv``; a file belongs to the longest such name. In a
    pattern ``{column}`` stands for the name. Raises TableError where no column has a
    file, or one has two.
    """
    if PLACE in given:
        paths = {column: Path(given.replace(PLACE, column)) for column in columns}
        found = {column: path for column, path in paths.items() if path.is_file()}
    else:
        found = {}
        for path in sorted(filter(is_text, Path(given).iterdir())):
            stem = path.name.removesuffix(".gz").rpartition(".")[0]
            if not (fits := [c for c in columns if _ends_in(stem, c)]):
                continue
            column = max(fits, key=len)
            if column in found:
                raise TableError(
                    f"--hierarchy: {given}: both {found[column].name} and {path.name} "
                    f"fit column {column!r}; name one: {column}=FILE"
                )
            found[column] = path
    if not found:
        raise TableError(
            f"--hierarchy: {given}: no file for any of {', '.join(columns)}"
        )
    return found


def _ends_in(stem: str, column: str) -> bool:
    before = stem.removesuffix(column)
    return stem == column or (before != stem and not before[-1:].isalnum())
