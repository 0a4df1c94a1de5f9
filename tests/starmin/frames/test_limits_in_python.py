"""Tests that every function of Python takes limits, floors, forms and sets alike."""

import pandas as pd
import pytest

import starmin
from starmin.instances import KAnonymity, Objective, Scales, Table, Taxonomy
from starmin.instances.scales.floors import Floors
from starmin.verify.brute_force import brute_force

CELLS = [
    ["93", "02139", "5.3.51", "a|b"],
    ["95", "02141", "9.3.51", "b|a"],
    ["45", "02139", "1.6.60", "c"],
    ["47", "02140", "2.6.60", "c"],
    ["17", "03601", "7.7.60", "b|a"],
    ["11", "03601", "8.7.60", "a|b"],
]
NAMES = ["age", "zip", "born", "ill"]
TABLE = Table.from_rows(NAMES, CELLS, qi=NAMES)
FRAME = pd.DataFrame(CELLS, columns=NAMES)
PATHS = [(z, "021", "*") for z in ("02139", "02140", "02141")]
ZIP = Taxonomy([*PATHS, ("03601", "000", "*")])
LIMITS = {
    "top": {"age": 90},
    "bottom": {"age": 18.0},
    "min_level": {"zip": 1},
    "round": {"born": "month"},
    "date_format": {"born": "%d.%m.%y"},
    "sets": {"ill": "|"},
}
RANGED = {"numeric": ["age", "born"], "hierarchy": {"zip": ZIP}, **LIMITS}


def test_all_functions_mean_the_same():
    found = starmin.solve(TABLE, k=2, recoding="generalization", **RANGED)
    table = found.problem.table
    goal = Objective("gcp", scales=found.problem.objective.scales)
    assert found.units.value == found.units.lower_bound
    assert found.units.value == brute_force(table, KAnonymity(2), goal).value
    rows = found.published.rows()
    assert rows[0] == rows[1] == ("90+", "021", "01.03.51..31.03.51", "a|b")
    assert rows[4] == rows[5] == ("<=18", "000", "01.07.60..31.07.60", "a|b")
    bounded = starmin.bound(TABLE, k=2, recoding="generalization", **RANGED)
    assert bounded.lower_bound <= found.value
    told = {**RANGED, "recoding": "generalization"}
    for given in (TABLE, FRAME):
        curve = starmin.frontier(given, k=[2, 3], **told)
        assert curve.points[0].result.value == found.value
    release = starmin.anonymize(FRAME, k=2, **told)
    assert release.value == found.value and release.verify().holds
    assert release.frame["ill"].tolist() == [row[3] for row in rows]
    proof = release.certificate
    assert proof.check(FRAME).accepted
    given = {"hierarchy": {"zip": ZIP}, "sets": {"ill": "|"}}
    assert starmin.check_certificate(proof, TABLE, **given).accepted


def test_releases_are_checked_by_what_is_told():
    found = starmin.solve(TABLE, k=2, recoding="generalization", **RANGED)
    released = found.published
    check = starmin.verify(released, k=2, original=TABLE, **RANGED)
    assert check.holds and check.consistent and check.gcp == found.value
    without = {k: v for k, v in RANGED.items() if k != "date_format"}
    with pytest.raises(starmin.TableError, match="born"):
        starmin.verify(released, k=2, original=TABLE, **without)
    finer = RANGED | {"round": {"born": "year"}}
    with pytest.raises(starmin.TableError, match="multiples of year"):
        starmin.verify(released, k=2, original=TABLE, **finer)
    higher = RANGED | {"top": {"age": 80}}
    with pytest.raises(starmin.TableError, match=r"expected a number below 80"):
        starmin.verify(released, k=2, original=TABLE, **higher)
    bare = {k: v for k, v in RANGED.items() if k != "sets"}
    assert not starmin.verify(released, k=2, original=TABLE, **bare).consistent


def test_stars_beside_floors_cost_what_they_cost():
    told = {"hierarchy": {"zip": ZIP}, "min_level": {"zip": 1}, "top": {"age": 90}}
    told["recoding"] = "suppression"
    table = TABLE.drop(["born", "ill"])
    found = starmin.solve(table, k=2, objective="stars", **told)
    floored = Floors({"zip": 1}, {"age": "90"}).on(table, {"zip": ZIP})
    best = brute_force(floored, KAnonymity(2), Objective("stars")).value
    assert found.value == found.lower_bound == best == 4
    assert found.published.rows()[:2] == [("90+", "021")] * 2
    assert starmin.verify(found.published, k=2, original=table, **told).consistent
    bounded = starmin.bound(table, k=2, objective="stars", **told)
    assert bounded.lower_bound == best
    told["recoding"] = "generalization"
    ranged = starmin.solve(table, k=2, objective="stars", **told)
    assert ranged.value <= best and ranged.certified_bound is None


def test_widths_levels_and_missing_codes_reach_the_scales():
    rows = [["1", "a"], ["3", "b"], ["-9", "a"], ["-9", "a"]]
    table = Table.from_rows(["x", "y"], rows, qi=["x", "y"])
    tree = Taxonomy.parse("{n{a,b},c}")
    told = {"numeric": ["x"], "hierarchy": {"y": tree}, "missing": ["-9"]}
    told |= {"width": {"x": (None, 1)}, "max_level": {"y": 1}}
    found = starmin.solve(table, k=2, recoding="generalization", **told)
    assert [row[0] for row in found.published.rows()] == ["*", "*", "-9", "-9"]
    assert [row[1] for row in found.published.rows()] == ["n", "n", "a", "a"]
    scales = Scales.of(table, ["x"], {"y": tree}, ["-9"])
    assert found.problem.objective.scales.as_json()["x"]["width"] == "..1"
    assert scales.as_json()["x"]["missing"] == ["-9"]


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"sets": {"il": "|"}}, "sets: no column 'il' .nearest: 'ill'"),
        ({"sets": {"ill": ""}}, "sets: expected what separates the parts"),
        ({"top": {"agee": 9}}, "column 'agee' has a floor but is not a quasi"),
        ({"top": {"age": "x"}}, "expected a number for a top"),
        ({"min_level": {"zip": 1}}, "has a least level but has no hierarchy"),
        ({"date_format": {"born": "%d.%m.%y"}}, "a format of times but is not"),
        ({"round": {"age": 5}}, "a step of rounding but is not numeric"),
    ],
)
def test_what_cannot_be_is_one_line(told, why):
    ranged = {"date_format", "round"} & set(told)
    more = {"recoding": "generalization"} if ranged else {}
    for call in (starmin.solve, starmin.bound):
        with pytest.raises(starmin.TableError, match=why) as refused:
            call(TABLE, k=2, **told, **more)
        assert "\n" not in str(refused.value)
    with pytest.raises(starmin.TableError, match=why):
        starmin.frontier(FRAME, k=[2], **told, **more)


def test_mappings_are_asked_for():
    with pytest.raises(TypeError, match="sets"):
        starmin.solve(TABLE, k=2, sets="ill=|")
