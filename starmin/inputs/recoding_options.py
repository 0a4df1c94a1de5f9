"""How a release is coded, as the command line names it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from instances import Scales, Table, TableError, Taxonomy
from starmin.inputs.names import split

SUPPRESSION = "suppression"
GENERALIZATION = "generalization"
PERMUTATION = "permutation"
NONHOMOGENEOUS = "nonhomogeneous"


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

    @classmethod
    def parse(
        cls,
        recoding: str | None,
        star: str,
        numeric: str | None,
        hierarchies: Sequence[str] | None,
    ) -> "Coding":
        """From the texts of the options.

        Raises
        ------
        TableError
            A hierarchy that cannot be read, or two of one column.
        """
        trees: dict[str, Taxonomy] = {}
        for given in hierarchies or ():
            column, _, tree = given.partition("=")
            if not column or not tree:
                raise TableError(
                    "--hierarchy: expected COLUMN=FILE or COLUMN={node{leaf,..},..}, "
                    f"got {given!r}"
                )
            if column in trees:
                raise TableError(f"--hierarchy: column {column!r} is named twice")
            if tree.startswith("{"):
                trees[column] = Taxonomy.parse(tree, f"--hierarchy {column}")
            else:
                trees[column] = Taxonomy.read(tree)
        return cls(recoding, star, split(numeric or "", "--numeric"), trees)

    def qi_trees(self, table: Table) -> dict[str, Taxonomy]:
        """The taxonomies of the columns that are not sensitive."""
        return {c: t for c, t in self.trees.items() if c not in table.sensitive}

    def scales(self, table: Table) -> Scales:
        """How the columns of a table are generalized."""
        return Scales.of(table, self.numeric, self.qi_trees(table))

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
