"""Read a taxonomy as a table of levels."""

import csv
from pathlib import Path

from starmin.instances import TableError
from starmin.instances.io.atomic import expect_file


def read_ancestors(path: Path) -> dict[str, tuple[str, ...]]:
    """Read for each value the nodes above it, from a file of levels.

    One line a value, without a header: the value, its parent, .., the root, separated
    by semicolons (as ARX writes hierarchies). Raises TableError for no such file, or a
    line without a value and at least one node above it.
    """
    above: dict[str, tuple[str, ...]] = {}
    expect_file(path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            for number, cells in enumerate(csv.reader(file, delimiter=";"), start=1):
                if not cells:
                    continue
                if len(cells) < 2:
                    raise TableError(
                        f"{path}: line {number}: expected a value and the nodes above "
                        "it, separated by semicolons"
                    )
                if cells[0] in above:
                    raise TableError(f"{path}: line {number}: {cells[0]!r} again")
                above[cells[0]] = tuple(cells[1:])
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"{path}: not a table of levels: {error}") from None
    return above
