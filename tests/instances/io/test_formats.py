"""Tests that files of spreadsheets and statistics programs go in and out in kind."""

import math
import sys
from dataclasses import replace
from datetime import date, datetime

import numpy as np
import pytest

import starmin
from starmin.cli.app import main
from starmin.instances.io import format as kinds

pytest.importorskip("pyreadstat")
SEXES = {"1": "male", "2": "female"}
NAMES = ["age", "zip", "born", "note", "share"]
ROWS = [
    ["30", "007", "1994-05-31", "=1+1", "1.5"],
    ["41", "12345", "1983-01-02", "a;b", "2"],
    ["*", "*", "1983-01-02", "", "2"],
]


def table(rows=ROWS):
    """Cells that are numbers, dates and text, codes with a zero before them."""
    return starmin.Table.from_rows(NAMES, rows, qi=NAMES)


def test_a_spreadsheet_comes_back_cell_by_cell(tmp_path):
    starmin.write_table(table(), tmp_path / "a.xlsx")
    back = starmin.read_table(tmp_path / "a.xlsx").rows()
    assert back == [tuple(cell or None for cell in row) for row in ROWS]
    import openpyxl

    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    cells = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert cells[1] == [30, "007", datetime(1994, 5, 31), "=1+1", 1.5]
    assert sheet["D2"].data_type == "s"  # a text, not a formula
    assert cells[3][:2] == ["*", "*"]


def test_texts_that_only_look_like_numbers_or_dates_stay_texts(tmp_path):
    texts = ["nan", "inf", "-0", "1e5", "1_0", "12345678901234567890", "1850-01-01"]
    odd = starmin.Table.from_rows(["a", "b"], [[t, "true"] for t in texts], ["a"])
    starmin.write_table(odd, tmp_path / "a.xlsx")
    assert starmin.read_table(tmp_path / "a.xlsx", ["a"]).rows() == odd.rows()


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_a_file_of_statistics_comes_back_with_its_types(tmp_path, ending):
    rows = [[*row[:3], "x", row[4]] for row in ROWS]
    starmin.write_table(table(rows), tmp_path / f"a{ending}")
    assert starmin.read_table(tmp_path / f"a{ending}").rows() == list(map(tuple, rows))
    import pyreadstat

    read = getattr(pyreadstat, f"read_{ending[1:]}")
    frame, _ = read(tmp_path / f"a{ending}", output_format="polars")
    assert frame["share"].to_list() == [1.5, 2.0, 2.0]
    assert frame["born"].to_list()[0] == date(1994, 5, 31)
    assert frame["age"].to_list() == ["30", "41", "*"]


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_labels_of_columns_and_values_go_with_the_release(
    tmp_path, ending, monkeypatch, capsys
):
    rows = [["1", "1"], ["1", "2"], ["2", "1"], ["2", "2"], ["2", "3"]]
    labels = starmin.Labels(
        {"sex": "Sex of the person"},
        {"sex": SEXES, "area": {"1": "north", "2": "south"}},
        {"sex": "nominal"} if ending == ".sav" else {},
        "Survey",
    )
    people = starmin.Table.from_rows(["sex", "area"], rows, qi=["sex", "area"])
    monkeypatch.chdir(tmp_path)
    starmin.write_table(people, f"a{ending}", labels=labels)
    assert starmin.read_labels(f"a{ending}") == labels
    line = f"starmin solve a{ending} --k 2 --out b{ending} --quiet".split()
    monkeypatch.setattr(sys, "argv", line)
    assert main() == 0, capsys.readouterr().err
    assert starmin.read_table(f"b{ending}").rows()[0] == ("1", "*")
    kept = replace(labels, values={"sex": SEXES})  # no area is published
    assert starmin.read_labels(f"b{ending}") == kept
    assert starmin.read_labels("b.csv") is None


@pytest.mark.parametrize("ending", [".tsv", ".txt"])
def test_cells_are_separated_by_tabs_unless_told(tmp_path, ending):
    starmin.write_table(table(), tmp_path / f"a{ending}")
    assert (tmp_path / f"a{ending}").read_text().startswith("age\tzip\tborn")
    assert starmin.read_table(tmp_path / f"a{ending}").rows()[1][1] == "12345"
    starmin.write_table(table(), tmp_path / f"b{ending}", sep=";")
    assert starmin.read_table(tmp_path / f"b{ending}", sep=";").d == 5
    (tmp_path / f"c{ending}").write_text("a,b\n1,2\n")
    assert starmin.read_table(tmp_path / f"c{ending}").d == 2
    assert starmin.read_table(tmp_path / f"c{ending}", sep="\t").names == ("a,b",)


def test_the_command_line_takes_a_spreadsheet_and_writes_one(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    starmin.write_table(starmin.load_instance("hospital"), tmp_path / "a.xlsx")
    line = "solve a.xlsx --sensitive disease --drop name --l 2 --out b.xlsx --quiet"
    columns = starmin.read_table(tmp_path / "a.xlsx").names
    line = line.replace("--drop name ", "--drop name " if "name" in columns else "")
    monkeypatch.setattr(sys, "argv", ["starmin", *line.split()])
    assert main() == 0, capsys.readouterr().err
    check = "verify b.xlsx --sensitive disease --l 2 --original a.xlsx"
    monkeypatch.setattr(sys, "argv", ["starmin", *check.split()])
    assert main() == 0, capsys.readouterr()


def test_a_missing_library_and_a_broken_file_are_one_line(tmp_path, monkeypatch):
    (tmp_path / "a.xlsx").write_text("no spreadsheet")
    (tmp_path / "a.sav").write_text("no data")
    for name in ("a.xlsx", "a.sav"):
        with pytest.raises(starmin.TableError, match=f"{name}: cannot be read"):
            starmin.read_table(tmp_path / name)
    with pytest.raises(starmin.TableError, match=r"expected a file \.csv"):
        starmin.write_table(table(), tmp_path / "a.sas7bdat")
    monkeypatch.setattr(kinds, "import_module", missing)
    with pytest.raises(starmin.TableError, match=r"starmin\[formats\]"):
        starmin.read_table(tmp_path / "a.xlsx")


def missing(name):
    """What Python does where a library is not installed."""
    raise ImportError(name)


def test_infinity_stays_a_number_in_a_file_of_spss(tmp_path):
    import pandas as pd
    import pyreadstat

    frame = pd.DataFrame({"end": [1.0, math.inf, -math.inf, 3.5], "b": [*"xyzx"]})
    pyreadstat.write_sav(frame, tmp_path / "in.sav")
    read = starmin.read_file(tmp_path / "in.sav")
    starmin.write_table(read.table, tmp_path / "out.sav", beside=read.beside)
    back, _ = pyreadstat.read_sav(tmp_path / "out.sav")
    assert back["end"].tolist() == frame["end"].tolist()


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_a_missing_cell_of_a_text_column_is_missing_again(tmp_path, ending):
    """As of numbers of which some are published as ranges, and so as text."""
    rows = [["[30-34]", "a"], [None, "b"], ["41", "b"]]
    table = starmin.Table.from_rows(["age", "ill"], rows, qi=["age"])
    path = tmp_path / f"release.{ending}"
    starmin.write_table(table, path)
    assert starmin.read_table(path, ["age"]).rows() == table.rows()


ODD = [
    "a\r\nb",
    "a\nb",
    "a\rb",
    "_x000D_",
    "_x0041_",
    "a_x005F_x0041_",
    "\x01",
    "\x0bx",
]
ODD += [
    "\t",
    "  ",
    " x",
    "x ",
    "=\r1",
    "#N/A",
    "\x7f",
    "\u2028",
    "\ufffe",
    "\U0001f600",
]


@pytest.mark.parametrize("ending", [".xlsx", ".sav", ".dta", ".parquet", ".csv"])
def test_two_texts_never_become_one(tmp_path, ending):
    """What a file would change is refused with its column, and nothing is written."""
    for number, text in enumerate(ODD):
        path = tmp_path / f"{number}{ending}"
        rows = [[text, "k"], ["y", "k"], ["_", "k"]]
        odd = starmin.Table.from_rows(["note", "b"], rows, ["note"])
        try:
            starmin.write_table(odd, path)
        except starmin.TableError as error:
            assert ending == ".sav" and text[-1] == " "
            assert "row 1, column 'note': " in str(error) and not path.exists()
            continue
        assert starmin.read_table(path).rows() == odd.rows()


LONG = {".xlsx": 32_767, ".sav": 32_767}


@pytest.mark.parametrize(
    ("ending", "names", "why"),
    [
        (".sav", ["a b"], "column 'a b': a name in SPSS"),
        (".sav", ["all"], "column 'all': a name in SPSS"),
        (".sav", ["_a"], "column '_a': a name in SPSS"),
        (".sav", ["x" * 65], "a name in SPSS"),
        (".sav", ["Age", "age"], "column 'age': and 'Age' are one name"),
        (".dta", ["x" * 33], "a name in Stata"),
        (".dta", ["using"], "column 'using': a name in Stata"),
        (".xlsx", ["x" * 32_768], "32,768 characters, and a cell holds 32,767"),
        (".xlsx", [f"c{j}" for j in range(16_385)], "16,385 columns, and a file .xlsx"),
        (".dta", [f"c{j}" for j in range(32_768)], "32,768 columns, and a file .dta"),
        (".csv", ["\u017d"], "'\u017d' cannot be written in latin-1"),
    ],
)
def test_a_name_that_a_file_cannot_hold_is_one_line(tmp_path, ending, names, why):
    path = tmp_path / f"a{ending}"
    odd = starmin.Table.from_rows(names, [["x"] * len(names)], names[:1])
    with pytest.raises(starmin.TableError) as refused:
        starmin.write_table(odd, path, encoding="latin-1")
    assert why in str(refused.value) and len(str(refused.value)) < 400
    assert not path.exists()


def test_a_spreadsheet_holds_so_many_rows(tmp_path):
    codes = np.zeros((1, 1_048_576), np.int32)
    many = starmin.Table(("a",), codes, (("x",),), ("a",))
    with pytest.raises(starmin.TableError, match=r"1,048,576 rows, and a file \.xlsx"):
        starmin.write_table(many, tmp_path / "a.xlsx")


@pytest.mark.parametrize("ending", LONG)
@pytest.mark.parametrize("sign", ["x", "\U0001f600", "_x0041_"])
def test_a_long_text_is_told_before_a_search(
    tmp_path, monkeypatch, capsys, ending, sign
):
    """It was cut, so that two values became one; elsewhere it has room."""
    monkeypatch.chdir(tmp_path)
    most = LONG[ending] // (len(sign.encode("utf-16-le")) // 2) + 1
    text = sign * most
    lines = ["age,note", *(f"{30 + i // 2},{text}{i % 2}" for i in range(6))]
    (tmp_path / "a.csv").write_text("\n".join(lines), encoding="utf-8")
    asked = ["solve", "a.csv", "--k", "2", "--qi", "age", "--quiet"]

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["starmin", *asked, *words])
        return main(), capsys.readouterr().err

    code, err = run("--out", f"r{ending}")
    assert code == 2 and err.count("\n") == 1, err
    assert "row 1, column 'note': a text of " in err
    assert not list(tmp_path.glob("r*"))
    for other in (".csv", ".parquet", ".dta"):
        assert run("--out", f"r{other}")[0] == 0
        notes = starmin.read_table(f"r{other}", ["age"]).cells("note")
        assert notes == [f"{text}{i % 2}" for i in range(6)]
    # A quasi-identifier that is hidden is not in the way.
    hidden = ["--qi", "age,note", "--k", "6"]
    monkeypatch.setattr(
        sys, "argv", ["starmin", *asked[:2], *hidden, "--quiet", "--out", f"s{ending}"]
    )
    assert main() == 0 and (tmp_path / f"s{ending}").exists()


def test_labels_that_a_file_has_no_room_for_are_told(tmp_path, monkeypatch, capsys):
    rows = [["1", "x"], ["1", "x"], ["2", "y"], ["3", "y"]]
    people = starmin.Table.from_rows(["area", "b"], rows, ["area", "b"])
    words = {"1": "north", "2": "south"}
    named = starmin.Labels({"area": "t" * 300}, {"area": words}, title="f" * 90)
    with pytest.warns(UserWarning, match="label of the file is shortened") as told:
        starmin.write_table(people, tmp_path / "a.sav", labels=named)
    said = [str(each.message) for each in told]
    assert any("label of column 'area' is shortened to 256 bytes" in s for s in said)
    monkeypatch.chdir(tmp_path)
    asked = [
        "starmin",
        "solve",
        "a.sav",
        "--qi",
        "area",
        "--k",
        "2",
        "--quiet",
        "--out",
        "r.dta",
    ]
    monkeypatch.setattr(sys, "argv", asked)
    assert main() == 0
    err = capsys.readouterr().err
    assert "r.dta: the labels of column 'area' are left out: it is text" in err
    assert "r.dta: the label of column 'area' is shortened to 80 characters" in err
    for labels, why in (
        (
            {"1": "v" * 33_000},
            "labels of values of column 'area' are shortened to 32,0",
        ),
        ({"1.5": "half"}, "for whole numbers alone"),
    ):
        whole = starmin.Table.from_rows(["area"], [["1"], ["1.5"]], ["area"])
        with pytest.warns(UserWarning, match=why):
            given = starmin.Labels(values={"area": labels})
            starmin.write_table(whole, tmp_path / "b.dta", labels=given)
    with pytest.warns(UserWarning, match="shortened to 120 bytes"):
        long = starmin.Labels(values={"area": {"1": "v" * 121}})
        starmin.write_table(whole, tmp_path / "b.sav", labels=long)
