"""What keeps the rows of a benchmark, beside the pages that show them.

Every folder of benchmarks has this file, so that its scripts run from anywhere.
"""

import sys
from pathlib import Path

sys.path.extend(str(each / "docs" / "site") for each in Path(__file__).parents[2:4])
from kept_rows import markdown, merge_rows, read_rows, remake, write_rows

__all__ = ["markdown", "merge_rows", "read_rows", "remake", "write_rows"]
