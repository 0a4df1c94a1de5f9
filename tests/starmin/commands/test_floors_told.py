"""Tests that floors reach commands, frames, reports and checks of releases."""

import json
import random
import sys
from pathlib import Path

import pandas as pd
import pytest

import starmin
from starmin.cli.app import main
from starmin.instances import Coding, Table, TableError, Taxonomy
from starmin.instances.scales.floors import Floors
from starmin.verify.cells.read_cells import read_cells

pytestmark = pytest.mark.usefixtures("undrawn")

PEOPLE = {
    "age": [91, 95, 93, 93, 45, 45, 45, 46],
    "zip": ["02139", "02139", "02139", "02141", "02140", "02140", "03601", "03601"],
    "sex": list("fmfmffmf"),
    "ill": list("xyxyxyxy"),
}
PATHS = [("02139", "021", "*"), ("02140", "021", "*"), ("02141", "021", "*")]
ZIP = Taxonomy([*PATHS, ("03601", "000", "*")])
TOLD = "--top age=90 --min-level zip=1 --hierarchy zip=zip.csv"
RANGED = f"{TOLD} --numeric age --recoding generalization --objective gcp"


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(PEOPLE)
    frame.to_csv("people.csv", index=False)
    ZIP.write("zip.csv")
    return frame


def said(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["starmin", *line.split()])
        code = main()
    out, err = capsys.readouterr()
    return code, json.loads(out) if out.startswith("{") else {}, err


@pytest.mark.parametrize("told", [RANGED, TOLD])
def test_commands_publish_and_check_them(
    told: str, people: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = "--sensitive ill --k 2 --json --quiet"
    out = "--out out.csv --certificate proof.json --report out.html"
    code, found, _ = said(f"solve people.csv {asked} {told} {out}", capsys)
    assert code == 0 and found["status"] == "optimal" and found["certificate_checked"]
    cells = Path("out.csv").read_text()
    assert "90+,021" in cells and ",000," in cells
    assert not any(text in cells for text in ("91", "93", "95", "02139", "03601"))
    started = f"solve people.csv {asked} {told} --initial out.csv"
    code, again, _ = said(started, capsys)
    assert code == 0 and again["value"] == found["value"]
    known = told.replace("--objective gcp", "")
    against = f"verify out.csv --original people.csv {asked} --certificate proof.json"
    code, check, _ = said(f"{against} {known}", capsys)
    assert code == 0 and check["holds"] and check["consistent"]
    assert check["certificate"]["accepted"] and check["stars"] == found["stars"]
    if told == RANGED:
        assert check["gcp"] == found["gcp"] == found["value"]
    code, check, _ = said(f"{against} {known.replace('age=90', 'age=94')}", capsys)
    assert (
        code == 1
        and "a table with zip min_level 1, age top 90" in (check["certificate"]["why"])
    )
    line = f"bound people.csv {asked} {told}"
    bounded, _, _ = said(line.replace("--recoding generalization", ""), capsys)
    assert bounded == 0


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        ("90+,021,f", "93,021,f", "expected a number below 90, a range or 90+"),
        ("90+,021,f", "[91-93],021,f", "expected a number below 90, a range or 90+"),
        ("90+,021,f", "91+,021,f", "expected a number below 90, a range or 90+"),
        ("90+,021,f", "90+,02139,f", "expected a node of zip.csv from level 1 on"),
    ],
)
def test_a_release_below_a_floor_is_refused(
    before: str,
    after: str,
    why: str,
    people: pd.DataFrame,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = "people.csv --qi age,zip,sex --drop ill --k 2 --quiet"
    assert said(f"solve {table} {RANGED} --out out.csv", capsys)[0] == 0
    text = Path("out.csv").read_text()
    assert before in text
    Path("out.csv").write_text(text.replace(before, after))
    line = f"verify out.csv --k 2 --original people.csv --drop ill {RANGED}"
    code, _, err = said(line.replace("--objective gcp", ""), capsys)
    assert code == 2 and why in err and len(err.splitlines()) == 1


def test_a_lie_above_a_floor_is_found() -> None:
    original = Table.from_rows(["age"], [["45"], ["93"], ["17"]], qi=["age"])
    floors = Floors(top={"age": "90"}, bottom={"age": "18"})
    released = Table.from_rows(["age"], [["40+"], ["90+"], ["<=18"]], qi=["age"])
    cells = read_cells(
        released, Coding("generalization", numeric=("age",), floors=floors), original
    )["age"]
    covered = [
        [cells.covers(text, value) for value in ("45", "93", "17")]
        for text in ("40+", "90+", "<=18", "<=50", "93", "45", "*")
    ]
    assert covered == [
        [True, True, False],
        [False, True, False],
        [False, False, True],
        [True, False, True],
        [False, False, False],
        [True, False, False],
        [True, True, True],
    ]
    assert [str(cells.loss(text)) for text in ("40+", "90+", "<=18")] == [
        "53/76",
        "3/76",
        "1/76",
    ]


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("--top agee=90 --numeric age", "column 'agee' has a floor but is not a quasi"),
        ("--top age=x --numeric age", "--top: expected a number"),
        ("--bottom sex=3", "row 1, column 'sex': a top or a bottom is for numbers"),
        ("--top zip=3 --hierarchy zip=zip.csv", "--top: column 'zip' has a --hierar"),
        ("--min-level zip=2 --hierarchy zip=zip.csv", "a least level below 2"),
        ("--min-level zip=1", "--min-level: column 'zip' is not among"),
        (
            "--min-level zip=1 --hierarchy zip=zip.csv --star 02139",
            "row 1, column 'zip' holds the star symbol '02139'",
        ),
        (
            "--min-level zip=1 --max-level zip=0 --hierarchy zip=zip.csv",
            "--min-level: zip=1 is above its --max-level, 0",
        ),
        ("--top age=40 --bottom age=50", "expected a top above the bottom, got 40"),
        (
            "--top age=90 --numeric age --objective gcp --recoding nonhomogeneous",
            "are for the objective stars, not for gcp",
        ),
        ("--top age", "--top: expected COLUMN=VALUE"),
    ],
)
def test_impossible_options_are_one_line(
    told: str, why: str, people: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = said(f"solve people.csv --k 2 --drop ill {told}", capsys)
    assert code == 2 and why in err and len(err.splitlines()) == 1


@pytest.mark.parametrize("recoding", ["generalization", "suppression", "permutation"])
def test_frames_hold_no_cell_below_a_floor(recoding: str, people: pd.DataFrame) -> None:
    floors = {"min_level": {"zip": 1}, "top": {"age": 90}, "bottom": {"age": 45}}
    asked = {"k": 2, "l": 2, "sensitive": "ill", "hierarchy": {"zip": ZIP}}
    release = starmin.anonymize(people, **asked, **floors, recoding=recoding)
    assert release.status == "optimal"
    check = release.verify()
    assert check.holds and check.consistent
    assert release.certificate.check(people).accepted
    shown = set(release.frame["age"]) | set(release.frame["zip"])
    told = {"90+", "<=45", "46", "021", "000", "*", "<=46"}
    assert shown <= told and {"90+", "021"} <= shown
    release.report("people.html")
    assert "02139" not in Path("people.html").read_text()


def test_open_intervals_are_values_of_a_frame(people: pd.DataFrame) -> None:
    told = {"numeric": ["age"], "top": {"age": 90}, "intervals": True}
    frame = starmin.anonymize(people[["age"]], k=2, **told).frame
    assert [str(cell) for cell in frame["age"][:2]] == ["[90.0, inf]"] * 2


def test_errors_of_python_are_in_its_words(people: pd.DataFrame) -> None:
    with pytest.raises(TableError, match="has a least level but has no hierarchy"):
        starmin.anonymize(people, k=2, min_level={"zip": 1})
    with pytest.raises(TableError, match="are for the objective stars"):
        told = {"recoding": "nonhomogeneous", "objective": "gcp", "numeric": ["age"]}
        starmin.anonymize(people, k=2, top={"age": 9}, **told)
    with pytest.raises(
        ValueError, match="hierarchy zip: is for recoding generalization"
    ):
        told = {"hierarchy": {"zip": ZIP}, "recoding": "suppression"}
        starmin.anonymize(people, k=2, **told)


def drawn(seed: int) -> tuple[list[str], str]:
    """Rows of two columns and a third, and a line that asks for rules over them."""
    rng = random.Random(seed)
    rows = [
        f"{rng.choice('abcd')},{rng.choice('abcd')},{rng.choice('uv')}"
        for _ in range(rng.randint(4, 8))
    ]
    line = "--qi q0,q1 --unchanged st --hierarchy q1=h.csv --min-level q1=1 --k 2"
    line += rng.choice(["", " --hierarchy q0=h.csv --recoding generalization"])
    line += f" --combinations {rng.choice('12')} --semantics "
    line += rng.choice(["shown", "source", "classes"])
    return rows, line + rng.choice(["", "", " --strata st"])


@pytest.mark.parametrize("seed", range(5))
def test_rules_count_what_floors_leave_and_the_cells_are_the_originals(
    seed: int, people: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, line = drawn(seed)
    Path("t.csv").write_text("\n".join(["q0,q1,st", *rows, ""]))
    Path("h.csv").write_text("a;L;*\nb;L;*\nc;R;*\nd;R;*\n")
    files = "--out r.csv --certificate c.json --report r.html --time-limit 60"
    code, found, _ = said(f"solve t.csv {line} {files} --json --quiet", capsys)
    assert code == 0 and found["value"] is not None, line
    claim = f"--original t.csv {line} --certificate c.json --json"
    code, check, _ = said(f"verify r.csv {claim}", capsys)
    assert (code, check["holds"], check["consistent"]) == (0, True, True), line
    assert check["certificate"]["accepted"] and check["stars"] == found["stars"]
    trees = "--hierarchy q1=h.csv --hierarchy q0=h.csv"
    beyond = "generalization" in line  # a column with a hierarchy and a floor
    code, _, _ = said(f"check c.json --original t.csv {trees}", capsys)
    assert code == (3 if beyond else 0), line
    assert "differ" not in Path("r.html").read_text()
    lie = Path("r.csv").read_text().replace("L", "?").replace("R", "L")
    Path("lie.csv").write_text(lie.replace("?", "R"))
    if lie != Path("r.csv").read_text():
        code, check, _ = said(f"verify lie.csv {claim}", capsys)
        assert code == 1 and check["consistent"] is False
    if not beyond:
        told = {"recoding": "suppression", "objective": "stars"}
        told |= {"qi": ["q0", "q1"], "combinations": 1, "k": 2, "semantics": "shown"}
        told |= {"hierarchy": {"q1": "h.csv"}, "min_level": {"q1": 1}}
        made = starmin.anonymize(pd.read_csv("t.csv"), **told)
        assert made.verify().holds and made.verify().consistent


@pytest.mark.parametrize("recoding", ["", "--recoding generalization"])
def test_releases_with_floors_are_nested_and_checked(
    recoding: str, people: pd.DataFrame, capsys: pytest.CaptureFixture[str]
) -> None:
    told = f"--sensitive ill {TOLD} {'--numeric age' * bool(recoding)} {recoding}"
    out = "--json --quiet --out"
    assert said(f"solve people.csv --k 2 {told} {out} e.csv", capsys)[0] == 0
    line = f"--k 4 {told} --within e.csv --certificate c.json"
    assert said(f"solve people.csv {line} {out} r.csv", capsys)[0] == 0
    code, check, _ = said(f"verify r.csv --original people.csv {line} --json", capsys)
    assert (code, check["holds"], check["consistent"]) == (0, True, True)
    assert check["certificate"]["accepted"] is True
    lie = Path("e.csv").read_text().replace(",021,", ",000,")
    Path("lie.csv").write_text(lie)
    line = line.replace("e.csv", "lie.csv")
    code, _, err = said(f"verify r.csv --original people.csv {line}", capsys)
    assert code == 2 and "--within: lie.csv: " in err and "differ" in err
