"""Writes a page for each method of the registry and for each program beside them."""

import inspect
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

from starmin import heuristics, models
from starmin.commands.methods import HEADER, cells
from starmin.registry import METHODS, Method

TITLES = {
    "exact": "Exact methods",
    "heuristic": "Heuristics",
    "bound": "Lower bounds",
    "part": "Programs that methods are made of",
}

ALIKE = """\
What a page does not say of an argument holds for all methods: ``table``,
``requirement`` and ``objective`` are the problem; ``time_limit`` is in seconds of the
clock; ``seed`` is of all random choices; with ``display`` a line (time, value, bound,
gap) goes to stderr at each improvement; ``initial`` is a release to start from; and
``params`` are constants that steer the search.
"""


def parts() -> list[str]:
    """Documented functions named like their files that are not in the registry."""
    known = {method.module for method in METHODS.values()}
    found = []
    for package in (models, heuristics):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            name = module.name.rpartition(".")[2]
            if module.name in known or module.ispkg:
                continue
            function = getattr(import_module(module.name), name, None)
            if "\n    Parameters\n" in (
                inspect.getsource(function) if function else ""
            ):
                found.append(module.name)
    return found


def page(module: str, name: str, facts: Iterable[str]) -> str:
    """The docstring of a function under its name, what the registry says above it."""
    lines = [
        name,
        "=" * len(name),
        "",
        *facts,
        "",
        f".. autofunction:: {module}.{name}",
    ]
    alike = "What is not said here of an argument :doc:`holds for all methods <index>`."
    return "\n".join([*lines, "", alike, ""])


def facts(method: Method) -> list[str]:
    """What the registry says of a method, as a list of fields."""
    pairs = zip(HEADER[1:], cells(method)[1:], strict=True)
    said = [f":{head}: {cell}" for head, cell in pairs]
    return [*said, f":source: {method.source}"]


def overview(groups: dict[str, list[str]]) -> str:
    """The table of all methods, and the list of pages."""
    rows = [HEADER, *((f":doc:`{m.name}`", *cells(m)[1:]) for m in METHODS.values())]
    lines = ["Methods", "=======", "", ALIKE]
    lines += [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [
            f"   {'*' if not i else ' '} - {cell}".replace("_ ", "\\_ ")
            for i, cell in enumerate(row)
        ]
    for kind, names in groups.items():
        lines += ["", ".. toctree::", "   :maxdepth: 1", f"   :caption: {TITLES[kind]}"]
        lines += ["", *(f"   {name}" for name in names)]
    return "\n".join([*lines, ""])


def write_pages(app: Any) -> None:
    """Write what has changed under ``methods``; remove what is gone."""
    pages, groups = {}, {kind: [] for kind in TITLES}
    for method in METHODS.values():
        pages[method.name] = page(method.module, method.name, facts(method))
        groups[method.kind].append(method.name)
    for target in parts():
        name = target.rpartition(".")[2]
        pages[name] = page(target, name, [f":file: {target.replace('.', '/')}.py"])
        groups["part"].append(name)
    pages["index"] = overview(groups)
    folder = Path(app.srcdir, "methods")
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.rst"):
        if old.stem not in pages:
            old.unlink()
    for name, text in pages.items():
        file = folder / f"{name}.rst"
        if not file.exists() or file.read_text() != text:
            file.write_text(text)


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}
