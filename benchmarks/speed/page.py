"""A page of docs whose tables benchmarks remake: each stands between two marks."""

from collections.abc import Sequence
from pathlib import Path


def put(page: Path | None, name: str, lines: Sequence[str]) -> None:
    """Put lines between the marks of this name on a page; with no page do nothing.

    The marks are ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``, each alone on its
    line; what is between them is replaced.
    """
    if page is None:
        return
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    text = page.read_text(encoding="utf-8")
    before, begun, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not (begun and ended):
        raise SystemExit(f"{page} has no lines {begin} and {end} for this table")
    table = "\n".join(lines)
    page.write_text(f"{before}{begin}\n{table}\n{end}{after}", encoding="utf-8")
