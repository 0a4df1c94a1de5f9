"""The JSON Schema of settings files, for editors."""

from pathlib import Path
from typing import Any

from starmin.recipes.recipe import COLUMNS, other_kinds
from starmin.recipes.told import Key, column_keys, section_keys

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TYPES = {int: "integer", float: "number", bool: "boolean"}
_TEXT = {"type": ["string", "number"]}


def schema() -> dict[str, Any]:
    """Return the schema of settings files, made of the options' declarations.

    Examples
    --------
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
