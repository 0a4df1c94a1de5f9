"""Keeps the data that pictures are drawn from, and draws them again.

Each script beside this one draws one picture. Run without a word it draws what is kept
in ``docs/data`` and prints the caption that the page has; ``--measure`` and what the
script names after it make the data anew before that.
"""

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2]


def read_json(name: str) -> Any:
    """The data of a picture."""
    return json.loads((DOCS / "data" / f"{name}.json").read_text("utf-8"))


def write_json(name: str, kept: dict[str, Any]) -> None:
    """Keep the data of a picture, each row of it in a line."""
    lines = []
    for key, value in kept.items():
        text = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list) and value and isinstance(value[0], list | dict):
            rows = [json.dumps(row, ensure_ascii=False) for row in value]
            text = "[\n  " + ",\n  ".join(rows) + "\n ]"
        lines.append(f" {json.dumps(key)}: {text}")
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (DOCS / "data" / f"{name}.json").write_text(text, "utf-8")


def read_csv(path: str) -> list[list[str]]:
    """The cells of a file, line by line."""
    with (DOCS / path).open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def read_rows(path: str) -> list[dict[str, str]]:
    """The rows of a file, each by the names of its columns."""
    head, *rows = read_csv(path)
    return [dict(zip(head, cells, strict=True)) for cells in rows]


def remake(
    name: str,
    kept: Callable[[], Any],
    drawn: Callable[[Any], str],
    caption: Callable[[Any], str],
    measured: Callable[..., Any] | None = None,
) -> None:
    """Draw a picture from what is kept, or is measured first, and print its caption."""
    words = sys.argv[1:]
    if words[:1] == ["--measure"] and measured is not None:
        write_json(name, measured(*words[1:]))
    (DOCS / f"{name}.svg").write_text(drawn(kept()), "utf-8")
    sys.stdout.write(f"{caption(kept())}\n")
