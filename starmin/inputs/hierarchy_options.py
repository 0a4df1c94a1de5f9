"""The hierarchies that the command line names: files, folders, inline trees, rules."""

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from starmin.instances import Table, TableError, Taxonomy
from starmin.instances.arguments import nearest
from starmin.instances.io.atomic import read_whole
from starmin.instances.io.layout import is_text
from starmin.instances.scales.taxonomies import column_hierarchy
from starmin.instances.scales.taxonomies.column_hierarchy import Hierarchy
from starmin.process.say import say_later

# Which column a hierarchy is of, and which file of a folder is that of which.

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

    >>> column_and_tree("a=b=prefix:1"), column_and_tree("a={x=y,z}")
    (('a=b', 'prefix:1'), ('a', '{x=y,z}'))
    """
    ways = [
        (given[: sign.start()].strip(), given[sign.end() :].strip())
        for sign in re.finditer("=", given)
    ]
    for column, tree in ways:
        if (
            tree.startswith("{")
            or column_hierarchy.is_rule(tree)
            or is_file(Path(folder, tree))
        ):
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


@dataclass(frozen=True)
class CodedTable:
    """The table whose columns may have a hierarchy."""

    table: Table  # its QI and sensitive columns named
    released: bool = False  # whether it is a release whose original is not at hand

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that may have one."""
        return self.table.qi + self.table.sensitive


def read_trees(
    hierarchies: Sequence[str],
    numbers: Collection[str],
    star: str,
    missing: tuple[str | None, ...],
    coded: Callable[[], CodedTable],
) -> tuple[dict[str, Taxonomy], dict[str, Path]]:
    """Return the trees of columns, and the files of those found in a folder.

    ``hierarchies`` is what ``--hierarchy`` was given, each time. ``numbers`` are
    columns of numbers, which no file of a folder is for; ``star`` and ``missing`` are
    the symbols of a suppressed cell and of missing values. ``coded`` reads the table;
    it is called if a folder, a rule or patterns are named.

    Raises TableError for a hierarchy that cannot be read, two of one column, or a rule
    that a value does not fit.
    """
    coded = cache(coded)
    found: dict[str, Hierarchy] = {}
    several = [given for given in hierarchies if is_several(given)]
    single = [given for given in hierarchies if given not in several]
    each = [rules_of(Path(given)) if is_file(given) else [given] for given in single]
    for given in chain.from_iterable(each):
        column, tree = column_and_tree(given)
        if not column or not tree:
            raise TableError(
                "--hierarchy: expected COLUMN=FILE, COLUMN=RULE, "
                "COLUMN={node{leaf,..},..}, a file of rules, a folder or a pattern "
                f"with {{column}}, got {given!r}"
            )
        if column in found:
            raise TableError(f"--hierarchy: column {column!r} is named twice")
        found[column] = _read(column, tree)
    files: dict[str, Path] = {}
    if several:
        names = [c for c in coded().columns if c not in found and c not in numbers]
        for given in several:
            for column, path in find_files(given, names).items():
                if column in files:
                    raise TableError(
                        f"--hierarchy: both {files[column]} and {path} fit column "
                        f"{column!r}; name one: {column}=FILE"
                    )
                files[column] = path
                found[column] = _told(Taxonomy.read(path))
    trees: dict[str, Taxonomy] = {}
    for column, hierarchy in found.items():
        if column_hierarchy.needs_values(hierarchy):
            hierarchy = _of_values(column, hierarchy, coded(), star, missing)
        assert isinstance(hierarchy, Taxonomy)
        trees[column] = hierarchy
    return trees, files


def rules_of(path: Path) -> list[str]:
    """Return the lines of a file of rules: ``column=rule``, blank, or a comment.

    A file that a line names lies in the folder of the file of rules. Raises TableError
    where it is not text, or a line is neither.
    """
    found = []
    for number, line in enumerate(read_whole(path).splitlines(), start=1):
        if not (text := line.strip()) or text.startswith("#"):
            continue
        column, told = column_and_tree(text, path.parent)
        if not column or not told:
            raise TableError(
                f"{path}: line {number}: expected COLUMN=RULE as zip=prefix:3,1, got "
                f"{text!r}; a hierarchy's own file is named as COLUMN={path}"
            )
        if not (told.startswith("{") or column_hierarchy.is_rule(told)):
            told = str(path.parent / told)
        found.append(f"{column}={told}")
    return found


def _read(column: str, told: str) -> Hierarchy:
    if told.startswith("{"):
        return Taxonomy.parse(told, f"--hierarchy {column}")
    if column_hierarchy.is_rule(told) and not is_file(told):
        try:
            return column_hierarchy.hierarchy_rule(told)
        except TableError as error:
            raise TableError(f"--hierarchy {column}: {error}") from None
    return _told(Taxonomy.read(told))


def _of_values(
    column: str,
    hierarchy: Hierarchy,
    coded: CodedTable,
    star: str,
    missing: tuple[str | None, ...],
) -> Taxonomy:
    if column not in coded.columns:
        raise TableError(
            f"--hierarchy {column}: {coded.table.name} has no such "
            "quasi-identifier or sensitive "
            f"column{nearest(column, coded.columns)}"
        )
    released = star if coded.released else None
    return _told(
        column_hierarchy.tree_of_column(
            hierarchy, coded.table, column, missing, released
        )
    )


def _told(tree: Taxonomy) -> Taxonomy:
    """Say what was guessed of the file of a tree."""
    say_later(*tree.told)
    return tree
