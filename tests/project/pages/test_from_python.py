"""Tests that the pages on data frames run from top to bottom."""

import re

import pytest

from tests.support.places import HOME

DOCS = HOME / "docs"
PAGES = [
    (DOCS / name).read_text() for name in ("how_to/frames.md", "how_to/from_arx.md")
]
BLOCKS = re.findall(r"^```python\n(.*?)^```$", "".join(PAGES), re.M | re.S)
CURVE = (
    r"Frontier\(k = 2: (\d+) \(bound \1\); k = 3: (\d+) \(bound \2\); "
    r"k = 4: (\d+) \(bound \3\)\)\n"
)
SAID = [
    "Anonymization(10 rows, l = 2 by age, gender and education: 6 stars, optimal)\n"
    "True True\n",
    "Question: publish 10 rows with stars, as few stars as possible. Of the people who "
    "look alike, at most one in two have the same disease.\n6 6 True\n"
    "2 Frontier(k = 2, l = 2: 6 (bound 6); k = 3, l = 2: 15 (bound 15))\n",
    "2024-03-01..2024-03-31\nTrue\n",
    "True\n",
    "{'age': ['[31-34]', '[31-34]', '[62-67]', '[62-67]'], "
    "'zip': ['10*', '10*', '50*', '50*']}\n",
    CURVE,
]


@pytest.mark.parametrize("place", range(len(SAID)))
def test_the_lines_of_the_page_run(place, capsys):
    assert len(BLOCKS) == len(SAID)
    exec(compile(BLOCKS[place], "how_to/frames.md", "exec"), {})
    said = capsys.readouterr().out
    if SAID[place] == CURVE:
        assert re.fullmatch(CURVE, said)
    else:
        assert said == SAID[place]


def test_the_lines_of_the_three_tasks_are_counted_by_one_rule():
    part = PAGES[1].partition("## Three tasks")[2]
    table = [line for line in part.splitlines() if re.search(r"\| \d", line)]
    stated = [int(n) for line in table for n in re.findall(r"\| (\d+)", line)]
    blocks = re.findall(r"^```(python|py|java)\n(.*?)^```$", part, re.M | re.S)
    counted = [
        sum(bool(line) and not line.startswith(("import", "from")) for line in lines)
        for lines in (block.splitlines() for _, block in blocks)
    ]
    assert [kind for kind, _ in blocks] == ["python", "py", "java"] * 3
    assert stated == counted
