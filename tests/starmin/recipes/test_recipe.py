"""Tests that a settings file asks what the command line asks, of the next table too."""

import inspect
import json
import random
import shlex
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import polars
import pytest

import starmin
from starmin.cli.app import main
from starmin.commands.solve import solve
from starmin.instances import Table, TableError, read_table, write_table
from starmin.instances.tables.names import join_names as join
from starmin.recipes.recipe import Recipe
from starmin.recipes.text import recipe_text, schema
from starmin.recipes.told import apart, column_keys, joined, keys, section_keys
from tests.support.effort import seeds
from tests.support.report_pages import Page

pytestmark = pytest.mark.usefixtures("undrawn")

VALUES: dict[str, Any] = {
    "k": 5,
    "diversity": "entropy",
    "person": "id of person",
    "missing_sensitive": "any",
    "qi": 'age,"a, b",x.y,"first\nname","cr\r\nlf","only\rcr","say ""so""", blank ',
    "sensitive": "s",
    "drop": "name,'quoted'",
    "unchanged": "note",
    "weight": "w",
    "sets": ["langs=;"],
    "sep": "\\t",
    "recoding": "generalization",
    "star": "-",
    "numeric": "age,born",
    "date_format": ["born=%d.%m.%Y"],
    "hierarchy": [
        *("x.y={tame{cat,dog},rat}", "zip=prefix:3,1", "z=trees/z.csv"),
        *("first\nname=prefix:1", "cr\r\nlf={u,v}"),
    ],
    "missing": "-9,NA",
    "steps": "age=5",
    "width": '"a, b=..20",age=5..20',
    "top": "age=90",
    "max_level": "x.y=1",
    "objective": "gcp",
    "loss": "granularity",
    "weights": 'age=3,"first\nname=2","cr\r\nlf=4"',
    "keep": "age",
    "method": "forest",
    "time_limit": 2.5,
    "gap": 0.01,
    "seed": 3,
    "workers": 1,
    "combinations": "1:20,2:10",
    "shuffle": True,
    "out": Path("out/r.csv"),
    "report": Path("r.html"),
}
KINDS: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": int | float,
}
MORE_ROLES = {"sexx": "quasi-identifier", "town": "unchanged", "tax": "identifier"}
ROWS = """name,age,sex,zip,ill
a,30,f,02139,flu
b,31,f,02138,flu
c,45,m,02134,cold
d,47,m,10001,flu
e,47,m,10002,cold
f,91,f,10003,flu
g,33,f,02139,cold
h,44,m,02138,flu
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Call a command in a folder with the table; its code, and what it said."""
    monkeypatch.chdir(tmp_path)
    Path("may.csv").write_text(ROWS)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["starmin", *words])
        return main(), *capsys.readouterr()

    return call


@pytest.mark.parametrize("seed", seeds(20))
def test_what_is_written_is_read_again(seed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = random.Random(seed)
    given = {n: VALUES[n] for n in rng.sample([*VALUES], rng.randint(1, 20))}
    if "date_format" in given:
        given["numeric"] = VALUES["numeric"]
    folder = Path("kept") if seed % 2 else Path()
    folder.mkdir(exist_ok=True)
    (path := folder / "a.toml").write_text(recipe_text(apart(given), (), folder))
    read = joined(Recipe.read(path).told)
    for name in ("qi", "numeric"):  # columns may stand in another order
        assert sorted(apart(read).get(name, ())) == sorted(apart(given).get(name, ()))
    for files in (read, given):
        if "hierarchy" in files:
            named = (each.partition("=") for each in files["hierarchy"])
            files["hierarchy"] = sorted((c, Path(t)) for c, _, t in named)
        for name in ("out", "report"):
            if name in files:
                files[name] = files[name].resolve()
    order = {"qi", "numeric", "width"}
    assert {k: v for k, v in read.items() if k not in order} == {
        k: v for k, v in given.items() if k not in order
    }


@pytest.mark.parametrize(
    "words",
    [
        "--method mondrian --k 2",
        "--method pattern_annealing --k 2 --seed 7 --time-limit 60",
        "--k 3 --drop name --sensitive ill --numeric age --round age=5 --top age=90 "
        "--hierarchy zip=prefix:3,1 --recoding generalization --method gray_order",
        "--k 2 --drop name,zip --sensitive ill --unchanged sex --method forest",
    ],
)
def test_a_saved_recipe_makes_the_same_release(words, run):
    code, _, said = run(
        "solve", "may.csv", *words.split(), "--out", "1.csv", "--save-recipe", "a.toml"
    )
    assert code == 0 and ("published as they are" in said) is False
    assert run("solve", "may.csv", "--recipe", "a.toml", "--out", "2.csv")[0] == 0
    assert Path("1.csv").read_bytes() == Path("2.csv").read_bytes()
    assert (
        run("solve", "may.csv", "--recipe", "a.toml", "--save-recipe", "b.toml")[0] == 0
    )
    same = [Recipe.read(Path(f"{name}.toml")).told for name in "ab"]
    assert {**same[0], "out": 0} == {**same[1], "out": 0}


def test_a_column_of_a_spreadsheet_may_have_a_line_break_in_its_name(run):
    """Its recipe is read back, its report's command too, its release and its tree."""
    table = Table.from_rows(
        ["first\nname", "year,\nborn", "ill"],
        [[f"n{i % 3}", str(1950 + i), "ab"[i % 2]] for i in range(12)],
        ["first\nname"],
    )
    write_table(table, "a.xlsx")
    assert run("new", "a.xlsx", "--k", "2", "--out", "new.toml")[0] == 0
    assert run("solve", "a.xlsx", "--recipe", "new.toml", "--method", "forest")[0] == 0
    read = read_table("a.xlsx").names
    qi = join(read[:2])
    words = ("--k", "2", "--qi", qi, "--sensitive", "ill", "--numeric", join(read[1:2]))
    words += ("--recoding", "generalization", "--method", "gray_order")
    words += ("--hierarchy", f"{read[0]}=prefix:1", "--round", join([f"{read[1]}=2"]))
    more = "--save-recipe", "a.toml", "--out", "1.xlsx"
    code, out, said = run("solve", "a.xlsx", *words, *more, "--report", "page.html")
    assert code == 0, said
    assert all(line[:10].strip() for line in out.splitlines())  # each has a label
    assert run("solve", "a.xlsx", "--recipe", "a.toml", "--out", "2.xlsx")[0] == 0
    assert read_table("1.xlsx").rows() == read_table("2.xlsx").rows()
    line = next(code for code in Page(Path("page.html").read_text()).codes)
    assert run(*shlex.split(line.replace("\\\n", " "))[1:])[0] == 0


@pytest.mark.parametrize("ending", ["xlsx", "parquet", "csv"])
@pytest.mark.parametrize(
    "told", ['round = "month"', 'hierarchy = "dates:month,year{}"']
)
def test_a_declared_form_is_not_that_of_typed_dates(run, ending, told):
    """A recipe of text serves the same table with dates as such, and with ISO 8601."""
    days = [date(2024, 1 + i % 4, 3 + i) for i in range(12)]
    of_tree = told.startswith("hier")
    kind = "" if of_tree else 'kind = "date", format = "%d.%m.%Y", '
    Path("a.toml").write_text(
        f'[columns]\nseen = {{ role = "quasi-identifier", '
        f"{kind}{told.format(':%d.%m.%Y')} }}\n"
        '[objective]\nrecoding = "generalization"\n[requirement]\nk = 2\n'
    )
    texts = [f"{day:%d.%m.%Y}" for day in days]
    Path("text.csv").write_text("\n".join(["seen", *texts]))
    if ending == "csv":
        Path("typed.csv").write_text("\n".join(["seen", *map(str, days)]))
    else:
        polars.DataFrame({"seen": days}).write_parquet("typed.parquet")
    if ending == "xlsx":
        book = openpyxl.Workbook()
        for cell in ("seen", *days):
            book.active.append([cell])
        book.save("typed.xlsx")
    values = []
    for name in ("text.csv", f"typed.{ending}"):
        asked = name, "--recipe", "a.toml", "--quiet"
        words = "--out", "r.csv", "--certificate", "c.json", "--json"
        code, out, said = run("solve", *asked, *words)
        assert code == 0, said
        values.append(json.loads(out)["value"])
        check = "--original", *asked, "--certificate", "c.json"
        assert run("verify", "r.csv", *check)[0] == 0
    assert values[0] == values[1]
    frame = polars.DataFrame({"seen": days})
    made = starmin.anonymize(frame, recipe="a.toml")
    assert made.verify().gcp == pytest.approx(values[0], abs=1e-6)
    Path("both.csv").write_text("\n".join(["seen", *texts[1:], str(days[0])]))
    code, _, said = run("solve", "both.csv", "--recipe", "a.toml")
    assert code == 2 and "got '2024-01-03'" in said


def test_a_report_brings_its_recipe_and_never_replaces_the_one_that_was_read(run):
    Path("page.recipe.toml").write_text("[requirement]\nk = 2 # my own\n")
    told = "--method", "mondrian", "--report", "page.html"
    assert run("solve", "may.csv", "--recipe", "page.recipe.toml", *told)[0] == 0
    assert "my own" in Path("page.recipe.toml").read_text()
    assert run("solve", "may.csv", "--k", "3", *told)[0] == 0
    assert Recipe.read(Path("page.recipe.toml")).told["k"] == 3
    page = Path("page.html").read_text()
    assert any("--k 3" in code for code in Page(page).codes)
    assert "--recipe" not in page


def test_the_command_line_overrules_column_by_column(run):
    Path("a.toml").write_text(
        '[columns]\nname = {role = "identifier"}\nage = {role = "quasi-identifier"}\n'
        'sex = {role = "quasi-identifier"}\n'
        'zip = {role = "quasi-identifier", hierarchy = "prefix:3"}\n'
        'ill = {role = "sensitive"}\n[run]\nmethod = "forest"\n[requirement]\nk = 3\n'
    )
    words = "--drop", "zip", "--method", "auto", "--k", "2", "--json"
    code, out, _ = run("solve", "may.csv", "--recipe", "a.toml", *words)
    found = json.loads(out)
    assert (code, found["qi"], found["requirement"]["k"]) == (0, ["age", "sex"], 2)
    assert found["unchanged"] is None and found["method"] != "forest"


def test_a_limit_of_work_replaces_one_of_time(run):
    Path("a.toml").write_text("[run]\ntime-limit = 60\n[requirement]\nk = 2\n")
    words = "--drop", "name", "--work-limit", "1000"
    assert run("solve", "may.csv", "--recipe", "a.toml", *words)[0] == 0
    both = "--time-limit", "9", *words
    code, _, said = run("solve", "may.csv", "--recipe", "a.toml", *both)
    assert code == 2 and "--time-limit: not beside --work-limit" in said


def test_each_table_has_outputs_of_its_own(run):
    words = "--k", "2", "--drop", "name", "--method", "mondrian"
    files = "--out", "may.safe.csv", "--groups", "kept.csv", "--save-recipe", "a.toml"
    assert run("solve", "may.csv", *words, *files)[0] == 0
    assert 'out = "{table}.safe.csv"' in Path("a.toml").read_text()
    Path("june.csv").write_text(ROWS.replace("33,f", "34,f"))
    before = Path("may.safe.csv").read_bytes()
    assert run("solve", "june.csv", "--recipe", "a.toml")[0] == 0
    assert Path("may.safe.csv").read_bytes() == before
    assert Path("june.safe.csv").exists()


FILES = {
    "out": "r.csv",
    "groups": "kept.csv",
    "certificate": "p.json",
    "report": "page.html",
    "result": "j.json",
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_another_table_are_not_replaced_without_a_word(name, run):
    """A run on the same table goes on as before, in whatever order rows stand."""
    files = "".join(f'{key} = "{file}"\n' for key, file in FILES.items())
    asked = "[columns]\nname.role = 'identifier'\nage.kind = 'numeric'\n"
    asked += "[requirement]\nk = 2\n[objective]\nrecoding = 'generalization'\n"
    one = f"[run]\nmethod = 'mondrian'\n[output]\n{name} = '{FILES[name]}'\n"
    Path("a.toml").write_text(f"{asked}{one}")
    june = ROWS.replace("g,33", "g,34").replace("10003", "99999")
    Path("june.csv").write_text(june + "i,50,f,02139,flu\n")
    line = "solve", "june.csv", "--recipe", "a.toml"
    assert run("solve", "may.csv", *line[2:])[0] == 0
    before = Path(FILES[name]).read_bytes()
    code, out, err = run(*line)
    assert code == 2 and not out and err.count("\n") == 1
    assert f"[output] {name}: {FILES[name]} is there, and not of june.csv" in err
    assert "--overwrite" in err and Path(FILES[name]).read_bytes() == before
    assert run(*line, f"--{name}", f"other{Path(FILES[name]).suffix}")[0] == 0
    assert Path(FILES[name]).read_bytes() == before
    again = () if name != "out" else ("--shuffle",)
    for _ in range(2):
        assert run("solve", "may.csv", *line[2:], *again)[0] == 0
    assert run(*line, "--overwrite")[0] == 0
    assert Path(FILES[name]).read_bytes() != before
    Path(FILES[name]).write_text("something else")
    assert run(*line)[0] == 2
    Path("a.toml").write_text(f"{asked}[run]\nmethod = 'mondrian'\n[output]\n{files}")
    assert run(*line)[0] == 2


def test_next_months_table(run):
    Path("ill.csv").write_text("flu;lung;*\ncold;lung;*\n")
    words = (
        "solve may.csv --k 2 --drop name --recoding generalization --numeric age "
        "--hierarchy zip=prefix:3,1 --hierarchy ill=ill.csv --method gray_order"
    )
    assert run(*words.split(), "--save-recipe", "a.toml")[0] == 0
    june = ROWS.replace("g,33", "g,34.5").replace("10003", "99999")
    Path("june.csv").write_text(june)
    assert run("solve", "june.csv", "--recipe", "a.toml")[0] == 0
    for old, new, said in [
        (
            "h,44,m,02138,flu",
            "h,44,m,02138,gout",
            "row 8, column 'ill': 'gout' is no leaf of ill.csv; add it (a.toml, line ",
        ),
        ("h,44", "h,old", "'age': expected a number"),
    ]:
        Path("june.csv").write_text(june.replace(old, new))
        code, out, err = run("solve", "june.csv", "--recipe", "a.toml")
        assert code == 2 and said in err and "a.toml, line" in err and not out
        assert len(err.splitlines()) == 1
    Path("june.csv").write_text(ROWS.replace("ill\n", "mail\n"))
    assert "no column 'ill'" in run("solve", "june.csv", "--recipe", "a.toml")[2]
    text = Path("a.toml").read_text()
    more = "".join(f'\n[columns.{c}]\nrole = "{r}"\n' for c, r in MORE_ROLES.items())
    Path("b.toml").write_text(text + more)
    for words in (
        ("solve", "june.csv"),
        ("verify", "june.csv", "--original", "june.csv"),
    ):
        code, out, err = run(*words, "--recipe", "b.toml")
        assert code == 2 and not out and len(err.splitlines()) == 1, err
        assert "june.csv: no columns" in err and "names what is asked for" in err
        assert all(repr(column) in err for column in ("ill", "sexx", "town")), err
        assert ("'tax'" in err) == (words[0] == "solve")  # releases have no ids
    lines = [line + ",x" for line in june.splitlines()]
    Path("june.csv").write_text(
        "\n".join([lines[0].replace(",x", ",mail"), *lines[1:]])
    )
    code, _, err = run("solve", "june.csv", "--recipe", "a.toml")
    assert code == 2 and "column 'mail' is not in a.toml; add it to [columns]" in err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[requirement]\nkk = 5", "line 2: [requirement] kk: no key 'kk'"),
        ("[requirments]\nk = 5", "no section 'requirments' (nearest: 'requirement')"),
        (
            "[requirement]\n\nk = 'five'",
            "line 3: [requirement] k: expected a whole numb",
        ),
        ("[run]\nseed = -1", "[run] seed: expected at least 0, got -1"),
        ("[run]\nseed = true", "[run] seed: expected a whole number, got True"),
        ("[run]\ntime-limit = nan", "expected at least 0, got nan"),
        ("[objective]\nrecoding = 'star'", "expected one of suppression, generaliz"),
        (
            "[columns]\na = {role = 'qi'}",
            "line 2: [columns] a role: expected one of qua",
        ),
        (
            "[columns]\nb = {}\na = {rond = 5}",
            "line 3: [columns] a rond: no key 'rond' (",
        ),
        ("[columns.age]\nround = 'x'", "line 2: [columns] age round: "),
        ("[columns.age]\nround = 5", "[columns] age round: column 'age' is not among"),
        ("[columns.age]\nkind = 'set'", "age kind: name the separator as well"),
        (
            "[columns.age]\nkind = 'numeric'\nformat = '%Y'",
            "is for columns of kind = 'd",
        ),
        ("[columns.age]\nkeep = 'yes'", "age keep: expected true or false"),
        ("[columns]\nage = 'numeric'", "age: expected { role = "),
        ("columns = 3", "expected a table [columns]"),
        (
            "[columns.a]\nrole = 'weight'\n[columns.b]\nrole = 'weight'",
            "this role; one",
        ),
        ("[output]\nout = ''", "expected a text on one line"),
        ("[run\n", "no TOML: "),
        ("\0", "no TOML: "),
        ("[columns.agee]\nrole = 'sensitive'", "no column 'agee'"),
    ],
)
def test_errors_name_the_file_the_line_and_the_key(text, said, run):
    Path("bad.toml").write_text(text)
    code, out, err = run("solve", "may.csv", "--recipe", "bad.toml", "--out", "r.csv")
    assert code == 2 and said in err and len(err.splitlines()) == 1, err
    assert ("bad.toml" in err) or "agee" in said
    assert not out and not Path("r.csv").exists()


def test_each_option_of_solve_is_a_key_or_passes():
    named = {*inspect.signature(solve).parameters} - {"table", "context"}
    passing = {"as_json", "quiet", "recipe", "save_recipe", "shuffle_seed"}
    passing |= {"overwrite", "progress", "report_public", "mapping"}
    assert keys().keys() == named - passing
    words = [key.word for known in section_keys().values() for key in known.values()]
    assert len(words) == len({*words})


def is_a(value: Any, kind: str) -> bool:
    if kind in ("number", "integer") and isinstance(value, bool):
        return False
    return isinstance(value, KINDS[kind])


def fits(value: Any, told: dict[str, Any]) -> bool:
    """The few words of JSON Schema that the schema has, by their definition."""
    if "anyOf" in told and not any(fits(value, each) for each in told["anyOf"]):
        return False
    if "enum" in told and value not in told["enum"]:
        return False
    named = told.get("type", [])
    allowed = [named] if isinstance(named, str) else named
    if allowed and not any(is_a(value, kind) for kind in allowed):
        return False
    if "minimum" in told and value < told["minimum"]:
        return False
    if "maximum" in told and value > told["maximum"]:
        return False
    if isinstance(value, dict):
        inside, others = told.get("properties", {}), told.get("additionalProperties")
        for name, each in value.items():
            how = inside.get(name, others)
            if how is False or (how and not fits(each, how)):
                return False
    if isinstance(value, list):
        return all(fits(each, told.get("items", {})) for each in value)
    return True


def drawn(rng: random.Random) -> dict[str, Any]:
    """A settings file, each of whose values may be wrong."""
    values = [
        3,
        -1,
        2.5,
        True,
        "x",
        "sensitive",
        "numeric",
        ["a", "b"],
        {"a": 1},
        "gcp",
    ]
    content: dict[str, Any] = {}
    for _ in range(rng.randint(1, 2)):
        section = rng.choice([*section_keys(), "columns", "colums"])
        if section == "columns":
            word = rng.choice([*column_keys(), "rol"])
            content["columns"] = {"a": {word: rng.choice(values)}}
        else:
            word = rng.choice([*section_keys().get(section, ()), "ou"])
            content[section] = {word: rng.choice(values)}
    return content


def test_the_schema_is_true(tmp_path):
    """What the schema refuses is refused; what it takes is wrong by its value alone."""
    rng, told, counts = random.Random(5), schema(), [0, 0]
    path = tmp_path / "a.toml"
    for _ in range(4000):
        content = drawn(rng)
        text = "".join(
            f"{section}{'.a' * (section == 'columns')}.{word} = {written(value)}\n"
            for section, table in content.items()
            for word, value in (table["a"] if section == "columns" else table).items()
        )
        path.write_text(text)
        right = fits(content, told)
        counts[right] += 1
        try:
            Recipe.read(path)
        except TableError as error:
            by_value = (
                "kind =",
                "name the",
                "step",
                "number",
                "widths above",
                "form of dates",
            )
            assert not right or any(sign in str(error) for sign in by_value), error
        else:
            assert right, text
    assert min(counts) > 500


def written(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{k} = {written(v)}' for k, v in value.items())} }}"
    return json.dumps(value)
