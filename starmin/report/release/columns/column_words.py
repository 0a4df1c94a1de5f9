"""What each column has lost, in a sentence that needs no table."""

from collections.abc import Mapping

import numpy as np

from starmin.instances import Table
from starmin.report.page import share
from starmin.report.release.columns.column_facts import ColumnFacts
from starmin.verify.cells.cells import Cells, NumericCells, TaxonomyCells
from starmin.verify.cells.time_cells import TimeReading

_LENGTHS = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def column_words(
    facts: ColumnFacts, released: Table, star: str, cells: Mapping[str, Cells] | None
) -> str:
    """Say what a column has lost.

    Parameters
    ----------
    facts
        What became of its cells.
    released, star
        The release, and its symbol of hidden cells.
    cells
        What the cells of generalized columns stand for.

    Examples
    --------
    >>> from starmin.report.release.columns.column_facts import column_facts
    >>> table = Table.from_rows(["a"], [["1"], ["2"], ["2"]], qi=["a"])
    >>> released = Table.from_rows(["a"], [["*"], ["2"], ["2"]], qi=["a"])
    >>> column_words(*column_facts(table, released, "*"), released, "*", None)
    'a: 33.33 % of the cells are hidden, the others are published as they are.'
    """
    rows, coarse = facts.rows, facts.changed - facts.starred
    if not facts.changed:
        return f"{facts.name}: published as it is."
    if facts.starred == rows:
        return f"{facts.name}: all cells are hidden."
    hidden = f"{share(facts.starred / rows).text} of the cells are hidden"
    if not coarse:
        return f"{facts.name}: {hidden}, the others are published as they are."
    text = _coarse(released, facts.name, star, (cells or {}).get(facts.name))
    parts = [hidden] if facts.starred else []
    if facts.changed == rows:
        last = f"{'the others' if parts else 'all cells'} are published {text}"
        return f"{facts.name}: {', '.join([*parts, last])}."
    whose = "" if parts else " of the cells are"
    parts.append(f"{share(1 - facts.changed / rows).text}{whose} published as they are")
    return f"{facts.name}: {', '.join(parts)}, the others {text}."


def _coarse(released: Table, column: str, star: str, cells: Cells | None) -> str:
    """Say how coarse the cells are that are neither hidden nor values."""
    counts = np.bincount(released.column(column))
    found = [
        (text, int(n))
        for text, n in zip(released.dictionary(column), counts, strict=False)
        if n and text != star
    ]
    if isinstance(cells, TaxonomyCells):
        sizes = [(cells.below.get(text or "", 1), n) for text, n in found]
        size = _median([(each, n) for each, n in sizes if each > 1])
        whole = len(cells.taxonomy.paths)
        if size is not None:
            return f"as categories, of {size:g} of {whole:,} values at the median"
    if isinstance(cells, NumericCells):
        lengths = []
        for text, n in found:
            if text in cells.missing or not cells.reading.is_range(text):
                continue
            if (ends := cells.ends(text)) is not None:
                lengths.append((float(ends[1] - ends[0]), n))
        length = _median(lengths)
        if length is not None:
            return f"as ranges, {_length(cells, length)} from end to end at the median"
    return "as something coarser"


def _median(sizes: list[tuple[float, int]]) -> float | None:
    """Return the lower median of values that occur so often."""
    total, seen = sum(n for _, n in sizes), 0
    for size, n in sorted(sizes):
        seen += n
        if 2 * seen >= total:
            return size
    return None


def _length(cells: NumericCells, length: float) -> str:
    """Write the length of a range, of times in the unit that is read best."""
    reading = cells.reading
    if not isinstance(reading, TimeReading):
        return f"{length:,.10g}"
    if reading.form and reading._months:
        unit, size = "month", length
    else:
        unit, size = next(
            (name, length / seconds)
            for seconds, name in _LENGTHS
            if length >= seconds or seconds == 1
        )
    return f"{size:,.4g} {unit}{'' if size == 1 else 's'}"
