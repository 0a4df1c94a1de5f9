"""Tests of rules: what is above a value, in the command line and in Python."""

import json
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest

import starmin
from starmin.instances import Table, TableError, Taxonomy
from starmin.instances.scales.taxonomies.column_hierarchy import opened, tree_of_column

PEOPLE = """zip,age,born,sex
02139,45,2024-01-31,f
02140,47,2024-02-01,f
02141,91,2023-12-01,m
03601,93,2023-11-30,m
03602,17,1999-05-05,f
?,12,1998-05-05,f
"""


@pytest.mark.parametrize(
    ("rule", "values", "above"),
    [
        ("prefix:3,1", ["02139", "02140"], {"02139": ("021*", "0*")}),
        ("prefix: 3 , 2", ["SW1A", "SW2B"], {"SW1A": ("SW1*", "SW*")}),
        ("prefix:1", ["a1", "b2"], {"a1": ("a*",), "b2": ("b*",)}),
        (
            "prefix:4,2",
            ["J45.0", "J45"],
            {"J45": ("J45", "J4*"), "J45.0": ("J45.*", "J4*")},
        ),
        ("prefix:2", ["021", "02"], {"021": ("02*",), "02": ("02*",)}),
        ("ranges:5,10", ["7", "12"], {"7": ("5-9", "0-9"), "12": ("10-14", "10-19")}),
        ("ranges:0.5", ["0.7"], {"0.7": ("[0.5, 1)",)}),
        ("ranges:10", ["-3", "3"], {"-3": ("[-10, 0)",), "3": ("[0, 10)",)}),
        (
            "ranges:5,20,90+",
            ["88", "90", "97"],
            {"88": ("85-89", "80-89"), "97": ("90+",)},
        ),
        ("ranges:10,<18", ["17", "18", "3"], {"17": ("<18",), "18": ("18-19",)}),
        ("ranges:1000,<0,5000+", ["-5", "4999.5"], {"4999.5": ("[4000, 5000)",)}),
        ("cuts:18,30,65", ["3", "18", "64", "65"], {"3": ("<18",), "64": ("30-64",)}),
        (
            "cuts:18,30,65/18,65",
            ["44", "70"],
            {"44": ("30-64", "18-64"), "70": ("65+",)},
        ),
        ("cuts:18.5,25,30", ["18.5", "24.99"], {"24.99": ("[18.5, 25)",)}),
        ("cuts:0", ["-1", "0"], {"-1": ("<0",), "0": ("0+",)}),
        ("cuts:10,20/20", ["5", "15"], {"5": ("<10", "<20"), "15": ("10-19", "<20")}),
        ("month,year", ["2024-05-31"], {"2024-05-31": ("2024-05", "2024")}),
        ("dates:quarter", ["2024-05-31"], {"2024-05-31": ("2024-Q2",)}),
        ("dates:year:%d.%m.%Y", ["31.5.2024"], {"31.5.2024": ("2024",)}),
        ("dates:year,decade:%d/%m/%y", ["31/05/24"], {"31/05/24": ("2024", "2020s")}),
        ("day,month:", [], None),
        (
            "dates:day:%Y-%m-%d %H:%M",
            ["2024-05-31 09:30"],
            {"2024-05-31 09:30": ("2024-05-31",)},
        ),
    ],
)
def test_a_rule_says_what_is_above_a_value(rule, values, above):
    if above is None:
        with pytest.raises(TableError, match=r"expected a rule prefix:\.\., ranges"):
            starmin.hierarchy_rule(rule)
        return
    tree = starmin.hierarchy_rule(rule).tree([*values, "?", None])
    assert {leaf: tree.ancestors[leaf][:-1] for leaf in above} == {
        leaf: tuple(node for node in nodes if node != leaf)
        for leaf, nodes in above.items()
    }
    assert tree.ancestors["?"] == tree.ancestors[""] == ("*",)


def test_a_published_node_holds_its_values_and_no_other():
    """Of numbers, by reading the nodes anew; bands of a level are apart."""
    values = [str(Decimal(x) / 4) for x in range(-40, 500, 3)]
    for rule in ("ranges:2.5,5,20,<3,77+", "cuts:-1,0,7.5,60/0,60"):
        tree = starmin.hierarchy_rule(rule).tree(values)
        for leaf, above in tree.ancestors.items():
            for node in above[:-1]:
                assert all(
                    holds(node, value) == (node in up)
                    for value, up in tree.ancestors.items()
                )
            assert leaf in values


def holds(node: str, value: str) -> bool:
    """Whether a number is in a range, as it is written."""
    number = float(value)
    if node[0] == "<":
        return number < float(node[1:])
    if node[-1] == "+":
        return number >= float(node[:-1])
    low, high = node.strip("[)").split(", ")
    return float(low) <= number < float(high)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("prefix:1,3", "the longest first"),
        ("prefix:0", "lengths of prefixes"),
        ("prefix:x", "expected lengths as 3,2,1; got 'x'"),
        ("prefix:", "expected lengths"),
        ("ranges:5,12", "each a multiple of the one before"),
        ("ranges:90+", "expected widths, at most one"),
        ("ranges:5,80+,90+", "at most one as <18 and one as 90"),
        ("ranges:5,<90,18+", "expected <90 to end before 18"),
        ("ranges:five", "expected a number"),
        ("cuts:30,18", "numbers that ascend"),
        ("cuts:18,65/18,30", "some numbers of the level before"),
        ("cuts:", "expected a number"),
        ("dates:year,month", "in this order"),
        ("dates:week", "expected some of day,month"),
        ("dates:year:", "expected a form"),
        ("postcode:3", "expected a rule prefix:"),
    ],
)
def test_what_is_no_rule_is_refused(rule, why):
    with pytest.raises(TableError, match=why):
        starmin.hierarchy_rule(rule)


OPEN = "0-4;0-9;*\n5-9;0-9;*\n[10, 20[;10+;*\n>=20;10+;*\nunknown;*\n"


def test_leaves_that_are_ranges_or_prefixes_hold_values(tmp_path):
    (tmp_path / "h.csv").write_text(OPEN)
    tree = Taxonomy.read(tmp_path / "h.csv")
    found = opened(tree, ["3", "19.5", "20", "unknown", "?"]).ancestors
    assert found["3"] == ("0-4", "0-9", "*")
    assert found["19.5"] == ("[10, 20[", "10+", "*")
    assert found["20"] == (">=20", "10+", "*")
    assert found["unknown"] == ("*",) and len(found) == 4
    assert opened(tree, ["0-4", "unknown"]) is tree
    assert opened(tree, ["4.5", "unknown"]) is tree  # in no range
    (tmp_path / "z.csv").write_text("021*;MA;*\n0214*;Cambridge;MA;*\n03***;NH;*\n")
    zips = Taxonomy.read(tmp_path / "z.csv")
    found = opened(zips, ["02139", "02140", "03601"]).ancestors
    assert found["02139"] == ("021*", "MA", "*")
    assert found["02140"] == ("0214*", "Cambridge", "MA", "*")
    assert found["03601"] == ("03***", "NH", "*")
    overlapping = Taxonomy([("0-5", "*"), ("5-9", "*"), ("10-19", "*")])
    assert opened(overlapping, ["7"]).ancestors == {"7": ("5-9", "*")}
    with pytest.raises(TableError, match="'5' is in '0-5' and in '5-9'"):
        opened(overlapping, ["5"])


@pytest.fixture
def run(by_line):
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    Path("people.csv").write_text(PEOPLE)
    Path("age.csv").write_text(OPEN)
    Path("rules.txt").write_text(
        "# of our tables\n\nzip = prefix:3,2\nage=age.csv\nborn=month,year\nsex={f,m}\n"
    )
    return by_line


@pytest.mark.parametrize(
    "told",
    [
        "zip=prefix:3,2 age=ranges:5,20,90+ born=year",
        "zip=prefix:3,2 age=age.csv born=month,year",
        "rules.txt",
        "zip=prefix:4,3,2,1 age=ranges:1 born=dates:decade",
        "age=cuts:18,65 zip=prefix:1 born=year,century",
    ],
)
def test_solve_and_verify_take_rules(run, told):
    told = " ".join(f"--hierarchy {each}" for each in told.split())
    options = f"people.csv --recoding generalization --k 2 {told}"
    code, out, _ = run(
        f"solve {options} --out r.csv --certificate c.json --json --quiet"
    )
    found = json.loads(out)
    assert code == 0 and found["status"] == "optimal" and found["certificate_checked"]
    check = f"verify r.csv --k 2 {told} --json"
    code, out, err = run(f"{check} --original people.csv --certificate c.json")
    assert code == 0, err
    said = json.loads(out)
    assert said["holds"] and said["consistent"] and said["certificate"]["accepted"]
    assert said["gcp"] == pytest.approx(found["gcp"])
    code, out, err = run(check)  # values are not known, nodes are
    assert code == 0 and json.loads(out)["holds"], err


def test_a_rule_serves_the_next_month(run):
    """New values need no other rule, where a list of values refuses them."""
    code, _, _ = run("hierarchy people.csv zip --prefix 3 --out zip.csv --quiet")
    assert code == 0
    Path("people.csv").write_text(PEOPLE.replace("02139", "02199"))
    line = "solve people.csv --recoding generalization --k 2 --quiet --hierarchy zip="
    assert run(f"{line}zip.csv")[0] == 2
    assert run(f"{line}prefix:3")[0] == 0


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ("age=prefix:x", "--hierarchy age: prefix: expected lengths"),
        ("sex=ranges:5", "column 'sex': expected a number as 42 or -1.5, got"),
        (
            "zap=prefix:3",
            "zap: people.csv has no such quasi-identifier or sensitive column "
            "(nearest: 'zip')",
        ),
        ("zip=prefix:3 --hierarchy rules.txt", "column 'zip' is named twice"),
        (
            "wrong.txt",
            "wrong.txt: line 2: expected COLUMN=RULE as zip=prefix:3,1, got 'A;*'",
        ),
        ("age.csv", "a hierarchy's own file is named as COLUMN=age.csv"),
        ("sex=dates:year:%d.%m.%Y", "expected a date of the form %d.%m.%Y"),
        ("zip", "expected COLUMN=FILE, COLUMN=RULE"),
    ],
)
def test_what_does_not_fit_is_told_in_a_line(run, told, why):
    Path("wrong.txt").write_text("zip=prefix:3\nA;*\n")
    code, _, err = run(
        f"solve people.csv --recoding generalization --k 2 --hierarchy {told}"
    )
    assert code == 2 and why in err and err.count("\n") == 1


def test_python_takes_rules_and_their_texts(tmp_path):
    people = pd.read_csv(pd.io.common.StringIO(PEOPLE), dtype=str)[
        ["zip", "age", "born"]
    ]
    texts = {"zip": "prefix:3,2", "age": "ranges:5,20,90+", "born": "month,year"}
    objects = {
        "zip": starmin.PrefixRule((3, 2)),
        "age": starmin.RangeRule(("5", "20"), top="90"),
        "born": starmin.DateRule(("month", "year")),
    }
    assert objects == {c: starmin.hierarchy_rule(text) for c, text in texts.items()}
    path = tmp_path / "rules.txt"
    path.write_text("".join(f"{column}={text}\n" for column, text in texts.items()))
    found = [
        starmin.anonymize(people, k=2, hierarchy=given)
        for given in (texts, objects, path, str(path))
    ]
    assert {each.value for each in found} == {found[0].value}
    assert found[0].verify().holds and found[0].certificate.check(people).accepted
    proof = starmin.check_certificate(found[0].certificate, people, texts)
    assert proof.accepted
    table = starmin.from_frame(people)
    solved = starmin.solve(table, k=2, recoding="generalization", hierarchy=texts)
    assert (
        solved.lower_bound == starmin.bound(table, k=2, hierarchy=objects).lower_bound
    )
    for original in (table, None):
        check = starmin.verify(
            solved.published, k=2, original=original, hierarchy=texts
        )
        assert check.holds and check.consistent is (None if original is None else True)
    with pytest.raises(TableError, match="no folder and no file of rules"):
        starmin.anonymize(people, k=2, hierarchy="none.txt")
    with pytest.raises(
        TableError, match="no quasi-identifier or sensitive column 'zap'"
    ):
        starmin.anonymize(people, k=2, hierarchy={"zap": "prefix:3"})


def test_a_release_alone_has_nodes_of_every_kind():
    """Each node that a rule makes is known again where no value is."""
    days = [date(1899, 12, 31) + timedelta(days=97 * i) for i in range(500)]
    numbers = [str(x / 4) for x in range(-100, 500)]
    for rule, values in (
        ("prefix:4,3,1", [f"{i:05}" for i in range(0, 9999, 37)]),
        ("ranges:5,10,<18,90+", [str(x) for x in range(120)]),
        ("ranges:0.5,2,<-3,77.5+", numbers),
        ("cuts:18,30,65/18,65", [str(x) for x in range(99)]),
        ("cuts:-1.5,0,30.25/0", numbers),
        ("dates:day,month,quarter,year,decade,century", [d.isoformat() for d in days]),
        ("dates:month,year:%d.%m.%Y", [d.strftime("%d.%m.%Y") for d in days]),
    ):
        tree = starmin.hierarchy_rule(rule).tree(values)
        for column in (tree.labels[len(values) :], tree.labels):
            released = Table.from_rows(["a"], [[text] for text in column], qi=["a"])
            known = tree_of_column(
                starmin.hierarchy_rule(rule), released, "a", released="*"
            )
            assert {*column} <= {*known.labels}
            for node in set(column) & {*tree.ancestors}:
                assert known.ancestors[node] == tree.ancestors[node]
