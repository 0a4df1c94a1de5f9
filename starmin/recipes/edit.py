"""A settings file that is changed by forms: read, changed key by key, written."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starmin.instances import TableError
from starmin.instances.tables.names import join_names as join_names  # for the page
from starmin.process.steps import write_file
from starmin.recipes.recipe import COLUMNS, Recipe
from starmin.recipes.text import recipe_text
from starmin.recipes.told import (
    Key,
    Told,
    column_keys,
    names_in,
    role_of,
    section_keys,
    without,
)

# The roles of columns: what the page calls each, and the word of settings files.
ROLES = {
    "known to others": "quasi-identifier",
    "sensitive": "sensitive",
    "not published": "identifier",
    "published as it is": "unchanged",
    "person": "person",
    "household": "household",
    "weight": "weight",
}
_SHOWN = {word: said for said, word in ROLES.items()}
_QI = "quasi-identifier"
_HEAD = "Settings made in the browser by starmin page. For another table:\n{line}"


class EditError(TableError):
    """A change that cannot be made, in one sentence for who made it."""


class Settings:
    """A settings file; a change that it would not be read with is refused."""

    def __init__(self, path: Path, why: Mapping[str, str] | None = None) -> None:
        self.path = path
        self._why = why or {}
        try:
            recipe = Recipe.read(path)
        except TableError as error:
            raise EditError(str(error)) from None
        self.told: Told = dict(recipe.told)
        self.columns = recipe.columns

    def text(self) -> str:
        """Write the file."""
        notes: dict[tuple[str, ...], str] = {
            (COLUMNS, c): self._why[c] for c in self.columns if self._why.get(c)
        }
        head = _HEAD.format(line="starmin solve TABLE --recipe THIS_FILE")
        return recipe_text(self.told, self.columns, self.path.parent, head, notes)

    def save(self, path: Path | None = None) -> None:
        """Write the file, if it is right; raise EditError and leave it if not."""
        tried = self.path.with_name(".tried.toml")
        write_file(tried, self.text().encode())
        try:
            Recipe.read(tried)
        except TableError as error:
            raise EditError(str(error).removeprefix(f"{tried}: ")) from None
        tried.replace(path or self.path)

    # Columns.

    def role(self, column: str) -> str:
        """Return the role of a column, as the page calls it."""
        return _SHOWN[role_of(self.told, column) or "unchanged"]

    def set_roles(self, roles: Mapping[str, str]) -> None:
        """Give columns roles, as the page calls these."""
        for column, said in roles.items():
            if said not in ROLES:
                raise EditError(f"{said!r} is no role.")
            for key in column_keys()["role"]:
                self._tell(key.name, column, None)
            key = next(k for k in column_keys()["role"] if k.first_word == ROLES[said])
            there = names_in(self.told.get(key.name))
            if key.by is not None and key.by.single and there:
                raise EditError(
                    f"Only one column can be “{said}”: {there[0]} and {column} are."
                )
            self.told[key.name] = (*there, column) if key.by_list else column
            if ROLES[said] not in (_QI, "sensitive"):
                self.forget(column)
            if column not in self.columns:
                self.columns = (*self.columns, column)
        self._recode()

    def forget(self, column: str) -> None:
        """Say nothing more of how a column is broadened."""
        for ways in column_keys().values():
            for key in ways:
                if key.by is not None and key.by.key != "role":
                    self._tell(key.name, column, None)

    def ranged(self, column: str) -> bool:
        """Check whether ranges are published of a column."""
        return column in self.told.get("numeric", ())

    def set_ranged(self, column: str, ranged: bool, proposed: Told) -> None:
        """Publish ranges of a column, as they were proposed, or none."""
        if ranged == self.ranged(column):
            return
        if ranged:
            self.told["numeric"] = (*self.told.get("numeric", ()), column)
            for name in ("steps", "date_format"):
                self._tell(name, column, proposed.get(name, {}).get(column))
            self._tell("hierarchy", column, None)
        else:
            for name in ("numeric", "steps", "date_format", "width", "top", "bottom"):
                self._tell(name, column, None)
        self._recode()

    def of(self, name: str, column: str) -> str:
        """Return what is said of a column by a key with values, or nothing."""
        return str(self.told.get(name, {}).get(column, ""))

    def say(self, name: str, column: str, value: str) -> None:
        """Say something of a column by a key with values; nothing takes it back."""
        self._tell(name, column, value.strip() or None)
        self._recode()

    def _tell(self, name: str, column: str, value: str | None) -> None:
        there = without(self.told.get(name, {}), [column])
        if value is not None:
            there[column] = value
        if there:
            self.told[name] = there
        else:
            self.told.pop(name, None)

    def _recode(self) -> None:
        """Publish ranges and categories where columns have them, as `new` says it."""
        told = any(self.told.get(name) for name in ("numeric", "hierarchy"))
        if told:
            self.told.setdefault("recoding", "generalization")
        elif self.told.get("recoding") == "generalization":
            del self.told["recoding"]

    # Other keys: any option of the command line, by the section in which it stands.

    def shown(self, key: Key) -> str:
        """Return the value of a key as a form shows it."""
        value = self.told.get(key.name)
        if value is None:
            return ""
        if isinstance(value, tuple):
            return ", ".join(value)
        if isinstance(value, float) and value == int(value):
            return str(int(value))
        return str(value)

    def fill(self, fields: Mapping[str, str], *sections: str) -> None:
        """Take the values of a form: ``SECTION.KEY`` by name; an empty one is none."""
        for section in sections:
            for word, key in offered(section).items():
                name = f"{section}.{word}"
                if f"{name}.there" not in fields:
                    continue
                text = fields.get(name, "").strip()
                if not text or text == str(key.default):
                    self.told.pop(key.name, None)
                else:
                    self.told[key.name] = _value(key, text)


def proposed_by(path: Path) -> Told:
    """Return what `new` proposed, or nothing where that is not there."""
    try:
        return dict(Recipe.read(path).told)
    except TableError:
        return {}


def offered(section: str) -> dict[str, Key]:
    """Return the keys of a section that forms have: files are given by other ways."""
    found = section_keys()[section]
    return {
        word: key
        for word, key in found.items()
        if not key.is_file and not key.repeated and key.by is None
    }


def reading(told: Told) -> dict[str, Any]:
    """Return what is told of how the file of the table is read."""
    found: dict[str, Any] = {
        n: told[n] for n in ("sep", "encoding", "sheet") if n in told
    }
    if "missing" in told:
        found["missing"] = join_names(told["missing"])
    return found


def _value(key: Key, text: str) -> Any:
    if key.type is bool:
        return True
    if key.listed:
        return tuple(filter(None, (t.strip() for t in next(csv.reader([text])))))
    if key.type not in (int, float):
        return text
    try:
        return key.type(text.replace(",", "."))
    except ValueError:
        what = "a whole number" if key.type is int else "a number"
        raise EditError(f"{key.word}: expected {what}, got {text!r}.") from None
