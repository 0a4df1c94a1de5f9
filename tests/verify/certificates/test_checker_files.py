"""Tests of what the checker of one file reads: files and words no kept proof has."""

import json
from pathlib import Path

import pytest

from starmin.verify import checker

SQUARE = "a,b\n0,0\n0,1\n1,0\n1,1\n"
ONES = {"denominator": 1, "prices": [1] * 4}


def proof(theorem, data, bound, n, qi, requirement=None, **objective):
    table = {"name": "t", "n": n, "d": len(qi), "qi": qi, "sensitive": []}
    goal = {"kind": "stars", "weights": {}, "keep": [], **objective}
    asked = requirement or {"k": 2}
    return {
        "starmin_certificate": 2,
        "table": table,
        "requirement": asked,
        "objective": goal,
        "kind": theorem,
        "bound": bound,
        "data": data,
    }


@pytest.fixture
def asked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def ask(table, content, *words):
        Path("t.csv").write_text(table)
        text = content if isinstance(content, str) else json.dumps(content)
        Path("c.json").write_text(text)
        monkeypatch.setattr("sys.argv", ["checker.py", "t.csv", "c.json", *words])
        code = checker.main()
        return code, capsys.readouterr().out

    return ask


def test_a_blank_line_of_one_column_is_a_row(asked):
    """Of the rows 1, 1, 2 three stars are proven, of these and a missing value two."""
    nodes = [{"split": [0, 0]}, {"prices": [0, 1, 1, 1]}, {"prices": [0, -1, 1, 3]}]
    data = {"denominator": 1, "prices": [1, 1], "patterns": [[0]], "cuts": []}
    content = proof("tree", {**data, "nodes": nodes}, 3, 3, ["a"])
    assert asked("a\n1\n1\n2\n", content)[0] == 0
    assert asked("a\n1\n1\n2\n\n", content)[0] == 2


def test_rows_have_as_many_cells_as_the_header(asked):
    wanted = {"rules": [{"columns": ["a"], "k": 2}], "semantics": "source"}
    content = proof("rules", {"denominator": 1, "prices": []}, 1, 3, ["a"], wanted)
    assert asked("a,b\n1,x\n1,y\n2,z\n", content)[0] == 0
    code, said = asked("a,b\n1,x\n1,y\n2,3,z\n", content)
    assert code == 2 and "another number of cells" in said


def test_no_entry_is_named_twice(asked):
    text = json.dumps(proof("prices", ONES, 4, 4, ["a", "b"]))
    assert asked(SQUARE, text)[0] == 0
    code, said = asked(SQUARE, text[:-1] + ', "bound": 3}')
    assert code == 2 and "named twice" in said
    assert asked(SQUARE, "[" * 200_000)[0] == 2
    assert asked("a,b\n", proof("prices", ONES, 0, 0, ["a", "b"]))[0] == 1


def test_sentences_say_what_is_counted(asked):
    content = proof("prices", ONES, 4, 4, ["a", "b"], {"k": 2, "delete_rows": "row"})
    told = "accepted: no release has fewer than 4 stars, deleted rows counted\n"
    assert asked(SQUARE, content) == (0, told)
    content = proof("prices", ONES, 4, 4, ["a", "b"], kind="tuples")
    assert asked(SQUARE, content)[1].endswith(" 4 suppressed rows\n")


def test_words_are_parted_where_they_should_be(asked):
    scale = {"scale": "taxonomy", "fingerprint": "sha256:", "loss": "ncp"}
    Path("h.csv").write_text("0;*\n1;*\n\n2;*\n3;*\n")
    Path("people=.csv").write_text("b\n")
    data = {"denominator": 1, "prices": [0] * 4}
    for name in ("a", "a=b"):
        goal = {"kind": "gcp", "scales": {name: scale}}
        content = proof("prices", data, 0, 4, [name], **goal)
        words = "--population=people=.csv", f"{name}=h.csv"
        assert asked(f"{name}\n0\n1\n2\n3\n", content, *words)[0] == 0


def test_people_are_counted_by_the_column_named_behind_them(asked):
    """Two tables of as many people; each is read for its own rules."""
    Path("p.csv").write_text("a,n\n0,9\n1,5\n2,5\n")
    Path("q.csv").write_text("a,n\n0,6\n1,6\n2,7\n")
    count, p, q = "--population-count=n", "--population=p.csv", "--population=q.csv"

    def rules(k, columns, people):
        among = {"columns": columns, "people": people}
        rule = {"columns": ["a"], "k": k}
        return {"rules": [rule], "semantics": "source", "population": among}

    def of(bound, *parts):
        data = {"denominator": 1, "prices": []}
        return proof("rules", data, bound, 3, ["a"], {"all_of": list(parts)})

    counted, lines = (["a"], 19), (["a", "n"], 3)
    table = "a\n0\n1\n2\n"
    assert asked(table, of(2, rules(6, *counted)), p, count)[0] == 0
    both = rules(2, *counted), rules(6, *counted)
    assert asked(table, of(0, *both), p, count, q, count)[0] == 0
    assert asked(table, of(1, *both), p, count, q, count)[0] == 1
    one = rules(6, *counted), rules(2, *lines)
    assert asked(table, of(3, *one), p, count, q)[0] == 0
    other = rules(2, *lines), rules(6, *counted)
    assert asked(table, of(3, *other), q, p, count)[0] == 0
    three = rules(6, *counted), rules(6, *counted), rules(6, *counted)
    assert asked(table, of(0, *three), *(q, count) * 3)[0] == 0
