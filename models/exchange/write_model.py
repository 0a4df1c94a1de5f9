"""Write models as LP or MPS."""

import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import highspy

from starmin.instances import TableError, write_atomically
from starmin.models.exchange.named_model import NamedModel
from starmin.models.solvers.highs import load

_REMARKS = {".lp": "\\", ".mps": "*"}
ENDINGS = tuple(_REMARKS)
_SECTIONS = {b"bin": b"binary", b"gen": b"general", b"semi": b"semi"}
_BOUNDS = {b" UI": b" UP", b" LI": b" LO"}


def write_model(model: NamedModel, path: Path) -> None:
    """Write a model, its title and legend as remarks, as a whole or not at all.

    Parameters
    ----------
    model
        What is written.
    path
        A file ``.lp`` (of CPLEX, which nearly all solvers read) or ``.mps`` (free
        format).

    Raises
    ------
    TableError
        Another ending, or the file cannot be written.
    """
    if path.suffix not in _REMARKS:
        raise TableError(f"{path}: expected a file .lp or .mps")
    highs = load(model.program, integer=True)
    lp = highs.getLp()
    lp.col_names_, lp.row_names_ = list(model.columns), list(model.rows)
    lp.model_name_ = "starmin"
    highs.passModel(lp)
    mark = _REMARKS[path.suffix]
    remarks = [model.title, *model.legend]
    with tempfile.TemporaryDirectory() as folder, write_atomically(path) as file:
        draft = Path(folder, f"draft{path.suffix}")
        if highs.writeModel(str(draft)) == highspy.HighsStatus.kError:
            raise TableError(f"{path}: the model cannot be written so")
        for line in remarks:
            file.write(f"{mark} {_plain(line)}\n".encode())
        file.writelines(_in_common_words(draft.read_bytes().splitlines(keepends=True)))


def _in_common_words(lines: list[bytes]) -> Iterator[bytes]:
    """Yield what HiGHS writes with words that all solvers know.

    CBC takes a section ``bin`` or an empty one for a column, and pulp knows no bounds
    of whole numbers; between INTORG and INTEND all bounds are.
    """
    for line, after in pairwise([*lines, b"end"]):
        section, head = _SECTIONS.get(line.rstrip()), line[:3]
        if section is None:
            yield _BOUNDS.get(head, head) + line[3:]
        elif after.rstrip() != b"end" and after.rstrip() not in _SECTIONS:
            yield section + b"\n"


def _plain(line: str) -> str:
    """Return a line of ASCII: some solvers read no other, not even in a remark."""
    return " ".join(line.encode("ascii", "backslashreplace").decode().split())
