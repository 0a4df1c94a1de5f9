"""Pages of one file: no network, no script but our own, everything escaped."""

import base64
import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starmin.instances import check_writable
from starmin.instances.errors import expect_extra
from starmin.instances.tables.names import counted, some_of

if TYPE_CHECKING:
    from jinja2 import Environment

NONE = "\N{EN DASH}"


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: str  # what is shown
    key: float | None = None  # the number it is sorted by; None: none, last
    share: float | None = None  # from 0 to 1: a bar below the text; None: no bar
    tone: str = ""  # ``good``, ``bad`` or nothing


@dataclass(frozen=True)
class DataTable:
    """A table, with what makes it handy."""

    name: str  # unique in its page
    caption: str  # what it lists
    # by column: its header, and whether it is of numbers
    columns: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[Cell]]  # the first cell of each is its header
    filtered: bool = False  # whether it has a field that filters its rows
    sortable: bool = True  # whether a click on a header sorts them

    @classmethod
    def of(
        cls,
        name: str,
        caption: str,
        headers: str,
        rows: Iterable[Iterable[Any]],
        filtered: bool = False,
        sortable: bool = True,
    ) -> "DataTable":
        """Make a table of plain values, each of which becomes a cell by its column.

        Headers begin with ``#`` for numbers, ``#2`` with so many digits of a fraction,
        ``%`` for shares and ``%=`` for shares with a bar; cells may be there already.

        >>> table = DataTable.of("t", "A table", "Name|#Rows|%Lost", [("a", 1234, 0.5)])
        >>> table.columns[1], [cell.text for cell in table.rows[0]]
        (('Rows', True), ['a', '1,234', '50 %'])
        """
        marked: list[tuple[str, str]] = re.findall(r"(#\d?|%=?|)([^|]+)", headers)
        marks = [mark for mark, _ in marked]
        cells = [[*map(_cell, row, marks)] for row in rows]
        columns = [(header, bool(mark)) for mark, header in marked]
        return cls(name, caption, columns, cells, filtered, sortable)


def _cell(value: Any, mark: str) -> Cell:
    if isinstance(value, Cell):
        return value
    if mark[:1] == "%":
        return share(value, bar=mark == "%=")
    if mark:
        return number(value, int(mark[1:] or 4))
    return Cell(NONE if value is None else value)


def number(value: float | None, digits: int = 4) -> Cell:
    """Write a whole number, or one that has a fraction.

    >>> number(12345).text, number(0.51234).text, number(None).text == NONE
    ('12,345', '0.5123', True)
    """
    if value is None:
        return Cell(NONE)
    whole = isinstance(value, int)
    return Cell(f"{value:,}" if whole else f"{value:,.{digits}f}", float(value))


def share(value: float | None, bar: bool = False) -> Cell:
    """Write a share of 1 in percent, with a bar if that is wanted.

    >>> share(0.1234).text, share(0.00001).text, share(0.0).text, share(3.0).text
    ('12.34 %', '< 0.01 %', '0 %', '> 100 %')
    """
    if value is None:
        return Cell(NONE)
    text = in_percent(value) if value <= 1 else "> 100 %"
    return Cell(text, value, value if bar else None)


def in_percent(value: float) -> str:
    """Write a share of 1 in percent."""
    if 0 < value < 0.0001:
        return "< 0.01 %"
    return f"{value:.2%}".replace(".00%", "%").replace("%", " %")


def at_most(share: float) -> str:
    """Write a probability in percent, rounded up."""
    return f"{math.ceil(1000 * share - 1e-6) / 10:g} %"


def title_of(source: str) -> str:
    """Name a table in a title: without the folder that its file is in.

    >>> title_of("/home/ada/people.csv"), title_of("instance:hospital")
    ('people.csv', 'instance:hospital')
    """
    return source if source.startswith("instance:") else Path(source).name


def expect_page(path: Path | None) -> None:
    """Raise TableError where a page that is asked for cannot be made, or written."""
    if path is not None:
        expect_extra("report", "--report")
        check_writable(path)


def render(template: str, **context: Any) -> str:
    """Render a page from one of the templates, by default with our version."""
    from markupsafe import Markup  # comes with jinja2

    script = _read("table.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        environment("starmin.report")
        .get_template(template)
        .render(
            css=Markup(_read("style.css")),
            script=Markup(script),
            script_hash=f"sha256-{digest}",
            **{"version": version("starmin"), **context},
        )
    )


@cache
def environment(package: str) -> "Environment":
    """Return what renders the templates of a package."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader(package, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"whole": "{:,}".format, "percent": lambda part: share(part).text}
    made.filters |= {"some": some_of, "counted": counted, "at_most": at_most}
    return made


def _read(name: str) -> str:
    return files("starmin.report").joinpath("templates", name).read_text("utf-8")
