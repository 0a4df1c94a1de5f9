"""What is published for ranges of positions: texts, stars and the released table."""

from dataclasses import dataclass, replace

import numpy as np

from starmin.instances.arrays import Bools, Int32s, IntArray
from starmin.instances.scales.measures import Numbers
from starmin.instances.scales.numeric_scale import NumericScale
from starmin.instances.scales.scale import Scale
from starmin.instances.scales.scales import Scales
from starmin.instances.scales.taxonomy_scale import TaxonomyScale
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
            texts = published_texts(scale, values, least, greatest, star)
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
        codes = table.codes.copy()
        dictionaries = table.texts.copy()
        for column, (texts, text_of) in zip(table.qi, self.columns, strict=True):
            at = table.names.index(column)
            index: dict[str | None, int] = {}
            code_of = [index.setdefault(text, len(index)) for text in texts]
            codes[at] = np.array(code_of, np.int32)[text_of][group]
            dictionaries[at] = tuple(index)
        return replace(table, codes=codes, dictionaries=dictionaries)


def published_texts(
    scale: Scale, values: tuple[str | None, ...], low: Int32s, high: Int32s, star: str
) -> list[str | None]:
    """Return what is published for each range of positions of a column.

    ``values`` are those of its codes; ``low`` and ``high`` are the least and the
    greatest position of each range, and ``star`` is the text of a suppressed cell.
    """
    ends = [
        (values[a], values[b])
        for a, b in zip(scale.codes[low], scale.codes[high], strict=True)
    ]
    if isinstance(scale, NumericScale):
        known = scale.codes[len(scale.missing) :]
        last = (values[known[-1]] or "") if len(known) else ""
        last = last if scale.cap is None else scale.cap.greatest
        return [
            star if apart else a if a == b else _range(a or "", b or "", scale, last)
            for (a, b), apart in zip(ends, scale.hidden(low, high), strict=True)
        ]
    if isinstance(scale, TaxonomyScale):
        nodes = scale.taxonomy.lowest_above(low, high).tolist()
        labels = scale.taxonomy.labels
        return [
            a if single else labels[node]
            for (a, _), node, single in zip(ends, nodes, low == high, strict=True)
        ]
    return [a if same else star for (a, _), same in zip(ends, low == high, strict=True)]


def _range(least: str, greatest: str, scale: NumericScale, last: str) -> str:
    """Return the text of a range, rounded outwards and widened if asked.

    One that ends at a top, or begins at a bottom, is written as such.
    """
    told, measure, cap = (scale.step, scale.width, last), scale.measure, scale.cap
    if cap is None or not isinstance(measure, Numbers):
        return measure.range_text(least, greatest, *told)
    top, bottom = cap.texts
    low, high = measure.ends(
        cap.least if least == bottom else least,
        cap.greatest if greatest == top else greatest,
        *told,
    )
    if greatest == top is not None:
        return f"{low}+"
    return f"<={high}" if least == bottom is not None else f"[{low}-{high}]"
