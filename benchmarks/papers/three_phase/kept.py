"""What keeps the rows of a benchmark, beside the pages that show them."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "docs" / "site"))
from kept_rows import merge_rows, read_rows, write_rows

__all__ = ["merge_rows", "read_rows", "write_rows"]
