"""What is asked, as the text of a settings file."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from starmin.recipes.recipe import COLUMNS, other_kinds
from starmin.recipes.told import (
    SEVERAL,
    Key,
    Told,
    column_keys,
    keys,
    names_file,
    names_in,
    section_keys,
)

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SECTIONS = "requirement", "objective", "table", "run", "output"


def recipe_text(
    told: Told,
    columns: Sequence[str],
    folder: Path,
    head: str = "",
    notes: Mapping[tuple[str, ...], str] | None = None,
) -> str:
    """Write a settings file.

    ``told`` is what is asked, by name of parameter, and ``columns`` are all that are to
    be named, in order. ``folder`` is where the file will lie: other files are named as
    from there. ``head`` is a comment above all; ``notes`` are comments above columns,
    (``columns``, name), or keys, (section, key), or sections.

    >>> told = {"qi": ("age", "sex"), "numeric": ("age",), "k": 3}
    >>> told["steps"] = {"age": "5"}
    >>> print(recipe_text(told, ["age", "sex"], Path()), end="")
    [columns]
    age = { role = "quasi-identifier", kind = "numeric", round = 5 }
    sex = { role = "quasi-identifier" }
    <BLANKLINE>
    [requirement]
    k = 3
    """
    said = notes or {}
    parts = [_comment(head)] if head else []
    options = (key.name for ways in column_keys().values() for key in ways)
    others = (c for name in options for c in names_in(told.get(name)) if c)
    named = [*dict.fromkeys((*columns, *others))]
    lines = _noted((COLUMNS,), said) + "[columns]\n"
    for column in named:
        inside = ", ".join(f"{k} = {v}" for k, v in _of_column(told, column, folder))
        value = f"{{ {inside} }}" if inside else "{}"
        lines += f"{_noted((COLUMNS, column), said)}{named_key(column)} = {value}\n"
    parts += [lines] if named else []
    written: dict[str, str] = {}
    for name, value in told.items():
        key = keys()[name]
        if key.by is None:
            shown: Any = value
        elif not (shown := isinstance(value, dict) and value.get(SEVERAL)):
            continue
        text = f"{key.word} = {_value(key, shown, folder)}\n"
        remark = _noted((key.section, key.word), said)
        written[key.section] = written.get(key.section, "") + remark + text
    order = [*_SECTIONS, *(each for each in written if each not in _SECTIONS)]
    for section in order:
        over = _noted((section,), said)
        if section in written or over:
            parts.append(f"{over}[{section}]\n{written.get(section, '')}")
    return "\n".join(parts)


def _of_column(told: Told, column: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the keys of a column, each with its value as it is written."""
    kind = None
    found: dict[str, str] = {}
    for word, ways in column_keys().items():
        for key in ways:
            value = told.get(key.name)
            assert key.by is not None
            if value is None or column not in ((value,) if key.by.single else value):
                continue
            if key.by.words:
                found[word] = json.dumps(key.by.words[0])
                continue
            kind = key.by.kind or kind
            found[word] = _plain(key, value[column], folder)
    if kind is not None:
        found["kind"] = json.dumps(kind)
    order = sorted(found, key=lambda word: {"role": 0, "kind": 1}.get(word, 2))
    return ((word, found[word]) for word in order)


def _plain(key: Key, text: str, folder: Path) -> str:
    """Write what is told of a column; a number as one."""
    assert key.by is not None
    whole = re.fullmatch("-?(0|[1-9][0-9]{0,14})", text) is not None
    if whole and key.name not in ("hierarchy", "sets", "date_format"):
        return text
    return _string(_from(key, text, folder))


def _value(key: Key, value: Any, folder: Path) -> str:
    if isinstance(value, tuple):
        named = key.by is None
        return f"[{', '.join(_string(_from(key, v, folder, named)) for v in value)}]"
    if isinstance(value, bool | int):
        return json.dumps(value)
    if isinstance(value, float):
        return repr(value)  # inf and nan are words of TOML, too
    return _string(_from(key, str(value), folder))


def _from(key: Key, text: str, folder: Path, of_column: bool = True) -> str:
    """Return the name of a file as from a folder; other texts as they are."""
    if not names_file(key, text, of_column) or Path(text).is_absolute():
        return text
    return as_from(text, folder)


def as_from(name: str, folder: Path) -> str:
    """Return the name of a file as from a folder."""
    try:
        return Path(os.path.relpath(name, folder)).as_posix()
    except ValueError:  # on another drive of Windows
        return str(Path(name).absolute())


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def named_key(name: str) -> str:
    """Write a name as a key of TOML."""
    return name if _BARE.fullmatch(name) else _string(name)


def _noted(at: tuple[str, ...], notes: Mapping[tuple[str, ...], str]) -> str:
    return _comment(notes[at]) if at in notes else ""


def _comment(text: str) -> str:
    # No control character may stand in a comment.
    lines = re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "?", text).splitlines()
    return "".join(f"# {line}".rstrip() + "\n" for line in lines)


# The JSON Schema of settings files, for editors.

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TYPES = {int: "integer", float: "number", bool: "boolean"}
_TEXT = {"type": ["string", "number"]}


def schema() -> dict[str, Any]:
    """Return the schema of settings files, made of the options' declarations.

    >>> schema()["properties"]["requirement"]["properties"]["k"]["type"]
    'integer'
    >>> schema()["properties"]["columns"]["additionalProperties"]["properties"]["keep"]
    {'description': 'Columns that must not be starred.', 'type': 'boolean'}
    """
    sections = {
        section: _object({word: _of_key(key) for word, key in known.items()})
        for section, known in section_keys().items()
    }
    columns = {word: _of_column_key(ways) for word, ways in column_keys().items()}
    return {
        "$schema": DRAFT,
        "title": "Settings of starmin solve",
        **_object(
            {
                COLUMNS: {
                    "description": "What the columns of the table are.",
                    "type": "object",
                    "additionalProperties": _object(columns),
                },
                **sections,
            }
        ),
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _of_key(key: Key) -> dict[str, Any]:
    told: dict[str, Any] = {"description": key.help}
    if key.listed or key.by is not None:
        return told | {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]}
    if key.words:
        told["enum"] = list(key.words)
    elif key.type in _TYPES:
        told["type"] = _TYPES[key.type]
    else:
        told |= {"type": "string"} if key.type is Path else _TEXT
    if key.least is not None:
        told["minimum"] = key.least
    if key.most is not None:
        told["maximum"] = key.most
    return told


def _of_column_key(ways: tuple[Key, ...]) -> dict[str, Any]:
    words = [each for key in ways if key.by for each in key.by.words or ()]
    told: dict[str, Any] = {"description": " | ".join(key.help for key in ways)}
    if words == [True]:
        return told | {"type": "boolean"}
    if words:
        kinds = other_kinds() if ways[0].by and ways[0].by.key == "kind" else ()
        return told | {"enum": [*words, *kinds]}
    by = ways[0].by
    assert by is not None
    return told | ({"type": "integer", "minimum": 0} if by.type is int else _TEXT)
