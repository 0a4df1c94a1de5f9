"""Tests that one command goes from a table and its settings to what is filed away."""

import random
import re
from pathlib import Path

import pytest

from starmin.cli.app import main

pytestmark = pytest.mark.usefixtures("undrawn")

ROWS = 500  # as told of 12,000, in a minute less
NAMES = (
    *("record", "phone", "age", "sex", "county", "job", "born", "school", "children"),
    *("rooms", "car", "language", "shift", "union", "degree", "tenure", "hours"),
    *("region", "sector", "size", "income", "illness", "weight"),
)
COUNTIES = ("Adams", "Brown", "Clark", "Dixon", "Essex", "Floyd")


def month(seed: int, new: bool) -> str:
    """A table of 23 columns, as text; ``new``: as the month after has it."""
    draw = random.Random(seed)
    counties = (*COUNTIES, "Grant") if new else COUNTIES
    names = [{"sex": "gender"}.get(c, c) if new else c for c in NAMES]
    lines = [",".join(c for c in names if not (new and c == "union"))]
    for row in range(ROWS):
        rare = draw.random() < 0.008
        cells = {
            "record": f"R{row:05}",
            "phone": f"555-{draw.randrange(10**6):06}",
            "age": draw.randint(18, 90),
            "sex": draw.choice("FM"),
            "county": counties[-1] if rare else draw.choice(counties[:6]),
            "job": draw.choice(("clerk", "cook", "driver", "nurse", "teacher")),
            "born": draw.choice(("here", "here", "here", "abroad")),
        }
        kinds = "ab" if row % 2 else "abc"
        cells |= {c: draw.choice(kinds) for c in NAMES[7:20]}
        cells |= {"income": draw.randrange(100) * 500, "illness": draw.choice("xyz")}
        cells["weight"] = draw.randint(50, 150)
        if new:
            del cells["union"]
        lines.append(",".join(map(str, cells.values())))
    return "\n".join(lines) + "\n"


ROLES = (
    "--qi age,sex,county,job,born --drop record,phone --sensitive illness "
    "--weight weight --unchanged " + ",".join(NAMES[7:21])
)
SCREEN = """\
wrote s.toml; read it, then: starmin solve june.csv --recipe s.toml
$ starmin publish june.csv --recipe s.toml --quiet
checked   june.csv: 500 rows by 23 columns, all named in s.toml
solved    june.public.csv: 36.73% of the information lost; feasible, at most #% of \
it could be saved; the search ended by itself, more time does not help (# s)
advice    born costs most: 46% of what is lost; a hierarchy or fewer \
quasi-identifiers help
verified  what was asked holds, each cell is true to june.csv, the proof is right
audited   126 hidden cells have one value left
report    june.report.html; keep it, june.csv and june.proof.json to yourself
$ starmin publish july.csv --recipe s.toml --quiet
! starmin: no column 'sex', which s.toml names in line 16
! starmin: no column 'union', which s.toml names in line 36
! starmin: column 'gender' is 'sex' under another name, it seems; s.toml does not \
say what it is
! starmin: beside june.csv: column 'county': new values: 'Grant' (6 rows)
! starmin: july.csv: its columns are not those of s.toml; rename them, or mend \
[columns] there. Nothing is published
= 2
$ starmin publish july.csv --recipe s.toml --quiet
checked   july.csv: 500 rows by 22 columns, all named in s.toml
solved    july.public.csv: 38.12% of the information lost; feasible, at most #% of \
it could be saved; the search ended by itself, more time does not help (# s)
advice    born costs most: 42% of what is lost; a hierarchy or fewer \
quasi-identifiers help
verified  what was asked holds, each cell is true to july.csv, the proof is right
audited   128 hidden cells have one value left
report    july.report.html; keep it, july.csv and july.proof.json to yourself
! starmin: beside june.csv: no column 'sex', which was there
! starmin: beside june.csv: no column 'union', which was there
! starmin: beside june.csv: column 'county': new values: 'Grant' (6 rows)
"""


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Call a command in a folder with the tables of two months."""
    monkeypatch.chdir(tmp_path)

    def called(line: str) -> str:
        monkeypatch.setattr("sys.argv", line.split())
        code = main()
        out, err = capsys.readouterr()
        said = "".join(f"! {each}\n" for each in err.splitlines())
        said = f"$ {line}\n{out}{said}" + f"= {code}\n" * (code != 0)
        said = re.sub(r"\d+\.\d s\)", "# s)", said)
        return re.sub(r"at most [\d.]+%", "at most #%", said)

    return called


def test_the_month_in_three_commands(call):
    Path("june.csv").write_text(month(6, new=False))
    Path("july.csv").write_text(month(7, new=True))
    said = call(f"starmin new june.csv {ROLES} --k 5 --out s.toml")
    settings = Path("s.toml").read_text()
    settings = settings.replace("time-limit = 60.0", 'method = "mondrian"')
    Path("s.toml").write_text(settings)
    said += call("starmin publish june.csv --recipe s.toml --quiet")
    said += call("starmin publish july.csv --recipe s.toml --quiet")
    assert not Path("july.public.csv").exists()
    mended = settings.replace("\nsex = {", "\ngender = {")
    mended = re.sub(r"\nunion = .*", "", mended)
    Path("s.toml").write_text(mended)
    said += call("starmin publish july.csv --recipe s.toml --quiet")
    assert said.split("\n", 1)[1] == SCREEN


PEOPLE = "age,sex,ill\n" + "30,f,flu\n30,f,flu\n40,m,gout\n40,m,flu\n" * 2
SETTINGS = """[columns]
age.role = "quasi-identifier"
sex.role = "quasi-identifier"
ill.role = "sensitive"
[requirement]
{asked}
[run]
method = "{method}"
"""
ENDS = {
    ("k = 2", "forest"): (0, "audited   it tells nothing beyond"),
    ("k = 9", "forest"): (1, "solved    no: 8 rows, fewer than k = 9"),
    ('combinations = "2:2"', "rule_search"): (3, "audited   no: a.public.csv: rules"),
    ('k = 2\n[output]\nout = "-"', "forest"): (2, "line 8: [output] out: publish"),
}


@pytest.mark.parametrize("asked", ENDS)
def test_the_exit_code_is_that_of_the_worst_step(asked, call):
    Path("a.csv").write_text(PEOPLE)
    text = SETTINGS.format(asked=asked[0], method=asked[1])
    Path("a.toml").write_text(text)
    code, words = ENDS[asked]
    said = call("starmin publish a.csv --recipe a.toml --quiet")
    assert words in said and said.endswith(f"= {code}\n") == bool(code), said
    there = {path.name for path in Path().iterdir()}
    assert ("a.public.csv" in there) == (code in (0, 3)), said


def test_what_is_published_in_batches_is_refused(call):
    Path("a.toml").write_text(SETTINGS.format(asked="k = 2", method="forest"))
    Path("a").mkdir()
    said = call("starmin publish a --recipe a.toml")
    assert "publish reads a table as a whole" in said and said.endswith("= 2\n")
