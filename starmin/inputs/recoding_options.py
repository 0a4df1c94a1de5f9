"""How a release is coded, as the command line names it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar, cast, get_args

from starmin.inputs.hierarchy_files import find_files, is_several
from starmin.inputs.names import split
from starmin.instances import Scales, Table, TableError, Taxonomy
from starmin.instances.arguments import nearest
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.node_losses import Loss, Rule, read_own_losses
from starmin.instances.scales.numbers import expect_step
from starmin.instances.scales.widths import Width
from starmin.process.say import say_later
from starmin.verify.cells.cells import Cells
from starmin.verify.cells.read_cells import read_cells

SUPPRESSION = "suppression"
GENERALIZATION = "generalization"
PERMUTATION = "permutation"
NONHOMOGENEOUS = "nonhomogeneous"

Value = TypeVar("Value")


@dataclass(frozen=True)
class Coding:
    """A recoding with what it is told of the columns.

    Attributes
    ----------
    recoding
        Its name; None: of a release that is read, as its columns tell.
    star
        The symbol of a suppressed cell.
    numeric
        QI columns of numbers, published as ranges.
    trees
        Taxonomies of columns, QI or sensitive.
    missing
        What stands for a missing value in a column of numbers.
    steps
        By column of numbers: ends of ranges are multiples.
    max_levels
        By column with a taxonomy: the highest level whose nodes are published.
    widths
        By column of numbers: how long ranges may be.
    files
        Of the columns whose taxonomies were found in a folder or by a pattern.

    Examples
    --------
    >>> coding = Coding.parse("generalization", "*", "age", ["pet={tame{cat,dog},rat}"])
    >>> coding.numeric, coding.trees["pet"].leaves
    (('age',), ('cat', 'dog', 'rat'))
    """

    recoding: str | None = SUPPRESSION
    star: str = "*"
    numeric: tuple[str, ...] = ()
    trees: Mapping[str, Taxonomy] = field(default_factory=dict, repr=False)
    missing: tuple[str | None, ...] = MISSING
    steps: Mapping[str, str] = field(default_factory=dict)
    max_levels: Mapping[str, int] = field(default_factory=dict)
    widths: Mapping[str, Width] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict, repr=False)

    @classmethod
    def parse(
        cls,
        recoding: str | None,
        star: str,
        numeric: str | None,
        hierarchies: Sequence[str] | None,
        missing: tuple[str | None, ...] = MISSING,
        columns: Callable[[], Sequence[str]] = tuple,
    ) -> "Coding":
        """Read the texts of the options.

        What is said of a column by its name goes before what a folder has for it.

        Parameters
        ----------
        columns
            Says which columns may have a hierarchy; called if a folder is named.

        Raises
        ------
        TableError
            A hierarchy that cannot be read, or two of one column.
        """
        trees: dict[str, Taxonomy] = {}
        numbers = split(numeric or "", "--numeric")
        several = [given for given in hierarchies or () if is_several(given)]
        for given in hierarchies or ():
            if given in several:
                continue
            column, _, tree = given.partition("=")
            if not column or not tree:
                raise TableError(
                    "--hierarchy: expected COLUMN=FILE, COLUMN={node{leaf,..},..}, a "
                    f"folder or a pattern with {{column}}, got {given!r}"
                )
            if column in trees:
                raise TableError(f"--hierarchy: column {column!r} is named twice")
            if tree.startswith("{"):
                trees[column] = Taxonomy.parse(tree, f"--hierarchy {column}")
            else:
                trees[column] = _told(Taxonomy.read(tree))
        files: dict[str, Path] = {}
        if several:
            names = [c for c in columns() if c not in trees and c not in numbers]
            for given in several:
                for column, path in find_files(given, names).items():
                    if column in files:
                        raise TableError(
                            f"--hierarchy: both {files[column]} and {path} fit column "
                            f"{column!r}; name one: {column}=FILE"
                        )
                    files[column] = path
                    trees[column] = _told(Taxonomy.read(path))
        return cls(recoding, star, numbers, trees, missing, files=files)

    def limited(
        self, rounding: str | None, max_level: str | None, width: str | None = None
    ) -> "Coding":
        """Return it with limits of its nodes by column, as COLUMN=VALUE,...

        Parameters
        ----------
        rounding, max_level, width
            Steps of rounding, highest levels, widths of ranges.

        Raises
        ------
        TableError
            A column without ranges or taxonomy, or what is no step, level or width.

        Examples
        --------
        >>> coding = Coding.parse("generalization", "*", "age", None)
        >>> coding.limited("age=5", None, "age=..20").steps
        {'age': '5'}
        """
        steps = _by_column(rounding, "--round", self.numeric, "--numeric")
        lengths = _by_column(width, "--width", self.numeric, "--numeric")
        levels = _by_column(max_level, "--max-level", self.trees, "--hierarchy")
        for column, level in levels.items():
            if not level.isascii() or not level.isdigit():
                raise TableError(
                    f"--max-level: expected COLUMN=LEVEL with a whole number of at "
                    f"least 0, got {column}={level}"
                )
        if (steps or levels or lengths) and self.recoding == NONHOMOGENEOUS:
            raise TableError(
                "--round, --width and --max-level are for releases by groups, not for "
                "--recoding nonhomogeneous"
            )
        return replace(
            self,
            steps=_read("--round", expect_step, steps),
            max_levels={column: int(level) for column, level in levels.items()},
            widths=_read("--width", Width.parse, lengths),
        )

    def qi_trees(self, table: Table) -> dict[str, Taxonomy]:
        """Return the taxonomies of the columns that are not sensitive."""
        return {c: t for c, t in self.trees.items() if c not in table.sensitive}

    def scales(self, table: Table, loss: Loss = "ncp") -> Scales:
        """Return how the columns of a table are generalized."""
        trees = self.qi_trees(table)
        limits = self.steps, self.max_levels, self.widths
        return Scales.of(table, self.numeric, trees, self.missing, loss, *limits)

    def cells(self, released: Table, original: Table | None = None) -> dict[str, Cells]:
        """Return what the cells of the QI columns of a release stand for."""
        trees = self.qi_trees(released)
        return read_cells(
            released,
            self.numeric,
            trees,
            self.star,
            self.missing,
            original,
            self.steps,
            self.max_levels,
            self.widths,
        )

    @property
    def unrounded(self) -> dict[str, str | None]:
        """Columns whose ranges end at values that occur, with their least width."""
        if self.recoding == NONHOMOGENEOUS:
            return {}
        return {
            column: self.widths.get(column, Width()).least
            for column in self.numeric
            if column not in self.steps
        }

    @property
    def told(self) -> bool:
        """Whether it is told of columns what suppression ignores."""
        return bool(self.numeric or self.trees)

    def expect_plain(self, table: Table) -> None:
        """Raise TableError where it is told of QI columns what suppression ignores."""
        ranged = "--recoding generalization"
        what = self.recoding
        if self.recoding == NONHOMOGENEOUS:
            ranged, what = "--objective gcp", "the objective"
        for option, columns in (
            ("--numeric", self.numeric),
            ("--hierarchy", self.qi_trees(table)),
        ):
            for column in columns:
                raise TableError(
                    f"{option} {column}: is for {ranged}; {what} has no use for it"
                )


def _told(tree: Taxonomy) -> Taxonomy:
    """Say what was guessed of the file of a tree."""
    for line in tree.told:
        say_later(line)
    return tree


def _by_column(
    text: str | None, option: str, known: Collection[str], declared: str
) -> dict[str, str]:
    """Return the values of an option by column, each of which must be declared."""
    found: dict[str, str] = {}
    for part in split(text or "", option):
        column, _, value = part.rpartition("=")
        if not column or not value:
            raise TableError(f"{option}: expected COLUMN=VALUE, got {part!r}")
        if column in found:
            raise TableError(f"{option}: column {column!r} is named twice")
        if column not in known:
            raise TableError(
                f"{option}: column {column!r} is not among those of {declared}"
                f"{nearest(column, known)}"
            )
        found[column] = value
    return found


def _read(
    option: str, read: Callable[[str], Value], values: Mapping[str, str]
) -> dict[str, Value]:
    """Read the value of each column; name the option where one is wrong."""
    try:
        return {column: read(value) for column, value in values.items()}
    except TableError as error:
        raise TableError(f"{option}: {error}") from None


def read_loss(text: str | None) -> Loss | None:
    """Return the loss that an option names: a rule, or a file of losses by node.

    Raises
    ------
    TableError
        It is no rule, and no such file.
    """
    if text is None or text in get_args(Rule):
        return cast(Rule | None, text)
    if not text.endswith(".csv"):
        raise TableError(
            f"--loss: expected {', '.join(get_args(Rule))} or a file .csv, got {text!r}"
            f"{nearest(text, get_args(Rule))}"
        )
    return read_own_losses(Path(text))
