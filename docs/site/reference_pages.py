"""Writes the reference: what may be stated, asked and answered, and what there is.

Each page is made from what the program declares, so that it cannot differ from it.
"""

import json
from inspect import signature
from pathlib import Path
from typing import Any

from asked_pages import losses, requirements
from declared_options import declared
from format_pages import formats
from kind_pages import kinds
from rst import escaped, heading, table
from sphinx.util.inspect import stringify_signature

import starmin
from starmin.extensions import catalogue
from starmin.process import faults
from starmin.verify.checker.join import joined

DOCS = Path(__file__).parents[1]
EXIT_CODES = {
    "DONE": "done; a time limit that ended the search is no failure",
    "NO": "the answer is no: infeasible, a release that fails, a refused certificate",
    "BAD_INPUT": "bad usage or bad input, told in one line on stderr",
    "UNKNOWN": "a certificate of a kind that can be neither accepted nor refused",
    "BUG": "a bug of starmin; the release is saved, and a line says where",
    "INTERRUPTED": "interrupted; the best release so far is written",
}


def options() -> str:
    """All commands, each with its arguments and options."""
    lines = [*heading("Options"), "Made from what each command declares.", ""]
    for name, parser in declared():
        lines += [*heading(name, "-"), escaped(parser.help), ""]
        rows = [_option(each) for each in parser.params]
        lines += table(("option", "takes", "says"), rows)
    return "\n".join(lines)


def _option(each: Any) -> tuple[str, str, str]:
    typed = ", ".join([*each.opts, *each.secondary_opts])
    name = typed if typed.startswith("-") else each.metavar or typed.upper()
    takes = each.metavar or each.display_type(None).strip("<>")
    says, default = each.help or "", each.default
    told = default is None or default is False or default == [] or "default" in says
    if not told and not callable(default):
        says += f" [default: {getattr(default, 'value', default)}]"
    takes = "" if getattr(each, "is_flag", False) else takes.replace("|", ", ")
    return f"`{name}`", takes, says


def python() -> str:
    """All public names of the package."""
    lines = [*heading("Python"), "All public names of ``starmin``.", ""]
    functions = [n for n in starmin.__all__ if callable(getattr(starmin, n))]
    classes = [n for n in functions if isinstance(getattr(starmin, n), type)]
    for title, names in (
        ("Functions", [n for n in functions if n not in classes]),
        ("Classes", classes),
        ("Values", [n for n in starmin.__all__ if n not in functions]),
    ):
        lines += heading(title, "-")
        for name in names:
            kind = {"Functions": "function", "Classes": "class"}.get(title, "data")
            # Arguments in groups are written out, which their source does not tell.
            shown, named = "", getattr(starmin, name)
            if kind == "function" and "__signature__" in vars(named):
                given = signature(named)
                shown = stringify_signature(given, unqualified_typehints=True)
            lines += [f".. auto{kind}:: starmin.{name}{shown}", "   :no-index:", ""]
    return "\n".join(lines)


def keys() -> str:
    """The keys of answers, from their schema."""
    schema = json.loads((DOCS / "answers.schema.json").read_text())["$defs"]
    lines = [*heading("JSON keys"), "The schema is ``docs/answers.schema.json``.", ""]
    for name, answer in schema.items():
        lines += [*heading(f"starmin {name}", "-"), escaped(answer["description"]), ""]
        rows = [
            (f"`{key}`", " or ".join(_types(told)), told["description"])
            for key, told in answer["properties"].items()
        ]
        lines += table(("key", "is", "says"), rows)
    return "\n".join(lines)


def _types(told: dict[str, Any]) -> list[str]:
    kinds = told["type"]
    return kinds if isinstance(kinds, list) else [kinds]


def instances() -> str:
    """The tables that come with starmin."""
    lines = [*heading("Example and benchmark tables"), "Named ``instance:NAME``.", ""]
    tables = catalogue()
    rows = [(f"`{n}`", each.description, each.source) for n, each in tables.items()]
    return "\n".join([*lines, *table(("instance", "what", "source"), rows)])


def codes() -> str:
    """What a command ends with."""
    numbers = {"DONE": 0} | {
        n: v for n, v in vars(faults).items() if isinstance(v, int)
    }
    rows = [(str(number), EXIT_CODES[name]) for name, number in numbers.items()]
    return "\n".join([*heading("Exit codes"), *table(("code", "says"), rows)])


PAGES = {
    "options": options,
    "requirements": requirements,
    "losses": losses,
    "python": python,
    "json_keys": keys,
    "file_formats": formats,
    "certificate_kinds": kinds,
    "instances": instances,
    "exit_codes": codes,
}


def overview() -> str:
    """The list of the pages."""
    names = [f"   {name}" for name in PAGES]
    toctree = [".. toctree::", "   :maxdepth: 1", "", *names, ""]
    return "\n".join([*heading("Reference"), *toctree])


def write_pages(app: Any) -> None:
    """Write what has changed under ``reference``, and the checker of one file."""
    folder = Path(app.srcdir, "reference")
    folder.mkdir(exist_ok=True)
    made = {f"{name}.rst": page for name, page in PAGES.items()}
    made |= {"index.rst": overview, "certificate_checker.py": joined}
    for name, page in made.items():
        file, text = folder / name, page()
        if not file.exists() or file.read_text() != text:
            file.write_text(text)


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}
