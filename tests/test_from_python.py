"""Tests that the page on data frames and the notebook run from top to bottom."""

import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
BLOCKS = re.findall(
    r"^```python\n(.*?)^```$", (DOCS / "from_python.md").read_text(), re.M | re.S
)
SAID = [
    "Anonymization(10 rows, l = 2: 6 stars, optimal)\nTrue True\n",
    "True\n",
    "{'age': ['[31-34]', '[31-34]', '[62-67]', '[62-67]'], "
    "'zip': ['10*', '10*', '50*', '50*']}\n",
    None,
    "(10, 4) optimal\n",
]


@pytest.mark.parametrize("place", range(len(SAID)))
def test_the_lines_of_the_page_run(place, capsys):
    assert len(BLOCKS) == len(SAID)
    exec(compile(BLOCKS[place], "from_python.md", "exec"), {})
    said = capsys.readouterr().out
    if SAID[place] is not None:
        assert said == SAID[place]
    else:
        rows = [list(map(int, line.split())) for line in said.splitlines()]
        assert [row[0] for row in rows] == [2, 3, 4]
        assert all(0 < bound <= value for _, value, bound in rows)


def test_the_notebook_runs_from_top_to_bottom():
    notebook = json.loads((DOCS / "notebooks" / "first_release.ipynb").read_text())
    names: dict[str, object] = {}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        source = "".join(cell["source"])
        exec(compile(source, f"cell {number}", "exec"), names)
    assert names["release"].plot().axes and "frame" in names["release"]._repr_html_()
