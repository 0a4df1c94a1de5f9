"""A release as a notebook shows it."""

from collections.abc import Iterable
from html import escape
from typing import Any

_ROWS = 5


def describe(headline: str, facts: Iterable[tuple[str, str]], frame: Any) -> str:
    """Return a few facts and the first rows of a release, as HTML.

    ``headline`` says what was found, on half a line; facts are names and texts.
    ``frame`` is the release; None where there is none.
    """
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(text)}</td></tr>"
        for name, text in facts
    )
    return (
        f"<div><p><b>{escape(headline)}</b></p><table>{rows}</table>"
        f"{'' if frame is None else _head(frame)}</div>"
    )


def _head(frame: Any) -> str:
    """Return the first rows as a table."""
    import narwhals as nw

    head = nw.from_native(frame, eager_only=True).head(_ROWS)
    names = "".join(f"<th>{escape(name)}</th>" for name in head.columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_cell(cell))}</td>' for cell in row)}</tr>"
        for row in head.rows()
    )
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    return "" if value is None else str(value)
