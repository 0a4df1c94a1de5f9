"""Tests that files of spreadsheets and statistics programs go in and out in kind."""

import math
import sys
from dataclasses import replace
from datetime import date, datetime

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
