"""Run a notebook from top to bottom, and keep in it what its cells show.

    python docs/site/run_notebook.py docs/notebooks/first_release.ipynb

Cells show what Jupyter would: what is printed, and of the last expression its picture,
its page or its text. The page ``docs/tutorials/notebook.md`` is written anew from them.
"""

import ast
import base64
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

Content = dict[str, Any]
PAGE = Path(__file__).parents[1] / "tutorials" / "notebook.md"
FOR_WHOM = (
    "For whom: you work in Python. You get: every step from a frame to a file with its "
    "proof, with what each cell shows. It is [a notebook]"
    "(../notebooks/first_release.ipynb), which has the pictures, too."
)
NEXT = (
    "\n\nNext: [data frames](../how_to/frames.md), [choose k](../how_to/choose_k.md), "
    "[publish safely](../how_to/publish_safely.md).\n"
)


def run(notebook: Content) -> Content:
    """Return the notebook with the outputs of its cells."""
    names: dict[str, Any] = {}
    cells, count = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            count += 1
            outputs = shown("".join(cell["source"]), names, count)
            cell = {**cell, "execution_count": count, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def shown(source: str, names: dict[str, Any], count: int) -> list[Content]:
    """Run a cell; return what it shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), names)
        value = None
        if isinstance(last, ast.Expr):
            expression = ast.Expression(last.value)
            value = eval(compile(expression, f"cell {count}", "eval"), names)
    outputs: list[Content] = []
    if text := printed.getvalue():
        stream = {"output_type": "stream", "name": "stdout", "text": lines(text)}
        outputs.append(stream)
    if value is not None:
        result = {"output_type": "execute_result", "execution_count": count}
        outputs.append({**result, "data": forms(value), "metadata": {}})
    return outputs


def forms(value: Any) -> Content:
    """Return what a notebook may show of a value, by kind."""
    found: Content = {"text/plain": lines(repr(value))}
    for kind, name in (("text/html", "_repr_html_"), ("image/png", "_repr_png_")):
        made = getattr(value, name, lambda: None)()
        if isinstance(made, bytes):
            found[kind] = base64.b64encode(made).decode()
        elif made is not None:
            found[kind] = lines(made)
    return found


def lines(text: str) -> list[str]:
    """Return the lines of a text as notebooks keep them."""
    return text.splitlines(keepends=True)


def page(notebook: Content) -> str:
    """Return the notebook as a page of the site: its words, its code, its text."""
    parts = [FOR_WHOM]
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        texts = [
            output.get("text") or output["data"]["text/plain"]
            for output in cell["outputs"]
            if "image/png" not in output.get("data", {})
        ]
        if texts:
            text = "".join("".join(each).rstrip() + "\n" for each in texts)
            parts.append(f"```text\n{text}```")
    title, *rest = parts[1].split("\n\n", 1)
    parts[:2] = [title, FOR_WHOM, *rest]
    return "\n\n".join(parts) + NEXT


if __name__ == "__main__":
    path = Path(sys.argv[1])
    content = run(json.loads(path.read_text()))
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    PAGE.write_text(page(content), encoding="utf-8")
