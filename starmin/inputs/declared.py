"""Options: how each is declared, what a settings file says of it, and its words."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from starmin.instances.arguments import Option
from starmin.instances.errors import TableError

# Options as words of a command line.

# Of parameters named otherwise.
_FLAGS = {"as_json": "--json", "steps": "--round", "sep": "--separator"}


def option_words(name: str, value: Any) -> list[str]:
    """Return the option of the parameter ``name``, with its value, as words.

    The value is True for a flag; a list or tuple repeats the option.

    >>> option_words("max_level", "age=2"), option_words("sets", ["a=;", "b=|"])
    (['--max-level', 'age=2'], ['--sets', 'a=;', '--sets', 'b=|'])
    >>> option_words("star", "-")
    ['--star=-']
    """
    flag = _FLAGS.get(name) or "--" + name.replace("_", "-")
    if value is True:
        return [flag]
    if isinstance(value, list | tuple):
        return [word for each in value for word in (flag, str(each))]
    text = str(value)
    if text.startswith("-") and not isinstance(value, Path):
        return [f"{flag}={text}"]
    return [flag, text]


@dataclass(frozen=True)
class ByColumn:
    """A mark of an option: what it says of a column is a key of the column.

    >>> ByColumn("role", ("identifier",)).listed, ByColumn("round").listed
    (True, False)
    """

    key: str  # of the column
    # the values of the key that name the column in the option, which is a list of
    # columns; the first one is written. None: the option has a value by column.
    words: tuple[str | bool, ...] | None = None
    type: Any = str  # of such a value
    kind: str | None = None  # the kind of columns that it is for; None: any
    # reads such a value, and raises TableError for one that is wrong
    check: Callable[[str], object] = str
    is_file: bool = False  # whether it may name a file
    single: bool = False  # whether the option names one column

    @property
    def listed(self) -> bool:
        """Whether the option is a list of columns."""
        return self.words is not None


@dataclass(frozen=True)
class Joined:
    """A mark of an option: given several times it is one text, with this between."""

    between: str = ","


class Listed(Joined):
    """A mark of an option: it is a list of texts, joined by commas."""


def joined_by(marks: Iterable[object]) -> str | None:
    """Return what joins the texts of an option of these marks; None: it has one.

    >>> joined_by([ByColumn("round")]), joined_by([ByColumn("role", single=True)])
    (',', None)
    """
    for mark in marks:
        if isinstance(mark, Joined):
            return mark.between
        if isinstance(mark, ByColumn) and not mark.single:
            return ","
    return None


class FileName:
    """A mark of an option: its value may name a file."""


class Passing:
    """A mark of an option: it is of one call alone, and in no settings file."""


def pairs_of(
    given: Iterable[str],
    option: str,
    form: str = "COLUMN=VALUE",
    parted: Callable[[str], tuple[str, str]] | None = None,
) -> dict[str, str]:
    """Return the values of an option by column, each of which is named once.

    ``given`` are texts ``COLUMN=VALUE``; errors name the ``option`` and the ``form``
    that is expected. ``parted`` parts a text where values may have signs of equality;
    by default it is parted at the last.

    >>> pairs_of(["a=5", "b=c=7"], "--round")
    {'a': '5', 'b=c': '7'}
    """
    found = dict[str, str]()
    for text in given:
        column, value = text.rpartition("=")[::2] if parted is None else parted(text)
        if not column or not value:
            raise TableError(f"{option}: expected {form}, got {text!r}")
        if column in found:
            raise TableError(f"{option}: column {column!r} is named twice")
        found[column] = value
    return found


def column_and_form(given: str) -> tuple[str, str]:
    """Part COLUMN=FORM; both may have further signs of equality.

    >>> column_and_form("a=b=%d=%m=%Y")
    ('a=b', '%d=%m=%Y')
    """
    before, sign, form = given.partition("%")
    column, _, more = before.rpartition("=")
    return column.strip(), f"{more}{sign}{form}".strip()


@contextmanager
def usage() -> Iterator[None]:
    """Turn a refused parameter into a refusal of the command."""
    try:
        yield
    except TableError:
        raise
    except ValueError as error:
        raise TableError(str(error)) from None


# Options as they are declared.

Group = TypeVar("Group")


def option(notation: str, said: str, panel: str | None = None, **more: Any) -> Any:
    """Return what typer is told of an option, which stands under ``panel`` in the help.

    ``notation`` is what the help shows: flags, if the name of the parameter is not the
    option's, and what stands for its value; ``more`` are arguments of ``typer.Option``.

    >>> option("--time-limit SECONDS", "Of each run.", "Run", min=0).metavar
    'SECONDS'
    """
    words = notation.split()
    flags = [word for word in words if word.startswith("--")]
    shown = " ".join(words[len(flags) :]) or None
    make: Any = typer.Option
    return make(*flags, metavar=shown, help=said, rich_help_panel=panel, **more)


of_table = partial(option, panel="Table")
of_objective = partial(option, panel="Objective")
of_run = partial(option, panel="Run")
of_output = partial(option, panel="Output")
of_attacker = partial(option, panel="Attacker")


def argument(metavar: str, said: str) -> Any:
    """Return what typer is told of an argument, which has no default in the help."""
    return typer.Argument(metavar=metavar, help=said, show_default=False)


def with_options(
    options: Iterable[Option], panel: str
) -> Callable[[type[Group]], type[Group]]:
    """Make a class a group of options, one field for each of them.

    The help text has them under ``panel``.

    >>> size = Option("k", int, "At least K rows.")
    >>> @with_options([size], "Requirement")
    ... class Sizes:
    ...     pass
    >>> vars(Sizes(k=5)), vars(Sizes())
    ({'k': 5}, {'k': None})
    """

    def declare(group: type[Group]) -> type[Group]:
        group.__annotations__ = {o.name: _parameter(o, panel) for o in options}
        for option in options:
            setattr(group, option.name, option.default)
        return dataclass(frozen=True)(group)

    return declare


def _parameter(each: Option, panel: str) -> Any:
    """Return the annotation of a command's parameter."""
    told = option(f"{each.flag} {each.metavar or ''}", each.help, panel)
    kind = each.type if each.default is not None else each.type | None
    mark: object = FileName() if each.is_file else None
    if each.role is not None:
        mark = ByColumn("role", (each.role,), single=True)
    elif each.key is not None:
        listed = each.key_type is bool
        mark = ByColumn(each.key, (True,) if listed else None, each.key_type)
    elif each.several:
        mark = Listed()
    elif each.joined:
        mark = Joined(each.joined)
    return Annotated[kind, told] if mark is None else Annotated[kind, told, mark]


# Options against attackers who know how releases are made.

PAD = Option(
    "pad",
    bool,
    "Hide a little more where the stars themselves give values away, as in a pair of "
    "rows of which only the sex is starred: one is a woman's, one a man's.",
    False,
)
MARGIN = Option(
    "margin",
    int,
    "Solve l + N for a promise of l: who knows how releases are made learns less. Keep "
    "N secret.",
    0,
    metavar="N",
    needs="l",
)
DECOYS = Option(
    "decoys",
    float,
    "Experimental: hide cells of so large a share of the distinct rows that need no "
    "hiding, drawn in secret.",
    0.0,
    metavar="SHARE",
    needs="l",
)
DEFENCES = (PAD, MARGIN, DECOYS)


@with_options(DEFENCES, "Defences (after the search; none is proof against attacks)")
class DefenceOptions:
    """What is hidden beyond what the requirement asks for."""
