"""How a release is coded: the recoding, and what it is told of the columns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from starmin.instances.errors import TableError
from starmin.instances.scales.floors import Floors
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.node_losses import Loss
from starmin.instances.scales.numbers import Width
from starmin.instances.scales.range_notation import RangeStyle
from starmin.instances.scales.scales import Scales
from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
from starmin.instances.tables.table import Table

RecodingName = Literal["suppression", "generalization", "permutation", "nonhomogeneous"]
SUPPRESSION: RecodingName = "suppression"
GENERALIZATION: RecodingName = "generalization"
PERMUTATION: RecodingName = "permutation"
NONHOMOGENEOUS: RecodingName = "nonhomogeneous"
# What methods that return groups take, unless they say otherwise.
GROUP_RECODINGS = tuple(n for n in get_args(RecodingName) if n != NONHOMOGENEOUS)
NO_FLOORS = Floors()


@dataclass(frozen=True)
class Coding:
    """A recoding with what it is told of the columns.

    >>> coding = Coding("generalization", numeric=("age",), steps={"age": "5"})
    >>> coding.told, coding.least_widths
    (True, {'age': None})
    """

    # its name; None: of a release that is read, as its columns tell
    recoding: RecodingName | None = SUPPRESSION
    star: str = "*"  # the symbol of a suppressed cell
    numeric: tuple[str, ...] = ()  # QI columns of numbers or times, published as ranges
    # taxonomies of columns, QI or sensitive
    trees: Mapping[str, Taxonomy] = field(default_factory=dict, repr=False)
    # what stands for a missing value in a column of numbers
    missing: tuple[str | None, ...] = MISSING
    # by column of numbers: ends of ranges are multiples; of times: periods
    steps: Mapping[str, str] = field(default_factory=dict)
    # by column with a taxonomy: the highest level whose nodes are published
    max_levels: Mapping[str, int] = field(default_factory=dict)
    # by column of numbers: how long ranges may be
    widths: Mapping[str, Width] = field(default_factory=dict)
    # by column of times: how they are written, in the signs of ``strptime``
    forms: Mapping[str, str] = field(default_factory=dict)
    # of the columns whose taxonomies were found in a folder or by a pattern
    files: Mapping[str, Path] = field(default_factory=dict, repr=False)
    # of a release that is read: how its ranges of numbers are written
    range_style: RangeStyle = "ours"
    # what is never published of columns, whoever is in a group
    floors: Floors = field(default_factory=Floors)
    # by column of sets what separates the parts of a cell
    sets: Mapping[str, str] = field(default_factory=dict)

    def floored(self, table: Table) -> Table:
        """Return a table with the cells that its floors leave: see ``Floors.on``."""
        if self.floors == NO_FLOORS:
            return table
        return self.floors.on(table, self.qi_trees(table), self.missing)

    def expect_levels(self, objective: str) -> None:
        """Raise TableError where groups for an objective pass over highest levels."""
        for column in self.max_levels if objective != "gcp" else ():
            raise TableError(
                f"--max-level {column}: is for --objective gcp; groups that are formed "
                f"for {objective} may need a star anywhere"
            )

    def qi_trees(self, table: Table) -> dict[str, Taxonomy]:
        """Return the taxonomies of the columns that are not sensitive."""
        return {c: t for c, t in self.trees.items() if c not in table.sensitive}

    def scales(self, table: Table, loss: Loss = "ncp") -> Scales:
        """Return how the columns of a table are generalized."""
        trees = self.qi_trees(table)
        limits = self.steps, self.max_levels, self.widths, self.forms
        return Scales.of(table, self.numeric, trees, self.missing, loss, *limits)

    @property
    def least_widths(self) -> dict[str, str | None]:
        """Columns that classes publish as ranges, with the least width of these."""
        if self.recoding in (NONHOMOGENEOUS, PERMUTATION):  # no ranges, or row by row
            return {}
        return {c: self.widths.get(c, Width()).least for c in self.numeric}

    @property
    def ranged(self) -> bool:
        """Whether cells may be ranges, or nodes that are no floor of a value."""
        return bool(self.numeric or {*self.trees} - {*self.floors.min_levels})

    @property
    def told(self) -> bool:
        """Whether cells may be something else than values and stars."""
        return bool(self.numeric or self.trees or self.floors != NO_FLOORS)
