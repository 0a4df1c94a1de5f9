"""Tests that a proposed settings file is right about columns, and works unedited."""

import csv
import json
import re
from pathlib import Path

import pytest

from starmin.cli.app import main
from starmin.recipes.recipe import Recipe
from starmin.recipes.text import schema

TABLES = (
    "instance:hospital",
    "instance:murakami-uno",
    "instance:census:n=300",
    "instance:cases:n=200",
    "instance:vertex-cover:graph=k4",
)

NAMES = ["case_no", "patient_id", "name", "born", "seen", "age"]
NAMES += ["zip", "sex", "income", "pweight", "note", "ill"]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["starmin", *words])
        return main(), *capsys.readouterr()

    return call


def steward(path: Path, rows: int, first: int = 0) -> None:
    """A file as offices have them: ids, dates, gaps, weights, codes, free text."""
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(
            [
                "case_no",
                "patient_id",
                "name",
                "born",
                "seen",
                "age",
                "zip",
                "sex",
                "income",
                "pweight",
                "note",
                "ill",
            ]
        )
        for i in range(first, first + rows):
            out.writerow(
                [
                    100000 + i,
                    f"p{i // 2}",
                    f"Name {chr(65 + i % 26)}{i}",
                    f"{1 + i // 2 % 28:02}.{1 + i // 2 % 12:02}.{1930 + i // 2 % 60}",
                    f"2024-0{1 + i % 9}-1{i % 9}",
                    "NA" if i % 17 == 0 else 20 + i * 7 % 61,
                    f"0{2 + i % 3}1{i % 10}{i * 3 % 10}",
                    "mf"[i % 2],
                    round(12000 + i * 37.5 % 50000, 2),
                    round(1 + i % 13 / 10, 1),
                    f"was seen on day {i} and left well",
                    ["flu", "cold", "gout"][i * 5 % 3],
                ]
            )


def test_roles_and_kinds_of_an_offices_file(run):
    steward(Path("may.csv"), 120)
    code, said, _ = run("new", "may.csv", "--sensitive", "ill", "--out", "may.toml")
    assert code == 0 and "starmin solve may.csv --recipe may.toml" in said
    told = Recipe.read(Path("may.toml")).told
    assert told["drop"] == ("case_no", "name", "note")
    assert (told["person"], told["weight"]) == ("patient_id", "pweight")
    assert told["sensitive"] == ("income", "ill")
    assert told["qi"] == ("born", "seen", "age", "zip", "sex")
    assert told["numeric"] == ("born", "seen", "age")
    assert told["date_format"] == {"born": "%d.%m.%Y"}
    assert told["missing"] == ("NA",) and told["steps"]["seen"] == "month"
    assert told["hierarchy"]["zip"].startswith("prefix:")
    text = Path("may.toml").read_text()
    assert all(f"{line}" for line in text.splitlines() if line.startswith("#"))


def test_it_works_unedited_and_so_does_next_month(run):
    steward(Path("may.csv"), 60)
    steward(Path("june.csv"), 70, first=500)
    assert run("new", "may.csv", "--sensitive", "ill", "--out", "may.toml")[0] == 0
    fast = "--method", "gray_order"
    code, _, said = run("solve", "may.csv", "--recipe", "may.toml", *fast)
    assert code == 0, said
    header, *rows = csv.reader(Path("may.public.csv").read_text().splitlines())
    assert len(rows) == 60 and not {"case_no", "name", "note", "patient_id"} & {*header}
    before = Path("may.public.csv").read_bytes()
    code, _, said = run("solve", "june.csv", "--recipe", "may.toml", *fast)
    assert code == 0 and len(Path("june.public.csv").read_text().splitlines()) == 71
    assert Path("may.public.csv").read_bytes() == before


@pytest.mark.parametrize("table", TABLES)
def test_it_works_unedited_on_tables_of_the_catalogue(table, run):
    assert run("new", table, "--k", "2", "--out", "a.toml")[0] == 0
    code, _, said = run("solve", table, "--recipe", "a.toml", "--method", "gray_order")
    assert code == 0, said
    assert len([*Path().glob("*.public.csv")]) == 1


def test_what_is_named_goes_before(run):
    steward(Path("may.csv"), 60)
    words = "--qi", "zip,note", "--drop", "patient_id", "--unchanged", "income"
    assert run("new", "may.csv", *words, "--sep", ",", "--out", "may.toml")[0] == 0
    told = Recipe.read(Path("may.toml")).told
    assert {"zip", "note"} <= {*told["qi"]} and "patient_id" in told["drop"]
    assert told["unchanged"] == ("income",) and told["sep"] == ","
    code, _, said = run("new", "may.csv", "--drop", "nam")
    assert code == 2 and "no column 'nam'" in said and len(said.splitlines()) == 1


def test_the_schema_is_printed(run):
    assert json.loads(run("new", "--schema")[1]) == schema()


def test_days_that_stand_for_none_are_noticed(run):
    """They are farther from others than these are apart, unlike 1900-01-01."""
    odd = {"seen": "9999-12-31", "at": "1970-01-01T00:00", "born": "1900-01-01"}
    lines = [",".join([*odd, "due", "age"])]
    for i in range(60):
        day, month = f"{i % 28 + 1:02}", f"{i % 12 + 1:02}"
        cells = [f"2024-{month}-{day}", f"2024-{month}-{day}T10:00"]
        cells += [f"{1920 + i}-{month}-{day}", f"{day}.{month}.{2020 + i % 3}"]
        if i % 7 == 0:
            cells = [*odd.values(), "31.12.2999"]
        lines.append(",".join([*cells, str(20 + i)]))
    Path("a.csv").write_text("\n".join(lines))
    assert run("new", "a.csv", "--out", "a.toml")[0] == 0
    told = Recipe.read(Path("a.toml")).told
    assert sorted(told["missing"]) == [odd["at"], "31.12.2999", odd["seen"]]
    assert "9999-12-31 taken for no value" in Path("a.toml").read_text()
    code, _, said = run("solve", "a.csv", "--recipe", "a.toml", "--method", "mondrian")
    assert code == 0, said
    assert not re.search(r"\.\.(9999|31.12.2999)", Path("a.public.csv").read_text())


def test_numbers_as_offices_write_them(run):
    """Decimal commas are numbers; a code as -9 stands for a gap, not for a number."""
    lines = ["age;height;income;frost"]
    for i in range(60):
        age = -9 if i % 7 == 0 else 20 + i * 5 % 41
        income = ("-99", "1200,5", f"{900 + i * 31},25")[i % 3]
        lines.append(f"{age};{150 + i * 7 % 40},{i % 10};{income};{i % 15}")
    Path("a.csv").write_text("\n".join(lines))
    known = "--qi", "income", "--out", "a.toml"
    assert run("new", "a.csv", *known)[0] == 0
    told = Recipe.read(Path("a.toml")).told
    assert told["numeric"] == ("age", "height", "income", "frost")
    assert sorted(told["missing"]) == ["-9", "-99"]
    assert "-9 taken for no value" in Path("a.toml").read_text()
    code, _, said = run("solve", "a.csv", "--recipe", "a.toml", "--method", "mondrian")
    assert code == 0, said
    public = Path("a.public.csv").read_text()
    assert "[-9" not in public and "[-99" not in public
    # Where a column has -9 among other numbers below 0 it is a number everywhere.
    cold = [f"{line.rsplit(';', 1)[0]};{3 - i % 20}" for i, line in enumerate(lines)]
    Path("b.csv").write_text("\n".join([lines[0], *cold[1:]]))
    assert run("new", "b.csv", "--out", "b.toml")[0] == 0
    assert "missing" not in Recipe.read(Path("b.toml")).told
    assert run("new", "b.csv", "--missing", "-9,-99", "--out", "c.toml")[0] == 0
    told = Recipe.read(Path("c.toml")).told
    assert sorted(told["missing"]) == ["-9", "-99"]
