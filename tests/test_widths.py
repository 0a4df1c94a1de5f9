"""Tests that ranges are as long as is asked: widened, or hidden as stars."""

import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

from starmin.cli.app import main
from starmin.instances import (
    Coding,
    GeneralizedRelease,
    Objective,
    Partition,
    Scales,
    Table,
    TableError,
    Taxonomy,
)
from starmin.instances.scales.numbers import Width
from starmin.verify.cells.cells import lost_cells
from starmin.verify.cells.read_cells import read_cells

AGES = ["20", "21", "30", "31.0", "31", "58", "60", "40", "60"]
GROUPS = Partition(np.array([0, 0, 1, 1, 2, 3, 3, 2, 0], np.int32))


def released(ages, **told):
    table = Table.from_rows(["age"], [[age] for age in ages], qi=["age"])
    scales = Scales.of(table, ["age"], **told)
    partition = Partition(GROUPS.groups[: len(ages)])
    value = partition.value(table, objective := Objective("gcp", scales=scales))
    published = GeneralizedRelease(table, partition, scales).published
    return published.cells("age"), value / objective.whole(table), published, table


def test_ranges_are_widened_and_hidden_as_by_hand():
    widths = {"age": Width.parse("5..12")}
    cells, loss, published, table = released(AGES, widths=widths)
    shown = ["*", "*", "[30-35]", "[30-35]", "[31-40]", "[55-60]", "[55-60]", "[31-40]"]
    assert [*cells] == [*shown, "*"]
    assert loss == pytest.approx((3 + (4 * 5 + 2 * 9) / 40) / 9)
    meaning = read_cells(
        published, Coding("generalization", numeric=("age",), widths=widths), table
    )
    assert lost_cells(published, meaning) == pytest.approx(loss * 9)
    for width, cell in ("6..", "[30-35]"), ("..8", "[31-40]"):
        with pytest.raises(TableError, match="a width of") as refused:
            read_cells(
                published,
                Coding(
                    "generalization",
                    numeric=("age",),
                    widths={"age": Width.parse(width)},
                ),
            )
        assert repr(cell) in str(refused.value)
    # Rounded ends stay multiples; a star is all that counts as lost.
    rounded = {"steps": {"age": "4"}, "widths": {"age": Width.parse("5..13")}}
    cells, loss, published, _ = released(AGES, loss="stars", **rounded)
    assert sorted({*cells}) == ["*", "[28-36]", "[28-40]", "[52-60]"]
    assert loss == 3 / 9
    assert read_cells(published, Coding("generalization", numeric=("age",), **rounded))


@pytest.mark.parametrize("text", ["5", "..", "5..4", "-1..4", "0..4", "a..", "1..2..3"])
def test_what_is_no_width_is_refused(text):
    with pytest.raises(TableError, match="width"):
        Width.parse(text)


def test_widths_that_no_range_can_have_are_refused():
    with pytest.raises(TableError, match="at most 40, the length of all"):
        released(AGES, widths={"age": Width("41")})
    with pytest.raises(TableError, match="multiples of 25"):
        released(AGES, steps={"age": "25"}, widths={"age": Width("5", "20")})
    with pytest.raises(TableError, match="not numeric"):
        table = Table.from_rows(["a"], [["x"]], qi=["a"])
        tree = {"a": Taxonomy.parse("{x,y}")}
        Scales.of(table, (), tree, widths={"a": Width("5")})


def test_commands_take_widths(capsys, tmp_path, monkeypatch):
    def starmin(line):
        monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
        return main(), capsys.readouterr()

    monkeypatch.chdir(tmp_path)
    rows = [f"{17 + i * i % 71},{'fm'[i % 2]}" for i in range(40)]
    Path("people.csv").write_text("\n".join(["age,sex", *rows]) + "\n")
    told = "--k 3 --recoding generalization --numeric age --json --quiet"
    line = f"solve people.csv {told} --width age=4..20 --time-limit 30 --out o.csv"
    code, said = starmin(f"{line} --certificate p.json")
    found = json.loads(said.out)
    assert code == 0 and 0 < found["certified_bound"] <= found["value"]
    check = f"verify o.csv {told} --original people.csv"
    proven = f"{check} --certificate p.json --width age"
    code, said = starmin(f"{proven}=4..20")
    checked = json.loads(said.out)
    assert code == 0 and checked["consistent"] and checked["certificate"]["accepted"]
    assert checked["gcp"] == found["value"]
    code, said = starmin(f"{proven}=4..21")
    assert code == 1 and "ranges" in json.loads(said.out)["certificate"]["why"]
    for option, why in (
        ("--width age=9..", "expected a range with a width of 9.., got"),
        ("--width age=9", "--width: expected widths above 0 as 5..20"),
        ("--width sex=9..", "--width: column 'sex' is not among those of --numeric"),
    ):
        code, said = starmin(f"{check} {option}")
        assert code == 2 and why in said.err and said.err.count("\n") == 1
