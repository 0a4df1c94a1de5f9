"""Asks the checker of one file in this process."""

from typing import Any

from starmin.instances import Scales, Table
from starmin.instances.scales.scale import TaxonomyScale
from starmin.verify.checker import BeyondError, RefusalError
from starmin.verify.checker.columns import Given
from starmin.verify.checker.command import WRONG, proven_for

Content = dict[str, Any]


def proven_alone(
    table: Table, content: Content, scales: Scales | None = None
) -> int | None:
    """Return what the checker of one file proves; None where it refuses.

    Raises
    ------
    BeyondError
        It cannot check that.
    """
    pairs = () if scales is None else zip(table.qi, scales.scales, strict=True)
    trees = {
        column: [list(path) for path in scale.taxonomy.paths]
        for column, scale in pairs
        if isinstance(scale, TaxonomyScale)
    }
    header = [*table.qi, *table.sensitive]
    cells = zip(*(table.cells(column) for column in header), strict=True)
    rows = [[text or "" for text in row] for row in cells]
    try:
        return proven_for(Given(header, rows, content, trees))[0]
    except BeyondError:
        raise
    except (RefusalError, *WRONG):
        return None


def by_standard_library(
    table: Table, content: Content, scales: Scales | None = None
) -> int | None:
    """Return what the checker of one file proves; None where it refuses or cannot."""
    try:
        return proven_alone(table, content, scales)
    except BeyondError:
        return None
