"""Tests that tables published under announced classes keep what was announced."""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from starmin.commands.linkage.linkage import PUBLISH_EXAMPLES
from starmin.instances import Table, TableError
from starmin.models.linkage.broadcast import BroadcastClasses, publish_broadcast
from starmin.verify.linkage import Generalization, attack, check_broadcast


@pytest.fixture
def run(by_line):
    """Run a command in a folder of its own: exit code, stdout, stderr."""
    return lambda line: by_line(f"linkage {line}")


def drawn(rng: np.random.Generator) -> tuple[Table, list[Table]]:
    """Random classes of all pairs of two columns, and two owners' rows."""
    pairs = [(str(a), b) for a in range(-2, 3) for b in "xyz"]
    sizes = rng.integers(1, 5)
    announced = [(*pair, f"C{rng.integers(sizes)}") for pair in pairs]
    owners = []
    for _ in range(2):
        at = rng.integers(len(pairs), size=rng.integers(1, 60))
        rows = [(*pairs[i], f"s{rng.integers(4)}", "other") for i in at]
        owners.append(
            Table.from_rows(["a", "b", "s", "o"], rows, qi=["a", "b"], sensitive=["s"])
        )
    return Table.from_rows(["a", "b", "class"], announced, ["a", "b", "class"]), owners


def test_release_shows_the_values_of_each_class_and_linking_leaves_what_is_common():
    rng = np.random.default_rng(10)
    for _ in range(60):
        announced, owners = drawn(rng)
        of = {(a, b): c for a, b, c in announced.rows()}
        shared = BroadcastClasses.from_table(announced)
        values = []  # by owner and class, from the rows alone
        releases = []
        for owner in owners:
            owner = owner.drop(["o"])
            released = publish_broadcast(owner, shared, numeric=["a"])
            seen = defaultdict(set)
            for a, b, s in owner.rows():
                seen[of[a, b]].add(s)
            values.append(seen)
            counts = {c: len(seen[c]) for c in set(of.values())}
            for l in range(1, 5):
                found = check_broadcast(released, owner, announced, l)
                assert found.why is None
                assert found.least == min(counts.values())
                assert set(found.failing) == {c for c, n in counts.items() if n < l}
            releases.append(released)
        matchings = {"a": Generalization()}
        after = attack(releases, announced, matchings)
        types = after.targets.row_types
        for row, n in zip(types.codes, after.after, strict=True):
            person = {
                column: after.targets.dictionary(column)[code]
                for column, code in zip(after.targets.qi, row, strict=True)
            }
            label = of[person["a"], person["b"]]
            assert n == len(values[0][label] & values[1][label])


def test_check_finds_each_kind_of_wrong_row():
    announced = Table.from_rows(
        ["a", "class"], [["1", "A"], ["2", "A"], ["3", "B"]], ["a", "class"]
    )
    people = Table.from_rows(["a", "s"], [["1", "x"], ["3", "y"]], ["a"], ["s"])

    def why(*rows: tuple[str, str, str]) -> str | None:
        told = Table.from_rows(["class", "a", "s"], rows, ["class", "a"], ["s"])
        return check_broadcast(told, people, announced, 1).why

    assert why(("A", "1-2", "x"), ("B", "3", "y")) is None
    assert why(("A", "1-2", "x"), ("A", "3", "y")) == (
        "row 2: class 'A' was not announced for it"
    )
    assert why(("A", "2", "x"), ("B", "3", "y")) == (
        "row 1: its a does not stand for that of the table"
    )
    assert why(("A", "1-2", "y"), ("B", "3", "y")) == "row 1: s is 'x', not 'y'"
    assert why(("A", "1-2", "x")) == "1 rows of 2"


def test_cells_depend_on_the_classes_alone():
    announced = Table.from_rows(
        ["a", "b", "class"],
        [["10", "x", "A"], ["9", "x", "A"], [None, "y", "B"], ["7", "z", "B"]],
        ["a", "b", "class"],
    )
    people = Table.from_rows(
        ["a", "b", "s"], [["9", "x", "1"], ["7", "z", "1"]], ["a", "b"], ["s"]
    )
    shared = BroadcastClasses.from_table(announced)
    assert publish_broadcast(people, shared, numeric=["a"]).rows() == [
        ("A", "9-10", "x", "1"),
        ("B", "*", "*", "1"),
    ]
    assert publish_broadcast(people, shared).rows()[0] == ("A", "*", "x", "1")
    with pytest.raises(TableError, match="is not numeric"):
        publish_broadcast(people, shared, numeric=["b"])


PEOPLE = "age,zip,ill\n8,1,p\n9,2,q\n12,1,p\n13,1,q\n"
CLASSES = "age,class\n8,1\n9,1\n12,2\n13,2\n"


def test_command_publishes_waits_and_refuses_classes_with_too_few_values(run) -> None:
    Path("people.csv").write_text(PEOPLE)
    Path("classes.csv").write_text(CLASSES)
    line = "publish people.csv --qi age --numeric age --sensitive ill --l 2 "
    line += "--classes classes.csv --out out.csv --json"
    code, out, err = run(f"{line} --samples 4")
    assert code == 0 and err == ""
    assert json.loads(out)["left_out"] == ["zip"]
    assert Path("out.csv").read_text() == (
        "class,age,ill\n1,8-9,p\n1,8-9,q\n2,12-13,p\n2,12-13,q\n"
    )
    Path("out.csv").unlink()
    code, out, _ = run(f"{line} --samples 5")
    assert code == 1 and not json.loads(out)["holds"] and not Path("out.csv").exists()
    Path("classes.csv").write_text(CLASSES + "14,3\n")  # nobody is in it
    code, out, _ = run(line)
    assert code == 1 and json.loads(out)["failing"] == ["3"]
    assert not Path("out.csv").exists()


@pytest.mark.parametrize(
    ("classes", "more", "message"),
    [
        ("age,class\n8,1\n9,1\n12,2\n", "", "row 4 ('13',) and 0 more are in no class"),
        (CLASSES + "8,2\n", "", "row 5 is in class '2' and, above it, in another"),
        ("class\n1\n", "", "the class as the last one"),
        ("size,class\n1,1\n", "", "quasi-identifier 'age' is none of the classes"),
        (CLASSES.replace("class", "ill"), "", "name it otherwise"),
        (CLASSES, "--numeric zip", "'zip' is not a quasi-identifier"),
        (CLASSES, "--star 8", "'8'"),
    ],
)
def test_wrong_classes_are_one_line_and_exit_2(run, classes, more, message) -> None:
    Path("people.csv").write_text(PEOPLE)
    Path("classes.csv").write_text(classes)
    line = "publish people.csv --qi age --sensitive ill --l 2 --classes classes.csv "
    code, out, err = run(f"{line} --out out.csv {more}")
    assert code == 2 and out == "" and not Path("out.csv").exists()
    assert err.count("\n") == 1 and message in err


def test_examples_of_the_help_run(run) -> None:
    for example in PUBLISH_EXAMPLES:
        code, _, err = run(example.removeprefix("starmin linkage "))
        assert code == 0 and err == "", example
