"""A settings file as it is read: what is asked, checked key by key."""

import datetime
import os
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from starmin.instances import TableError
from starmin.instances.arguments import nearest
from starmin.instances.io.atomic import read_whole
from starmin.instances.scales.missing import MISSING
from starmin.recipes.told import (
    SEVERAL,
    Key,
    Told,
    column_keys,
    keys,
    names_file,
    overruled,
    section_keys,
)

# Where in a settings file something stands, for whoever mends it.


def line_of(text: str, *path: str) -> int | None:
    r"""Return the number of the line in which a key stands; None: it is not found.

    ``text`` is a TOML file; ``path`` is the key, after those of the tables that it is
    in.

    >>> text = '[run]\nseed = 3\n[columns]\n"a b" = {role = "sensitive"}'
    >>> line_of(text, "run", "seed"), line_of(text, "columns", "a b", "role")
    (2, 4)
    """
    best, depth, above = None, 0, list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[\[?(.+?)\]\]?\s*(#.*)?$", line):
            above = _names(header[1])
            found = above
        elif named := re.match(r"\s*((?:\"[^\"]*\"|'[^']*'|[^=\"'#])+?)\s*=", line):
            found = above + _names(named[1])
        else:
            continue
        if found == list(path[: len(found)]) and len(found) > depth:
            best, depth = number, len(found)
    return best


def _names(text: str) -> list[str]:
    """Return the parts of a dotted key."""
    try:
        inner = tomllib.loads(f"{text} = 0")
    except tomllib.TOMLDecodeError:
        return [text]
    names = list[str]()
    while isinstance(inner, dict) and inner:
        name = next(iter(inner))
        names.append(name)
        inner = inner[name]
    return names


COLUMNS = "columns"
_KINDS = {int: "a whole number", float: "a number", bool: "true or false"}


@dataclass(frozen=True)
class Recipe:
    """What a settings file tells."""

    path: Path
    told: Told  # by name of parameter; files are named as from the working folder
    columns: tuple[str, ...] = ()  # the columns that it names
    text: str = field(default="", repr=False)  # what stands in the file

    @classmethod
    def read(cls, path: Path) -> "Recipe":
        r"""Read a settings file.

        Raises TableError where it cannot be read, or something in it is wrong: one line
        with the file, the key and the mend.

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "a.toml")
        ...     _ = path.write_text('columns.age.role = "sensitive"\nrun.seed = 3')
        ...     recipe = Recipe.read(path)
        >>> recipe.told, recipe.columns
        ({'seed': 3, 'sensitive': ('age',)}, ('age',))
        """
        text = read_whole(path)
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise TableError(f"{path}: no TOML: {error}") from None
        return _Reader(cls(path, {}, text=text)).read(content)

    def refuse(self, *at: str, why: str) -> NoReturn:
        """Raise TableError that names the file and the line of a key."""
        line = line_of(self.text, *at) if at else None
        where = "" if line is None else f"line {line}: "
        named = f"[{at[0]}]" + "".join(f" {each}" for each in at[1:]) if at else ""
        raise TableError(f"{self.path}: {where}{named and f'{named}: '}{why}")

    def place_of(self, name: str, said: str = "") -> tuple[str, ...]:
        """Return the key that says what a parameter is.

        ``said`` names the column that is meant, perhaps.
        """
        key, value = keys()[name], self.told.get(name)
        if key.by is None:
            return key.section, key.word
        for column in value if isinstance(value, dict | tuple) else ():
            if column and (repr(column) in said or f" {column}=" in said):
                return COLUMNS, column, key.by.key
        return (COLUMNS,)


class _Reader:
    """Takes a file apart."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe, self.told = recipe, recipe.told

    def read(self, content: Mapping[str, Any]) -> Recipe:
        sections = section_keys()
        for name, value in content.items():
            if name == COLUMNS:
                continue
            if name not in sections:
                self._unknown((name,), "section", [*sections, COLUMNS])
            if not isinstance(value, dict):
                self._refuse((name,), f"expected a table [{name}], got {value!r}")
            for word, each in value.items():
                self._read_key(name, word, each)
        columns = content.get(COLUMNS, {})
        if not isinstance(columns, dict):
            self._refuse((COLUMNS,), f"expected a table [columns], got {columns!r}")
        for column, told in columns.items():
            self._read_column(column, told)
        return replace(self.recipe, columns=tuple(columns))

    def _read_key(self, section: str, word: str, value: Any) -> None:
        known, at = section_keys()[section], (section, word)
        if word not in known:
            self._unknown(at, "key", known)
        key = known[word]
        if key.listed or key.by is not None:
            texts = value if isinstance(value, list) else [value]
            read = [self._text(at, each) for each in texts]
            if key.by is not None:
                read = [self._from_here(key, each, False) for each in read]
                self.told.setdefault(key.name, {})[SEVERAL] = tuple(read)
            else:
                self.told[key.name] = tuple(read)
            return
        self.told[key.name] = self._value(at, key, value)

    def _value(self, at: tuple[str, ...], key: Key, value: Any) -> Any:
        """Return the value of an option, which is that of no column."""
        if key.words:
            if value not in key.words:
                words = ", ".join(key.words)
                close = nearest(value, key.words)
                self._refuse(at, f"expected one of {words}, got {value!r}{close}")
            return value
        if key.type is Path and not isinstance(value, str):
            self._refuse(at, f"expected the name of a file, got {value!r}")
        if key.type not in _KINDS:
            text = self._from_here(key, self._text(at, value))
            return Path(text) if key.type is Path else text
        number = self._typed(at, key.type, value)
        if key.least is not None and not number >= key.least:  # nor is NaN
            self._refuse(at, f"expected at least {key.least}, got {value!r}")
        if key.most is not None and number > key.most:
            self._refuse(at, f"expected at most {key.most}, got {value!r}")
        return number

    def _read_column(self, column: str, told: Any) -> None:
        at = (COLUMNS, column)
        if not column:
            self._refuse((COLUMNS,), "a column has no name")
        if not isinstance(told, dict):
            self._refuse(
                at,
                f'expected {{ role = "..", .. }}, got {told!r}; a name with a dot '
                "is quoted",
            )
        for word, value in told.items():
            if word not in column_keys():
                self._unknown((*at, word), "key", column_keys())
            self._read_column_key((*at, word), column_keys()[word], value, told)
        if (kind := told.get("kind")) in other_kinds():
            needed = [
                word
                for word, ways in column_keys().items()
                if any(key.by is not None and key.by.kind == kind for key in ways)
            ]
            if not {*needed} & {*told}:
                self._refuse((*at, "kind"), f"name the {' or '.join(needed)} as well")

    def _read_column_key(
        self,
        at: tuple[str, ...],
        named: tuple[Key, ...],
        value: Any,
        beside: Mapping[str, Any],
    ) -> None:
        _, column, word = at
        words = [each for key in named if key.by for each in key.by.words or ()]
        if word == "kind":
            words += other_kinds()
        if words:
            if words == [True]:
                self._typed(at, bool, value)
                words.append(False)
            if value not in words:
                told = [*map(str, words)]
                why = f"expected one of {', '.join(told)}, got {value!r}"
                self._refuse(at, f"{why}{nearest(value, told)}")
            for key in named:
                if key.by is not None and value in (key.by.words or ()):
                    self._name(at, key, column)
            return
        (key,) = named
        assert key.by is not None
        if key.by.kind is not None and beside.get("kind", key.by.kind) != key.by.kind:
            self._refuse(at, f"is for columns of kind = {key.by.kind!r}")
        if key.by.type is int:
            if self._typed(at, int, value) < 0:
                self._refuse(at, f"expected at least 0, got {value!r}")
            text = str(value)
        else:
            text = self._text(at, value)
            try:
                key.by.check(text)
            except TableError as error:
                self._refuse(at, str(error))
            text = self._from_here(key, text)
        self.told.setdefault(key.name, {})[column] = text

    def _name(self, at: tuple[str, ...], key: Key, column: str) -> None:
        """Name a column in an option."""
        if key.by_list:
            self.told[key.name] = (*self.told.get(key.name, ()), column)
        elif key.name in self.told:
            self._refuse(at, f"column {self.told[key.name]!r} has this role; one can")
        else:
            self.told[key.name] = column

    def _text(self, at: tuple[str, ...], value: Any) -> str:
        if isinstance(value, str):
            if not value or any(sign in value for sign in "\0\r\n"):
                self._refuse(at, f"expected a text on one line, got {value!r}")
            return value
        if isinstance(value, datetime.date | datetime.time):
            return value.isoformat()
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._refuse(at, f"expected a text, got {value!r}")
        return str(value)

    def _typed(self, at: tuple[str, ...], kind: Any, value: Any) -> Any:
        taken = (int, float) if kind is float else kind
        if not isinstance(value, taken) or isinstance(value, bool) is not (
            kind is bool
        ):
            self._refuse(at, f"expected {_KINDS[kind]}, got {value!r}")
        return float(value) if kind is float else value

    def _from_here(self, key: Key, text: str, of_column: bool = True) -> str:
        """Return the name of a file as from the working folder."""
        if not names_file(key, text, of_column):
            return text
        return os.path.normpath(self.recipe.path.parent / text)

    def _unknown(self, at: tuple[str, ...], what: str, known: Any) -> NoReturn:
        known = list(known)
        close = nearest(at[-1], known) or f"; there are {', '.join(known)}"
        self._refuse(at, f"no {what} {at[-1]!r}{close}")

    def _refuse(self, at: tuple[str, ...], why: str) -> NoReturn:
        self.recipe.refuse(*at, why=why)


def other_kinds() -> tuple[str, ...]:
    """Return the kinds that no option lists: keys of columns are for them."""
    known = [key.by for key in keys().values() if key.by is not None]
    listed = {word for by in known if by.key == "kind" for word in by.words or ()}
    named = dict.fromkeys(by.kind for by in known if by.kind is not None)
    return tuple(kind for kind in named if kind not in listed)


# A settings file as the keyword arguments of ``starmin.anonymize``.

_CALLED = {"steps": "round"}
_NAMES = {argument: name for name, argument in _CALLED.items()}


def keywords_of(
    recipe: Path | str, given: Mapping[str, Any], arguments: Collection[str]
) -> dict[str, Any]:
    r"""Return what a settings file tells, as arguments; what is given goes before it.

    What the arguments ``given``, by name, say of columns replaces what the file says of
    these columns. ``arguments`` are the names that there are. Files, the form of a
    table, and outputs are left out: a frame has none.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.toml")
    ...     _ = path.write_text(
    ...         'columns.age = {role = "quasi-identifier", round = 5}\n'
    ...         'columns.name.role = "identifier"\nrun.seed = 3'
    ...     )
    ...     keywords_of(path, {"drop": ["age"], "seed": 4}, ["qi", "drop", "seed"])
    {'seed': 4, 'drop': ('name', 'age')}
    """
    told = Recipe.read(Path(recipe)).told
    known = {name: value for name, value in told.items() if name not in ("initial",)}
    by = {_NAMES.get(name, name): _as_told(name, v) for name, v in given.items()}
    ours = {name: value for name, value in by.items() if name in keys()}
    merged = overruled(known, ours) | {n: v for n, v in by.items() if n not in keys()}
    found: dict[str, Any] = {}
    for name, value in merged.items():
        argument = _CALLED.get(name, name)
        if argument in arguments or name in by:
            in_file = name in known and name not in ours
            found[argument] = _as_argument(name, value, in_file)
    return found


def _as_told(name: str, value: Any) -> Any:
    """Return an argument in the form in which files are read."""
    key = keys().get(_NAMES.get(name, name))
    if key is None or key.by is None or isinstance(value, Mapping):
        return dict(value) if isinstance(value, Mapping) else value
    if key.by_list:
        return (value,) if isinstance(value, str) else tuple(value)
    return value


def _as_argument(name: str, value: Any, in_file: bool) -> Any:
    """Return what a file tells in the form of an argument."""
    if name == "missing" and in_file:
        return (*MISSING, *value)
    key = keys().get(name)
    if not isinstance(value, dict) or key is None or key.by is None:
        return value
    if several := value.get(SEVERAL):
        if len(value) > 1 or len(several) > 1:
            raise TableError(
                "hierarchies of single columns beside a folder of them are for the "
                "command line; name all by column"
            )
        return several[0]
    if key.by.type is int:
        return {column: int(each) for column, each in value.items()}
    return value
