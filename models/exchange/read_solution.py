"""Read solutions that solvers write."""

import re
from collections.abc import Collection
from pathlib import Path

from starmin.instances import TableError
from starmin.instances.io.atomic import expect_file

_QUOTED = re.compile(r'name="([^"]*)"[^>]*?\bvalue="([^"]*)"')
_HEAD = re.compile(r"\s*Index\s.*\bPrimal\b")  # of tables of HiGHS, names last
_STATUS = ("*", "B", "NL", "NU", "NF", "NS")  # in tables of GLPK, before the value


def read_solution(path: Path, columns: Collection[str]) -> dict[str, float]:
    """Return the value of each column that a solution names.

    It reads whatever has a name and, after it, a number in one line: the files of
    HiGHS, CBC, SCIP, Gurobi and GLPK, plain lines ``name value``; the elements
    ``<variable name=".." value=".."/>`` of CPLEX; and tables of HiGHS in which values
    stand below ``Primal``. Columns that are not named are 0.

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
    expect_file(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise TableError(f"{path}: cannot be read ({why})") from None
    known, values = set(columns), dict[str, float]()
    end, waiting = 0, ""  # where values end in a table; a name that had a line alone
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if head := _HEAD.match(line):
            end = head.end()
            continue
        if found := _QUOTED.search(line):
            words = list(found.groups())
        if waiting:
            name, behind, waiting = waiting, words, ""
        else:
            among = words if end else words[:3]
            at = next((j for j, word in enumerate(among) if word in known), None)
            if at is None:
                continue
            name, behind = words[at], words[at + 1 :]
            if end and not behind:
                behind = re.findall(r"\S+$", line[:end])
            elif not behind and words[:at] and words[0].isdigit():
                waiting = name
                continue
        if behind and behind[0] in _STATUS:
            behind = behind[1:]
        try:
            values[name] = float(behind[0])
        except (IndexError, ValueError):
            raise TableError(
                f"{path}: line {number}: expected a number behind {name}"
            ) from None
    if not values:
        raise TableError(
            f"{path}: no line names a column of the model, such as {min(known)}: the "
            "solver found no solution, or that of another model"
        )
    return values
