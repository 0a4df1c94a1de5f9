"""What was hidden beyond what was asked, in lines for people."""

from collections.abc import Mapping
from typing import Any

from starmin.instances.tables.names import counted

WITHOUT = "bound and certificate are of the problem without pad and decoys"


def defence_lines(told: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a label and a text for each defence, and what the bound is of.

    Parameters
    ----------
    told
        By defence what was done: ``Result.defences``.

    Examples
    --------
    >>> told = {"classes": 3, "rows": 6, "rows_left": 0}
    >>> defence_lines({"pad": told | {"stars_before": 40, "stars_after": 46}})[0]
    ('pad', '6 rows in 3 classes were known in full: 46 stars instead of 40')
    """
    lines = []
    if margin := told.get("margin"):
        promised, solved = margin["promised"], margin["solved"]
        lines.append(
            (
                "margin",
                f"l = {promised} is promised, l = {solved} is solved: all that is said "
                f"here is of l = {solved}; keep the margin secret",
            )
        )
    if decoys := told.get("decoys"):
        lines.append(
            (
                "decoys",
                f"{counted(decoys['rows'], 'row')} of {decoys['types']:,} of "
                f"{counted(decoys['whole'], 'type')} published whole"
                f"{_stars(decoys)} (experimental)",
            )
        )
    if padded := told.get("pad"):
        left = padded["rows_left"]
        still = f"; {counted(left, 'row')} still" if left else ""
        lines.append(
            (
                "pad",
                f"{counted(padded['rows'], 'row')} in "
                f"{counted(padded['classes'], 'class', 'classes')} were known in full"
                f"{still}{_stars(padded)}",
            )
        )
    if told.keys() & {"pad", "decoys"}:
        lines.append(("defences", WITHOUT))
    return lines


def _stars(told: Mapping[str, Any]) -> str:
    return f": {told['stars_after']:,} stars instead of {told['stars_before']:,}"
