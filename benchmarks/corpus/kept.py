"""What keeps the rows of a benchmark, beside the pages that show them."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "docs" / "site"))
from kept_rows import merge_rows, read_rows, write_rows

__all__ = ["markdown", "merge_rows", "read_rows", "remake", "write_rows"]
DOCS = Path(__file__).parents[2] / "docs"


def markdown(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the lines of a table."""
    head = [*rows[0]]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return lines + [f"| {' | '.join(row.values())} |" for row in rows]


def remake(folder: Path, *scripts: tuple[str, ...]) -> None:
    """Call scripts of the site that show rows, if they are kept where it reads."""
    if folder.resolve() == DOCS / "data":
        for script, *words in scripts:
            subprocess.run([sys.executable, DOCS / "site" / script, *words], check=True)
