"""Whether the first line of a hierarchy's file names its columns."""

import re
from collections.abc import Sequence

from starmin.instances.io.hierarchies.hierarchy_lines import Line

_WORDS = re.compile(
    r"(?i)(.*\b)?(level|lvl|value|leaf|node|root|parent|hierarchy|generali[sz]ation)"
    r"s?[\s_.-]*\d*|(.*_)(level|lvl)\d*"
)
_ROOTS = re.compile(r"(?i)\*+|any|all|total|everything|everyone")


def header_told(lines: Sequence[Line]) -> str | None:
    """Return what is to be said if the first line is a header; None: it is none.

    A header says nothing that another line says. Its last cell is not the root that
    all other lines end in; where they have several roots, or what they end in may be
    none, a cell must be named as columns are, such as ``level1`` or ``value``.

    Examples
    --------
    >>> lines = [Line(1, ["job", "sector", "all"]), Line(2, ["nurse", "health", "*"])]
    >>> header_told([*lines, Line(3, ["clerk", "office", "*"])])
    "the first line is taken for a header and left out: 'job', 'sector', 'all'"
    >>> header_told(lines[1:]) is None
    True
    """
    if len(lines) < 2:
        return None
    first, others = lines[0].cells, lines[1:]
    roots = {line.cells[-1] for line in others if len(line.cells) > 1}
    if first == [*map(str, range(len(first)))] and len(first) > 2:  # as of a frame
        named = first[-1] not in roots
    else:
        seen = {cell for line in others for cell in line.cells}
        if seen & {*filter(None, first)}:
            return None
        named = any(map(_WORDS.fullmatch, first)) or not first[0]
    if not named and (len(roots) > 1 or len(others) < 2 or not _is_root(others)):
        return None
    cells = ", ".join(map(repr, first))
    return f"the first line is taken for a header and left out: {cells}"


def _is_root(lines: Sequence[Line]) -> bool:
    """Check whether what lines end in is named as a root, or stands above nodes."""
    named = _ROOTS.fullmatch(lines[0].cells[-1]) is not None
    return named or any(len(line.cells) > 2 for line in lines)


def without_row_names(header: Line, lines: Sequence[Line]) -> list[Line]:
    """Leave out a first column of numbers of rows, as R and pandas write it.

    Parameters
    ----------
    header
        Its first name is empty, or there is a name less than columns.
    lines
        Below it.

    Examples
    --------
    >>> rows = [Line(2, ["0", "cat", "pet"]), Line(3, ["1", "dog", "pet"])]
    >>> without_row_names(Line(1, ["", "value", "level"]), rows)
    [Line(number=2, cells=['cat', 'pet']), Line(number=3, cells=['dog', 'pet'])]
    """
    short = len(header.cells) < max(len(line.cells) for line in lines)
    firsts = [line.cells[0] for line in lines]
    counted = any(
        firsts == [*map(str, range(begin, begin + len(lines)))] for begin in (0, 1)
    )
    if not counted or (header.cells[0] and not short):
        return [*lines]
    return [line._replace(cells=line.cells[1:]) for line in lines]
