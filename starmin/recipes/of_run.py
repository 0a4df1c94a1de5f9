"""The settings of a run, so that the same can be asked of the next table."""

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from starmin.instances import Table
from starmin.recipes.recipe import COLUMNS
from starmin.recipes.text import recipe_text
from starmin.recipes.told import apart, general


def recipe_of(
    question: Mapping[str, Any], table: Table, source: str, folder: Path
) -> str:
    """Write the settings of a run.

    ``question`` is what was asked, by name of parameter; ``source`` is how the table
    was named, and ``folder`` where the file will lie. The roles of all columns are
    named, those that were so by default as well.

    Examples
    --------
    >>> table = Table.from_rows(["age", "note"], [["30", "x"]], qi=["age"])
    >>> print(recipe_of({"k": 2}, table, "t.csv", Path()))  # doctest: +ELLIPSIS
    # Settings of starmin ..., made for t.csv. For another table:
    # starmin solve TABLE --recipe THIS_FILE
    <BLANKLINE>
    [columns]
    age = { role = "quasi-identifier" }
    # Published as it is, with a warning; role = "unchanged" silences it.
    note = {}
    <BLANKLINE>
    [requirement]
    k = 2
    <BLANKLINE>
    """
    told = general(apart(question), source) | {"qi": table.qi}
    if table.sensitive:
        told["sensitive"] = table.sensitive
    named = {*told.get("drop", ()), *told.get("unchanged", ())}
    named |= {told[one] for one in ("weight", "person", "household") if one in told}
    others = [c for c in table.names if c not in (*table.qi, *table.sensitive)]
    note = 'Published as it is, with a warning; role = "unchanged" silences it.'
    head = (
        f"Settings of starmin {version('starmin')}, made for {source}. For another "
        "table:\nstarmin solve TABLE --recipe THIS_FILE"
    )
    open_ones = (column for column in others if column not in named)
    notes: dict[tuple[str, ...], str] = {(COLUMNS, each): note for each in open_ones}
    if "margin" in told:
        notes["defences", "margin"] = "Keep it secret."
    order = (*table.qi, *table.sensitive, *others)
    return recipe_text(told, order, folder, head, notes)
