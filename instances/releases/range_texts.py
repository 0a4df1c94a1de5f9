"""What is published for ranges of positions: texts, stars and the released table."""

from dataclasses import dataclass

import numpy as np

from starmin.instances.arrays import Bools, Int32s, IntArray
from starmin.instances.scales.scales import Scales
from starmin.instances.tables.dictionaries import coded
from starmin.instances.tables.grouping import group_by
from starmin.instances.tables.table import Table


@dataclass(frozen=True, eq=False)
class RangeTexts:
    """The texts that some groups, or rows, publish for their ranges."""

    # for each QI column texts, and which of them each group gets
    columns: list[tuple[list[str | None], Int32s]]

    @classmethod
    def of(
        cls, table: Table, scales: Scales, low: Int32s, high: Int32s, star: str
    ) -> "RangeTexts":
        """Find the texts of ranges.

        ``low`` and ``high``, groups x columns, are the least and the greatest position
        of each group; ``scales`` has one for each QI column, and ``star`` is the text
        of a suppressed cell.
        """
        found = []
        for j, (column, scale) in enumerate(zip(table.qi, scales.scales, strict=True)):
            pairs = group_by([low[:, j], high[:, j]], [scale.size, scale.size])
            values = table.dictionary(column)
            least, greatest = low[pairs.first, j], high[pairs.first, j]
            texts = scale.texts(values, least, greatest, star)
            found.append((texts, pairs.inverse))
        return cls(found)

    def starred(self, star: str) -> Bools:
        """Return which columns of which groups are stars."""
        starred = [
            np.array([text == star for text in texts], bool)[text_of]
            for texts, text_of in self.columns
        ]
        return np.stack(starred, axis=1)

    def published(self, table: Table, group: IntArray) -> Table:
        """Publish a table; all cells but those of QI columns are as they were.

        ``table`` is the original, and ``group`` tells the group of each row.
        """
        columns = {}
        for column, (texts, text_of) in zip(table.qi, self.columns, strict=True):
            code_of, different = coded(texts)
            columns[column] = code_of[text_of][group], different
        return table.recoded(columns)
