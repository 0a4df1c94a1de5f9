"""The two ways to write a taxonomy: ARX's table of levels, and inline."""

import csv
import io
from collections.abc import Iterable, Sequence

from starmin.instances.errors import TableError

ROOT = "*"  # of a tree that is written inline
_SYNTAX = '{},"'


def levels_text(paths: Iterable[Sequence[str]]) -> str:
    """Return the lines ``leaf;node;..;root`` of paths of one length."""
    text, rows = io.StringIO(newline=""), list(paths)
    # The signs of the end of a line are quoted where they stand in a name.
    end = "\r\n" if any("\r" in name for path in rows for name in path) else "\n"
    csv.writer(text, delimiter=";", lineterminator=end).writerows(rows)
    return text.getvalue()


def inline_paths(text: str, name: str) -> list[tuple[str, ...]]:
    """Read the paths, leaf first, of a tree written as ``{node{leaf,..},..}``.

    Examples
    --------
    >>> inline_paths("{pet{cat},rat}", "pets")
    [('cat', 'pet', '*'), ('rat', '*')]
    """
    tokens = list(_tokens(text, name))
    if tokens[:1] != ["{"]:
        raise TableError(f"{name}: expected {{node{{leaf,..}},..}}, got {text!r}")
    paths: list[tuple[str, ...]] = []
    above, at = [ROOT], 1
    while above:
        label = tokens[at] if at < len(tokens) else ""
        if not label or label in ("{", "}", ","):
            raise TableError(f"{name}: a name is missing in {text!r}")
        label, at = label.removeprefix('"'), at + 1
        if tokens[at : at + 1] == ["{"]:
            above.append(label)
            at += 1
            continue
        paths.append((label, *reversed(above)))
        while above and tokens[at : at + 1] == ["}"]:
            above.pop()
            at += 1
        if above and tokens[at : at + 1] != [","]:
            raise TableError(f"{name}: braces do not match in {text!r}")
        at += bool(above)
    if at < len(tokens):
        raise TableError(f"{name}: expected nothing after the last brace of {text!r}")
    return paths


def _tokens(text: str, name: str) -> Iterable[str]:
    """Yield braces, commas and names; names that were quoted begin with a quote."""
    at = 0
    while at < len(text):
        if text[at] == '"':
            end = text.find('"', at + 1)
            while text[end + 1 : end + 2] == '"' and end != -1:
                end = text.find('"', end + 2)
            if end == -1:
                raise TableError(f"{name}: a quote is not closed in {text!r}")
            yield '"' + text[at + 1 : end].replace('""', '"')
            at = end + 1
        elif text[at] in _SYNTAX:
            yield text[at]
            at += 1
        else:
            end = at
            while end < len(text) and text[end] not in _SYNTAX:
                end += 1
            if label := text[at:end].strip():
                yield label
            at = end
