"""starmin methods: the registry, one of them, ``auto``, or the package of a new one."""

import json
from keyword import iskeyword
from pathlib import Path
from string import Template
from typing import Annotated

from starmin.auto.describe import describe, describe_fully, page, schedule_as_markdown
from starmin.extensions import register_installed
from starmin.inputs import options
from starmin.inputs.declared import argument, option
from starmin.instances import NotSupportedError, TableError
from starmin.instances.requirements.requirement import MASK
from starmin.instances.requirements.requirements import options as asked_by
from starmin.instances.runs.method import Method
from starmin.process.say import answer, show_lines, show_table
from starmin.process.steps import write_file
from starmin.registry import METHODS, of_any_family

EXAMPLES = (
    "starmin methods",
    "starmin methods --json",
    "starmin methods lagrangian",
    "starmin methods --auto",
    "starmin methods --template my_slices my_package",
)

_TEMPLATES = Path(__file__).parents[1] / "testing" / "templates"

HEADER = (
    *("method", "kind", "of", "requires", "minimises"),
    *("guarantee", "finishes up to"),
)


def methods(
    name: Annotated[
        str | None,
        argument(
            "[NAME]",
            "A method, or its former name: show its docstring, what it takes and "
            "where it is.",
        ),
    ] = None,
    as_json: options.Json = False,
    markdown: Annotated[bool, option("--markdown", "As a table in Markdown.")] = False,
    auto: Annotated[
        bool, option("--auto", "The turns that methods have under auto, as Markdown.")
    ] = False,
    template: Annotated[
        tuple[str, Path] | None,
        option(
            "--template NAME FOLDER",
            "Write a package with a method of this name, its declaration and its "
            "test, to be changed.",
        ),
    ] = None,
    requirement: Annotated[
        bool, option("--requirement", "With --template: a requirement instead.")
    ] = False,
    quiet: options.Quiet = False,
) -> int:
    """List all methods: what each takes, what it guarantees, and how far it gets.

    With a name: all there is to say of that method. With --template: a package of your
    own, which works as it is; its method is called, tested and compared as ours are.
    """
    if sum((name is not None or as_json, markdown, auto, template is not None)) > 1:
        raise NotSupportedError(
            "Expected one of --markdown, --auto, --template, or NAME and --json, got "
            "several."
        )
    if requirement and template is None:
        raise TableError("--requirement: is for --template NAME FOLDER")
    if template is not None:
        write_package(*template, "requirement" if requirement else "method")
    elif auto:
        answer(schedule_as_markdown())
    elif markdown:
        answer(as_markdown())
    elif name is not None:
        method = of_any_family(name)
        answer(json.dumps(describe_fully(method)) if as_json else page(method))
    elif as_json:
        answer(json.dumps([describe(method) for method in METHODS.values()]))
    else:
        show_table(HEADER, [cells(method) for method in METHODS.values()])
    return 0


def as_markdown() -> str:
    """Write the table of all methods in Markdown."""
    rows = [HEADER, tuple("---" for _ in HEADER), *map(cells, METHODS.values())]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def cells(method: Method) -> tuple[str, ...]:
    """Return the line of a method in the table."""
    found = ", ".join(method.recodings)
    if method.space == MASK:
        found = "stars by row"
    elif "suppression" in method.recodings:
        found = "groups"
    return (
        method.name,
        method.kind,
        found,
        ", ".join(method.requirements),
        ", ".join(method.objectives),
        method.guarantee,
        method.reach,
    )


def write_package(name: str, folder: Path, kind: str) -> None:
    """Write a package with one method or requirement, and say what to do with it.

    Raises TableError for a name that is none of Python or is taken, and for a folder in
    which something is.
    """
    if not (name.isascii() and name.isidentifier() and name.islower()):
        raise TableError(
            f"--template: {name!r} is no name of a module; as my_method: small "
            "letters, digits and _"
        )
    register_installed()
    taken = [*METHODS, *(option.name for option in asked_by())]
    if name in taken or iskeyword(name):
        raise TableError(f"--template: the name {name} is taken; choose another")
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise TableError(f"--template: {folder}: is there already; name a new folder")
    words = {
        "name": name,
        "kind": kind,
        "project": name.replace("_", "-"),
        "object": name.upper() if kind == "method" else name.title().replace("_", ""),
    }
    if words["object"] == name:  # such as _1
        raise TableError(f"--template: {name!r} has no letter")
    files = {
        "pyproject.toml": "pyproject.toml",
        f"{name}.py": f"{kind}.py",
        f"test_{name}.py": "test.py",
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TableError(f"--template: {folder}: {error.strerror}") from error
    for file, source in files.items():
        text = (_TEMPLATES / f"{source}.txt").read_text("utf-8")
        write_file(folder / file, Template(text).substitute(words).encode())
    column = f"starmin solve TABLE --k 3 --{name.replace('_', '-')} COLUMN"
    compare = f"starmin gap known:stars --methods {name},mondrian --out gaps"
    told = [
        ("wrote", f"{folder}: {', '.join(files)}"),
        ("install", f"python -m pip install {folder.resolve()}"),
        ("test", f"python -m pytest {folder.resolve()}"),
        ("use", column) if kind == "requirement" else ("compare", compare),
    ]
    show_lines(told)
