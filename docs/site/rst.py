"""Headings and tables of generated pages, in reStructuredText."""

from collections.abc import Sequence


def heading(text: str, sign: str = "=") -> list[str]:
    """A heading, with an empty line."""
    return [text, sign * len(text), ""]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table, a cell to a line."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in (header, *rows):
        lines += [
            f"   {'-' if at else '* -'} {escaped(text)}" for at, text in enumerate(row)
        ]
    return [*(line.replace("   - ", "     - ") for line in lines), ""]


def escaped(text: str) -> str:
    """A text on one line; what stands between back-ticks is code."""
    return (
        " ".join(text.split())
        .replace("\\", "\\\\")
        .replace("`", "``")
        .replace("*", "\\*")
        .replace("|", "\\|")
    )
