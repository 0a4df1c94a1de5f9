"""A table published with nodes of its own in each row, as rules ask for them."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from starmin.instances.releases.by_row.mask import Mask
from starmin.instances.releases.generalization import check_symbols
from starmin.instances.releases.objective import Objective
from starmin.instances.releases.release import ReleasedTable
from starmin.instances.scales.chains import chains_of
from starmin.instances.scales.scales import Scales
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class NodeRelease(ReleasedTable):
    """A table in which each cell is a value, a node above it, or a star.

    Raises TableError where a published cell could not be told from another one.

    Examples
    --------
    >>> from starmin.instances.scales.taxonomies.taxonomy import Taxonomy
    >>> table = Table.from_rows(["a"], [["cat"], ["dog"], ["rat"]], qi=["a"])
    >>> scales = Scales.of(table, (), {"a": Taxonomy.parse("{pet{cat,dog},rat}")})
    >>> levels = np.array([[0], [1], [2]])
    >>> mask = Mask.of_levels(table, levels, chains_of(scales))
    >>> NodeRelease(table, mask, scales).published.rows()
    [('cat',), ('pet',), ('*',)]
    """

    table: Table  # the original
    mask: Mask  # at which level each cell is published
    scales: Scales  # what is known of the columns
    star: str = "*"  # the symbol for a suppressed cell
    groups: ClassVar[None] = None  # there are none

    def __post_init__(self) -> None:
        self.scales.check(self.table)
        check_symbols(self.table, self.scales, self.star)

    @property
    def stars(self) -> int:
        """Number of cells that show nothing."""
        return self.mask.stars

    @property
    def suppressed_tuples(self) -> int:
        """Number of rows with such a cell."""
        return self.mask.suppressed_tuples

    @property
    def gcp(self) -> float:
        """The mean loss of a QI cell."""
        objective = Objective("gcp", scales=self.scales)
        return self.mask.value(self.table, objective) / objective.whole(self.table)

    @cached_property
    def published(self) -> Table:
        """The released table; all cells but those of QI columns as they were."""
        codes = self.table.codes.copy()
        dictionaries = self.table.texts.copy()
        levels = self.mask.levels_on(chains := chains_of(self.scales))
        for j, chain in enumerate(chains):
            at = self.table.names.index(self.table.qi[j])
            index: dict[str | None, int] = {}
            values, number = dictionaries[at], np.empty_like(chain.nodes)
            for level in range(chain.levels):
                texts = chain.texts(values, level, self.star)
                number[:, level] = [index.setdefault(t, len(index)) for t in texts]
            codes[at] = number[codes[at], levels[:, j]]
            dictionaries[at] = tuple(index)
        return replace(self.table, codes=codes, dictionaries=dictionaries)
