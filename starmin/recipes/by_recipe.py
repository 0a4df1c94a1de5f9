"""Commands that take a settings file: it tells what the command line does not."""

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

import typer

from starmin.inputs.declared import Listed
from starmin.inputs.roles import INSTANCE
from starmin.instances import Table, TableError
from starmin.recipes.recipe import COLUMNS, Recipe, line_of
from starmin.recipes.text import recipe_text
from starmin.recipes.told import Told, apart, filled, general, joined, keys, overruled

# The settings of a run, so that the same can be asked of the next table.


def recipe_of(
    question: Mapping[str, Any], table: Table, source: str, folder: Path
) -> str:
    """Write the settings of a run.

    ``question`` is what was asked, by name of parameter; ``source`` is how the table
    was named, and ``folder`` where the file will lie. The roles of all columns are
    named, those that were so by default as well.

    >>> table = Table.from_rows(["age", "note"], [["30", "x"]], qi=["age"])
    >>> print(recipe_of({"k": 2}, table, "t.csv", Path()))  # doctest: +ELLIPSIS
    # Settings of starmin ..., made for t.csv. For another table:
    # starmin solve TABLE --recipe THIS_FILE
    <BLANKLINE>
    [columns]
    age = { role = "quasi-identifier" }
    # Published as it is, with a warning; role = "unchanged" silences it.
    note = {}
    <BLANKLINE>
    [requirement]
    k = 2
    <BLANKLINE>
    [table]
    earlier = "t.csv"
    <BLANKLINE>
    """
    told = general(apart(question), source)
    if not source.startswith(INSTANCE):
        told["earlier"] = source  # of the next one
    return settings_text(told, table, source, folder)


def settings_text(told: Told, table: Table, source: str, folder: Path) -> str:
    """Write what is told of a table as settings, with the roles of all its columns."""
    told = {**told, "qi": table.qi}
    if table.sensitive:
        told["sensitive"] = table.sensitive
    named = {*told.get("drop", ()), *told.get("unchanged", ())}
    named |= {told[one] for one in ("weight", "person", "household") if one in told}
    others = [c for c in table.names if c not in (*table.qi, *table.sensitive)]
    note = 'Published as it is, with a warning; role = "unchanged" silences it.'
    head = (
        f"Settings of starmin {version('starmin')}, made for {source}. For another "
        "table:\nstarmin solve TABLE --recipe THIS_FILE"
    )
    open_ones = (column for column in others if column not in named)
    notes: dict[tuple[str, ...], str] = {(COLUMNS, each): note for each in open_ones}
    if "margin" in told:
        notes["defences", "margin"] = "Keep it secret."
    order = (*table.qi, *table.sensitive, *others)
    return recipe_text(told, order, folder, head, notes)


# What other commands than solve take of a file, beside what is told of columns: what
# searches, until when, and what is written is their own.
TAKEN = "table", "requirement", "objective"
NOTHING: Mapping[str, Collection[str]] = MappingProxyType({})


def by_recipe(
    *sections: str, beside: Mapping[str, Collection[str]] = NOTHING
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Let a command with a parameter ``recipe`` be told of the others by that file.

    Options of the command line go before the file. ``sections`` are what the command
    takes of it beside what is told of columns; none: all. ``beside`` has by option
    those that a file is asked for only where that one is given.

    >>> @by_recipe()
    ... def seeded(recipe: Path | None = None, seed: int = 0) -> int:
    ...     return seed
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.toml")
    ...     _ = path.write_text("run.seed = 3")
    ...     seeded(recipe=path), seeded(recipe=path, seed=7)
    (3, 7)
    """

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        declared = inspect.signature(command)
        usual = {name: each.default for name, each in declared.parameters.items()}
        marks = {n: get_args(p.annotation) for n, p in declared.parameters.items()}
        lists = {n for n in marks if any(isinstance(m, Listed) for m in marks[n])}

        @functools.wraps(command)
        def told(
            *arguments: Any, context: typer.Context | None = None, **given: Any
        ) -> int:
            path = given.get("recipe")
            if path is None:
                return command(*arguments, **given)
            idle = [o for option, o in beside.items() if given.get(option) is None]
            recipe = _taking(Recipe.read(path), sections, {*chain(*idle)})
            _expect_taken(recipe, usual, sections, command.__name__)
            stated = _stated(given, usual, context)
            # What is stated although it is the default overrules the file, too.
            same = {k: stated[k] for k in stated if k in keys()}
            same = {k: v for k, v in same.items() if v == usual.get(k)}
            merged = overruled(recipe.told, apart(stated)) | same
            options = {k: v for k, v in joined(merged).items() if k in usual}
            options |= {k: str(options[k]) for k in lists & options.keys()}
            if "table" in given:
                options = filled(options, given["table"])
            with_file = {
                name: value for name, value in given.items() if name not in keys()
            }
            try:
                return command(*arguments, **{**with_file, **stated, **options})
            except TableError as error:
                raise _by_its_key(error, recipe, stated) from None

        kind: Any = inspect.Parameter.KEYWORD_ONLY
        of = {"default": None, "annotation": typer.Context}
        context = inspect.Parameter("context", kind, **of)
        parameters = [*declared.parameters.values(), context]
        vars(told)["__signature__"] = declared.replace(parameters=parameters)
        told.__annotations__ = {**command.__annotations__, "context": typer.Context}
        return told

    return decorate


def expect_named(table: Table, recipe: Path, others: tuple[str, ...]) -> None:
    """Raise TableError for a column that a settings file with quasi-identifiers lacks.

    Nobody has decided what is to be done with it. The table has what the file says of
    its columns; ``others`` are columns that are named by other options.
    """
    named = (*table.qi, *table.sensitive, *others)
    expect_columns(table.name, table.names, recipe, named)


def expect_columns(
    name: str, columns: Iterable[str], recipe: Path, others: Iterable[str]
) -> None:
    """Raise TableError likewise, for the columns of a table of some name."""
    read = Recipe.read(recipe)
    if "qi" not in read.told:
        return
    named = {*read.columns, *others}
    for column in columns:
        if column not in named:
            raise TableError(
                f"{name}: column {column!r} is not in {recipe}; add it to "
                f'[{COLUMNS}] with a role, as role = "identifier" where it is not to '
                "be published"
            )


def _taking(recipe: Recipe, sections: tuple[str, ...], idle: set[str]) -> Recipe:
    told = {
        name: value
        for name, value in recipe.told.items()
        if name not in idle
        and (not sections or keys()[name].by or keys()[name].section in sections)
    }
    return replace(recipe, told=told)


def _expect_taken(
    recipe: Recipe, usual: Collection[str], sections: Collection[str], command: str
) -> None:
    """Raise TableError where a file requires what a command knows nothing of."""
    for name in recipe.told if "requirement" in sections else ():
        if keys()[name].section == "requirement" and name not in usual:
            why = f"`starmin {command}` does not take it; leave it out of a copy"
            recipe.refuse(*recipe.place_of(name), why=why)


def _stated(
    given: Mapping[str, Any], usual: Mapping[str, Any], context: typer.Context | None
) -> dict[str, Any]:
    """Return the options that the command line states, or whoever calls."""
    if context is None:
        return {k: v for k, v in given.items() if v != usual.get(k)}
    named = {
        name
        for name in given
        if (source := context.get_parameter_source(name)) is not None
        and source.name in ("COMMANDLINE", "ENVIRONMENT")
    }
    return {name: value for name, value in given.items() if name in named}


def _by_its_key(
    error: TableError, recipe: Recipe, stated: Mapping[str, Any]
) -> TableError:
    """Return an error that names an option by the key of the file that told it."""
    said = str(error)
    for name in recipe.told:
        flag = f"--{keys()[name].word}"
        if name not in stated and said.startswith((f"{flag}: ", f"{flag} ")):
            why = said.removeprefix(flag).lstrip(": ")
            try:
                recipe.refuse(*recipe.place_of(name, said), why=why)
            except TableError as found:
                return found
    absent, _, _ = said.partition("; its columns: ")
    if ": no column" in absent and any(f"{c!r}" in absent for c in recipe.columns):
        return TableError(f"{said}: {recipe.path} names what is asked for")
    for name in ("hierarchy", "numeric"):
        for column in recipe.told.get(name, ()):
            if column and name not in stated and f"column {column!r}" in said:
                at = recipe.place_of(name, said)
                line, rule = line_of(recipe.text, *at), recipe.told[name]
                told = rule[column] if isinstance(rule, dict) else "numbers or times"
                what = "" if told in said else f": {at[-1]} = {told}"
                return TableError(f"{said} ({recipe.path}, line {line}{what})")
    return error
