"""Tests that files of hierarchies are read, whoever wrote them."""

import gzip
from pathlib import Path

import pandas as pd
import pytest

from starmin.instances import TableError, Taxonomy

ABC = {"A": ("low", "*"), "B": ("low", "*"), "C": ("high", "*")}
AGES = {
    "15": ("[15, 20[", "[10, 20[", "*"),
    "19": ("[15, 20[", "[10, 20[", "*"),
    "21": ("[20, 25[", "[20, 30[", "*"),
}


def read(tmp_path: Path, content: str | bytes, name: str = "h.csv") -> Taxonomy:
    """Read a file with this content."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Taxonomy.read(path)


@pytest.mark.parametrize(
    "content",
    [
        # separators
        "A;low;*\nB;low;*\nC;high;*\n",
        "A,low,*\nB,low,*\nC,high,*\n",
        "A\tlow\t*\r\nB\tlow\t*\r\nC\thigh\t*\r\n",
        "A|low|*\nB|low|*\nC|high|*",
        "sep=:\nA:low:*\nB:low:*\nC:high:*\n",
        # quotes and blanks
        '"A";"low";"*"\n"B";"low";"*"\n"C";"high";"*"\n',
        '"A", "low", "*"\n"B", "low", "*"\n"C", "high", "*"\n',
        "A; low; *\nB; low; *\nC; high; *\n",
        "A ; low ; *\nB ; low ; *\nC ; high ; *\n",
        '\ufeff"A";low;*\nB;"low";*\nC;high;"*"\n',
        # separators at the end, blank lines
        "A;low;*;\nB;low;*;\nC;high;*;\n",
        "A;low;*;;;\nB;low;*\nC;high;*;\n",
        "A,low,*,\r\nB,low,*,\r\nC,high,*,\r\n",
        "\n\nA;low;*\n\nB;low;*\n\nC;high;*\n\n",
        "A;low;*\n;;\nB;low;*\nC;high;*\n;;;\n",
        "A;low;*\n  \nB;low;*\nC;high;*\n \n",
        # the same again
        "A;low;*\nB;low;*\nC;high;*\nA;low;*\n",
        "A;low;*\nA;low;*\nB;low;*\nB;low;*;\nC;high;*\nC;high;*\n",
        'A;low;*\n"A";"low";"*"\nB;low;*\nC;high;*\n',
        "A;low;*\nB;low;*\nA;low\nC;high;*\n",
        "A;low;*\nB;low;*\nC;high;*\nC;high;high;*\n",
        # a header
        "grade;level1;level2\nA;low;*\nB;low;*\nC;high;*\n",
        "value,group,all\nA,low,*\nB,low,*\nC,high,*\n",
        "Grade;Band;Any\nA;low;*\nB;low;*\nC;high;*\n",
        "0,1,2\nA,low,*\nB,low,*\nC,high,*\n",
        "grade_lvl0;grade_lvl1\nA;low;*\nB;low;*\nC;high;*\n",
        ";Level-1;Level-2\nA;low;*\nB;low;*\nC;high;*\n",
        ",value,level1,level2\n0,A,low,*\n1,B,low,*\n2,C,high,*\n",
        '"value";"level1";"level2"\n"1";"A";"low";"*"\n"2";"B";"low";"*"\n"3";"C";"high";"*"\n',
        # uneven depth
        "A;low;*\nB;low;low;*\nC;high;*;*\n",
        "A;low;*\nB;low\nC;high;*\n",
        "A;low\nB;low;;*\nC;high;*\n",
        "A;low;;*\nB;low;*;*\nC;;high;*\n",
        "A;low;*\nB;low;\nC;C;high;*\n",
        # the root first
        "*;low;A\n*;low;B\n*;high;C\n",
        "*,low,,A\n*,low,B\n*,high,C,\n",
        "root;group;value\n*;low;A\n*;low;B\n*;high;C\n",
        # no root
        "A;low\nB;low\nC;high\n",
        "A;low;\nB;low;\nC;high;*\n",
    ],
)
def test_the_same_tree_is_read(tmp_path, content):
    assert read(tmp_path, content).ancestors == ABC


def test_files_in_other_encodings_are_read(tmp_path):
    """As Excel writes them, and packed."""
    text = "Köln;Städte;*\r\nBärlin;Städte;*\r\nUelzen;Land;*\r\n"
    expected = read(tmp_path, text).ancestors
    assert expected["Köln"] == ("Städte", "*")
    for encoding in ("utf-8-sig", "utf-16", "cp1252", "latin-1"):
        assert read(tmp_path, text.encode(encoding)).ancestors == expected
    packed = gzip.compress(text.encode())
    assert read(tmp_path, packed, "h.csv.gz").ancestors == expected


@pytest.mark.parametrize("sep", [";", ",", "\t", ", ", "|"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_ranges_are_nodes(tmp_path, sep, quote):
    """Also where commas in them are like those between cells."""
    for tree in (
        AGES,
        {"5": ("(4.9, 9.0]", "*"), "12": ("(9.0, 19.9]", "*"), "30": (">=20", "*")},
        {"17": ("<18", "-64", "*"), "40": ("18-64", "-64", "*"), "70": ("65+", "*")},
        {"-3": ("]-5, 0]", "*"), "2": ("]0, 5]", "*"), "99": (">=5", "*")},
        {"1": ("0-4", "0-9", "*"), "7": ("5-9", "0-9", "*"), "12": ("10+", "*")},
        {"8": ("[0,10)", "*"), "18": ("[10,20)", "*"), "90": ("[20,inf]", "*")},
    ):
        rows = [[leaf, *above] for leaf, above in tree.items()]
        lines = [sep.join(f"{quote}{cell}{quote}" for cell in row) for row in rows]
        content = "\n".join(lines)
        if sep == ", " and not quote:
            assert "[15, 20[, [10" in content or tree != AGES
        assert read(tmp_path, content).ancestors == tree


def test_what_was_guessed_is_said(tmp_path):
    tree = read(tmp_path, "grade;band;any\nA;low;*\nB;low;*\nC;high;*\n")
    header = "taken for a header and left out: 'grade', 'band', 'any'"
    assert [header in line for line in tree.told] == [True]
    tree = read(tmp_path, "A;low\nB;high\nC;high\n")
    assert tree.told[0].endswith("2 nodes have none above them; '*' is the root")
    assert "read from their end" in read(tmp_path, "*;A\n*;B\n").told[0]
    assert read(tmp_path, "A;low;*;\n\nB;low\nA;low;*\n").told == ()


def test_no_value_is_taken_for_a_header(tmp_path):
    """Where a first line shares a node with others, or ends in their root."""
    for content, first in [
        ("A;low;*\nB;low;*\n", "A"),
        ("level;low;*\nnode;low;*\n", "level"),
        ("1;2;*\n3;4;*\n", "1"),
        ("A;B;C\nD;B;C\n", "A"),
        ("A;x\nB;y\n", "A"),
        (";unknown;*\nA;low;*\n", ""),
    ]:
        assert read(tmp_path, content).leaves[0] == first


def test_lines_are_numbered_as_in_the_file(tmp_path):
    content = "value;level1\n\nA;x;*\n\nB;y;*\nC;x;y;*\n"
    with pytest.raises(TableError, match=r"h.csv: line 6: node 'x' is below"):
        read(tmp_path, content)


def test_files_of_pandas_are_read(tmp_path):
    """With and without an index, with names and without."""
    frame = pd.DataFrame([[leaf, *above] for leaf, above in ABC.items()])
    named = frame.set_axis(["grade", "level 1", "level 2"], axis=1)
    for each, options in (
        (frame, {"index": False, "header": False}),
        (frame, {"index": False}),
        (named, {"index": False}),
        (named, {"sep": ";"}),
        (named.set_index("grade"), {"sep": "\t"}),
        (frame, {"quoting": 1, "index": False, "header": False}),
    ):
        assert read(tmp_path, each.to_csv(None, **options)).ancestors == ABC
