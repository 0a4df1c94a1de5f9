"""Tests of what stands above the rows of a file: what it is taken for, and said."""

import shlex
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

import starmin
from starmin.cli.app import main
from starmin.instances.streams.source import Source

ROWS = [("30", "m", "w"), ("30", "m", "w"), ("41", "f", "b"), ("42", "f", "b")]
CELLS = "30;m;w\n30;m;w\n41;f;b\n42;f;b\n"
TABLE = "age;sex;race\n" + CELLS
NAMES = ("age", "sex", "race")
UNNAMED = "the first column has no name and is called 'Unnamed: 0'"


def read(tmp_path: Path, content: str | bytes, name: str = "a.csv", **form):
    """Read a file with this content."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return starmin.read_file(path, **form)


@pytest.mark.parametrize(
    "content",
    [
        "sep=;\n" + TABLE,
        "SEP=;\r\n" + TABLE.replace("\n", "\r\n"),
        '"sep=;"\n' + TABLE,
        "sep=\t\n" + TABLE.replace(";", "\t"),
        b"\xef\xbb\xbfsep=;\n" + TABLE.encode(),
        ("\ufeffsep=;\r\n" + TABLE).encode("utf-16-le"),
        "sep=|\n" + TABLE.replace(";", "|"),
        "sep=:\n" + TABLE.replace(";", ":"),
        "sep=,\n" + TABLE.replace(";", ","),
        "sep=;\n\nExported from LimeSurvey\n" + TABLE,
    ],
)
def test_a_line_that_names_the_separator_is_obeyed(tmp_path, content):
    found = read(tmp_path, content).table
    assert (found.names, found.rows()) == (NAMES, ROWS)


@pytest.mark.parametrize(
    ("above", "sep"),
    [
        ("Exported from LimeSurvey\n", ";"),
        ("Exported from LimeSurvey\n", ","),
        ("Survey\nof 2024\n\n", ";"),
        ("\n\nSurvey 2024\n\n", "\t"),
        ('"A title\nof two lines"\n', ";"),
        ("Report; first quarter\n", ";"),
        ("Table 1: people\r\n", "|"),
        ("Title\n", ";"),
    ],
)
def test_titles_are_left_out_and_it_is_said(tmp_path, above, sep):
    found = read(tmp_path, above + TABLE.replace(";", sep))
    assert (found.table.names, found.table.rows()) == (NAMES, ROWS)
    (line,) = found.told
    assert "above the names left out" in line
    again = read(tmp_path, above + TABLE.replace(";", sep), sep=sep)
    assert again.table.rows() == ROWS


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            "name\nDoe,John\nSmith,Jane\nRoe,Ann\n",
            "line 1 has 1 cell, and the others 2",
        ),
        ("weight\n3,5\n3,50\n-0,25\n", "line 1 has 1 cell"),
        ("note\nhello, you\nfoo, bar\n", "line 1 has 1 cell"),
        ("Title\n1;2;3\n4;5;6\n7;8;9\n", "if they are separated by semicolons"),
        ("Title\na;a;b\n1;2;3\n4;5;6\n", "--separator"),
        ("\nTitle\na;;b\n1;2;3\n4;5;6\n", "line 2 has 1 cell"),
    ],
)
def test_what_may_be_a_title_or_a_column_is_refused(tmp_path, content, why):
    with pytest.raises(starmin.TableError, match=why):
        read(tmp_path, content)


@pytest.mark.parametrize(
    "content",
    [
        "note\na;b\nc|d\n",
        "note\nI came, saw\nand\nwon, too, often\n",
        "a;b\n",
        "age\n30\n41\n",
    ],
)
def test_a_column_of_text_is_one(tmp_path, content):
    try:
        assert read(tmp_path, content, sep="\t").table.d == 1
    except starmin.TableError as error:
        assert "no rows" in str(error)


def test_a_column_of_row_names_is_called_as_in_pandas(tmp_path, monkeypatch, capsys):
    frame = pd.DataFrame({"age": [30, 30, 41], "sex": list("mmf")}, list("pqr"))
    files = {
        "pandas.csv": frame.to_csv(),
        "r.csv": '"","age","sex"\n"1",30,"m"\n"2",30,"m"\n"3",41,"f"\n',
        "r.table.csv": '"age";"sex"\n"1";30;"m"\n"2";30;"m"\n"3";41;"f"\n',
        "short.csv": "age,sex\n1,30,m\n2,30,m\n3,41,f\n",
        "one.csv": "age\n1;30\n2;30\n3;41\n",
    }
    monkeypatch.chdir(tmp_path)
    frame.to_excel("a.xlsx")
    for name, content in files.items():
        found = read(tmp_path, content, name)
        assert found.table.names[:2] == ("Unnamed: 0", "age"), name
        assert found.table.cells("age") == ["30", "30", "41"]
        assert [UNNAMED in line for line in found.told] == [True]
    assert starmin.read_table("a.xlsx").names == ("Unnamed: 0", "age", "sex")
    line = "starmin solve r.csv --drop 'Unnamed: 0' --k 2 --out b.csv --quiet"
    monkeypatch.setattr("sys.argv", shlex.split(line))
    assert main() == 0
    assert UNNAMED in capsys.readouterr().err
    assert Path("b.csv").read_text().startswith("age,sex\n")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("a,,c\n1,2,3\n", "column 2 has an empty name"),
        (",,c\n1,2,3\n", "column 2 has an empty name"),
        ("a,b,\n1,2,3\n", "column 3 has an empty name"),
        ("a,b,\n1,2,\n1,2\n", "line 3: expected 3 cells, got 2"),
        ("a,b,a\n1,2,3\n", "two columns are named 'a'"),
        ("a,b\n1,2,3\n1,2,3\n", "line 2: expected 2 cells, got 3"),
        ("a,b\n1,2,3\n2,2,3\n3,2\n", "line 2: expected 2 cells, got 3"),
        (",Unnamed: 0\n1,2\n", "column 1 has an empty name"),
        ('""\n1\n2\n', "column 1 has an empty name"),
    ],
)
def test_other_names_are_refused_in_a_line(tmp_path, content, why):
    with pytest.raises(starmin.TableError, match=why):
        read(tmp_path, content)


ENDED = [
    "age;sex\n30;m;\n30;m;\n41;f;\n",
    "age;sex;\n30;m;\n30;m;\n41;f;\n",
    "sep=;\nage;sex\n30;m;\n30;m;\n41;f;\n",
    "From us\n\nage;sex;\n30;m;\n30;m;\n41;f;\n",
    'age;sex;\r\n30;m;\r\n30;m;""\r\n41;f;\r\n',
    "age;sex;\n30;m;\n\n30;m;\n\n41;f;\n\n",
]


@pytest.mark.parametrize("sep", [";", ",", "\t", "|"])
@pytest.mark.parametrize("content", ENDED)
def test_a_separator_at_the_end_of_all_rows_is_left_out(tmp_path, sep, content):
    found = read(tmp_path, content.replace(";", sep))
    assert found.table.names == ("age", "sex")
    assert found.table.rows() == [("30", "m"), ("30", "m"), ("41", "f")]
    assert ["end with a separator" in line for line in found.told].count(True) == 1


@pytest.mark.parametrize("late", [None, 0, 39_999])
@pytest.mark.parametrize("names", ["age;sex", "age;sex;"])
def test_files_in_batches_end_as_whole_ones(names, late, tmp_path):
    """Also where a cell behind the last name comes late, far behind the beginning."""
    rows = [f"{i};{'mf'[i % 2]};" for i in range(40_000)]
    if late is not None:
        rows[late] += "x"
    path = tmp_path / "a.csv"
    path.write_text("\n".join([names, *rows, ""]))
    try:
        whole = starmin.read_file(path)
    except starmin.TableError as error:
        with pytest.raises(starmin.TableError) as caught:
            Source.of(path)
        assert (str(caught.value), names[-1]) == (str(error), ";")
        return
    files = Source.of(path)
    assert (files.names, files.told) == (whole.table.names, whole.told)
    for column in files.names:
        found: list[str] = []
        for batch in files.batches([column]):
            found += batch.column(0).to_pylist()
        assert found == whole.table.cells(column)
    assert files.names == (("age", "sex") if late is None else files.names)
    assert (late is None) == ("end with a separator" in files.told[0])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines_are_left_out_and_said(tmp_path, end):
    lines = ["", "age;sex", "", "30;m", '"30";"m\n\nm"', "", "", "41;f", "", ""]
    found = read(tmp_path, end.join(lines))
    assert found.table.cells("age") == ["30", "30", "41"]
    assert found.table.cells("sex") == ["m", "m\n\nm", "f"]
    assert "3 blank lines left out, the first is line 3" in found.told[0]
    with pytest.raises(starmin.TableError, match="line 9: expected 2 cells, got 3"):
        read(tmp_path, end.join(["a;b", *["1;2", ""] * 3, "5;6", "7;8;9"]))


def book(path: Path, **sheets: list[list[object]]) -> Path:
    """Write a spreadsheet."""
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name.replace("_", " "))
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


DATA = [["age", "sex"], [30, "m"], [30, "m"], [41, "f"], [42, "f"]]
NOTES = [["Data set", "People"], ["Date", "2020"], ["Contact", "us"], ["Licence", "x"]]


@pytest.mark.parametrize(
    "sheets",
    [
        {"README": NOTES, "data": DATA},
        {"Sheet1": NOTES, "Sheet2": DATA},
        {"Cover": [["A title"], ["of a survey"], ["by us"]], "x": DATA},
        {"data": DATA, "Codebook": NOTES * 9},
        {"Info": DATA * 3, "people": DATA},
        {"empty": [], "data": DATA, "small": DATA[:3]},
        {"2023": DATA, "2024": [*DATA, [50, "m"]]},
        {"tiny": [["code"], [1], [1]], "data": DATA},
        {"About this file": [["age", "sex"], [1, 1], [1, 1]], "data": DATA},
    ],
)
def test_a_sheet_of_people_is_taken_and_no_cover(tmp_path, sheets):
    found = starmin.read_file(book(tmp_path / "a.xlsx", **sheets))
    assert found.table.rows() == [("30", "m")] * 2 + [("41", "f"), ("42", "f")]
    assert "is read, of" in found.told[0] and "--sheet" in found.told[0]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([["Exported on Monday"], [], *DATA], "1 line above the names"),
        ([[None, "Title"], *DATA], "1 line above the names"),
        ([DATA[0], [], *DATA[1:3], [], [], *DATA[3:]], "3 empty rows left out"),
        ([[None, *row] for row in DATA], None),
        ([[row[0], None, row[1]] for row in DATA], None),
    ],
)
def test_a_table_is_found_within_its_sheet(tmp_path, rows, told):
    found = starmin.read_file(book(tmp_path / "a.xlsx", data=rows))
    assert found.table.names == ("age", "sex")
    assert found.table.cells("age") == ["30", "30", "41", "42"]
    assert [told in line for line in found.told] == [True] * (told is not None)


def test_a_sheet_is_named_or_numbered(tmp_path):
    path = book(tmp_path / "a.xlsx", README=NOTES, data=DATA)
    assert starmin.read_table(path, sheet="README").names == ("Data set", "People")
    assert starmin.read_table(path, sheet=2).names == ("age", "sex")
    with pytest.raises(starmin.TableError, match=r"no sheet '3'; its sheets: README,"):
        starmin.read_table(path, sheet=3)


@pytest.mark.parametrize(
    ("above", "names"),
    [
        ("", "age;sex;race"),
        ("sep=;\n", "age;sex;race"),
        ("Exported from LimeSurvey\n\n", "age;sex;race"),
        ('"Exported\nfrom LimeSurvey"\n', '"age";"sex";"race"'),
        ("", "sex;race"),
        ("\n", ";sex;race"),
    ],
)
def test_files_in_batches_begin_in_the_same_ways(
    above, names, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("t").mkdir()
    rows = [f"{i};{sex};w" for i, sex in enumerate("mf" * 9)]
    for part in range(2):
        Path(f"t/{part}.csv").write_text("\n".join([above + names, *rows, ""]))
    whole = starmin.read_file("t/0.csv")
    line = "starmin solve t --qi sex,race --k 4 --quiet --out r.csv"
    monkeypatch.setattr("sys.argv", line.split())
    assert main() == 0
    err = capsys.readouterr().err
    for told in whole.told:
        assert told.replace("t/0.csv: ", "") in err
    lines = Path("r.csv").read_text().splitlines()
    released = starmin.read_table("r.csv")
    assert released.names == whole.table.names
    assert released.rows() == whole.table.rows() * 2
    assert lines[1] == "0;m;w"
    if names == "sex;race":  # a header that lacks a name, or a row with a cell too many
        return
    broken = "\n".join([above + names, *rows, "1;2", ""])
    Path("t/1.csv").write_text(broken)
    monkeypatch.setattr("sys.argv", line.split())
    assert main() == 2
    assert f"line {broken.count(chr(10))}: expected 3 cells" in capsys.readouterr().err
