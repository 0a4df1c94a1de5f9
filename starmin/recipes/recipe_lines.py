"""Where in a settings file something stands, for whoever mends it."""

import re
import tomllib
from pathlib import Path

from starmin.instances import TableError


def line_of(text: str, *path: str) -> int | None:
    r"""Return the number of the line in which a key stands; None: it is not found.

    ``text`` is a TOML file; ``path`` is the key, after those of the tables that it is
    in.

    Examples
    --------
    >>> text = '[run]\nseed = 3\n[columns]\n"a b" = {role = "sensitive"}'
    >>> line_of(text, "run", "seed"), line_of(text, "columns", "a b", "role")
    (2, 4)
    """
    best, depth, above = None, 0, list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[\[?(.+?)\]\]?\s*(#.*)?$", line):
            above = _names(header[1])
            found = above
        elif named := re.match(r"\s*((?:\"[^\"]*\"|'[^']*'|[^=\"'#])+?)\s*=", line):
            found = above + _names(named[1])
        else:
            continue
        if found == list(path[: len(found)]) and len(found) > depth:
            best, depth = number, len(found)
    return best


def _names(text: str) -> list[str]:
    """Return the parts of a dotted key."""
    try:
        inner = tomllib.loads(f"{text} = 0")
    except tomllib.TOMLDecodeError:
        return [text]
    names = list[str]()
    while isinstance(inner, dict) and inner:
        name = next(iter(inner))
        names.append(name)
        inner = inner[name]
    return names


class RecipeError(TableError):
    """What is wrong with a settings file, and where."""

    def __init__(self, path: Path, text: str, at: tuple[str, ...], why: str) -> None:
        line = line_of(text, *at) if at else None
        where = "" if line is None else f"line {line}: "
        named = f"[{at[0]}]" + "".join(f" {each}" for each in at[1:]) if at else ""
        super().__init__(f"{path}: {where}{named and f'{named}: '}{why}")
