"""Write models as LP or MPS."""

import tempfile
from pathlib import Path

import highspy

from starmin.instances import TableError, write_atomically
from starmin.models.exchange.named_model import NamedModel
from starmin.models.solvers.highs import load

_REMARKS = {".lp": "\\", ".mps": "*"}
ENDINGS = tuple(_REMARKS)


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
        file.write(draft.read_bytes())


def _plain(line: str) -> str:
    """Return a line of ASCII: some solvers read no other, not even in a remark."""
    return " ".join(line.encode("ascii", "backslashreplace").decode().split())
