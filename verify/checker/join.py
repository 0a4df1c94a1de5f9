"""Join the parts of the checker into the one file that an auditor copies.

A name stands for one thing in all parts. Builds run this file by itself.
"""

import ast
from pathlib import Path

HOME = Path(__file__).parent
ROOT = "starmin.verify.checker."
FIRST = "command"  # all other parts are what it imports
NOTE = "# Made of the files of starmin/verify/checker; change those.\n"


def joined() -> str:
    """Return the text of the one file.

    >>> "import starmin" in joined() or "from starmin" in joined()
    False
    """
    parts = _in_order()
    modules: set[str] = set()
    names: dict[str, set[str]] = {}
    bodies, owner = [], dict[str, str]()
    for part, text in parts.items():
        tree = ast.parse(text)
        last = 0
        for node in tree.body:
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                if not _is_part(node):
                    imported = {alias.name for alias in node.names}
                    names.setdefault(str(node.module), set()).update(imported)
            elif not isinstance(node, ast.Expr):  # a docstring is one
                for name in _named(node):
                    if owner.setdefault(name, part) != part:
                        raise ValueError(f"{name} is in {owner[name]} and in {part}")
                continue
            last = node.end_lineno or 0
        body = "\n".join(text.splitlines()[last:]).strip("\n")
        gap = "\n\n\n" if body.startswith(("def ", "class ", "@")) else "\n\n"
        title = f"# checker/{part.replace('.', '/')}.py"
        bodies.append(f"{title}{gap}{body}\n")
    imports = [f"import {name}" for name in sorted(modules)]
    imports += [_import_line(name, names[name]) for name in sorted(names)]
    head = f'"""{ast.get_docstring(ast.parse(parts[FIRST]), clean=False)}"""\n'
    return "\n".join([head + "\n" + NOTE, *imports]) + "\n\n" + "\n\n".join(bodies)


def _in_order() -> dict[str, str]:
    """Return the texts of all parts, each after those that it imports."""
    found: dict[str, str] = {}

    def visit(part: str) -> None:
        text = (HOME / f"{part.replace('.', '/')}.py").read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.ImportFrom) and _is_part(node):
                below = str(node.module).removeprefix(ROOT)
                if below not in found:
                    visit(below)
        found[part] = text

    visit(FIRST)
    return found


def _is_part(node: ast.ImportFrom) -> bool:
    """Return whether a part of the checker is imported."""
    return str(node.module).startswith(ROOT)


def _named(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a module gives to something."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    return [
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]


def _import_line(module: str, names: set[str]) -> str:
    """Return what imports some names from a module of the standard library."""
    # Constants come first, then classes, then all else.
    ordered = sorted(
        names, key=lambda name: (not name.isupper(), name[0].islower(), name)
    )
    return f"from {module} import {', '.join(ordered)}"
