"""Read solutions that solvers write."""

import re
from collections.abc import Collection
from pathlib import Path

from starmin.instances import TableError

_QUOTED = re.compile(r'name="([^"]*)"[^>]*?\bvalue="([^"]*)"')


def read_solution(path: Path, columns: Collection[str]) -> dict[str, float]:
    """Return the value of each column that a solution names.

    It reads whatever has a name and, after it, a number in one line: the files of
    HiGHS, CBC, SCIP, Gurobi and GLPK, plain lines ``name value``; and the elements
    ``<variable name=".." value=".."/>`` of CPLEX. Columns that are not named are 0.

    Parameters
    ----------
    path
        The file.
    columns
        The names of the model.

    Raises
    ------
    TableError
        It cannot be read, names no column, or has something else than a number behind
        one.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp(), "x.sol")
    >>> _ = file.write_text("Optimal - objective value 4\\n  0 x_0  1  4\\n")
    >>> read_solution(file, ["x_0", "x_1"])
    {'x_0': 1.0}
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise TableError(f"{path}: cannot be read ({why})") from None
    known, values = set(columns), dict[str, float]()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if found := _QUOTED.search(line):
            words = list(found.groups())
        at = next((j for j, word in enumerate(words[:3]) if word in known), None)
        if at is None:
            continue
        try:
            values[words[at]] = float(words[at + 1])
        except (IndexError, ValueError):
            raise TableError(
                f"{path}: line {number}: expected a number behind {words[at]}"
            ) from None
    if not values:
        raise TableError(
            f"{path}: no line names a column of the model, such as {min(known)}: the "
            "solver found no solution, or that of another model"
        )
    return values
