"""Tests that each function of Python asks by one question, and what that keeps."""

import ast
import inspect
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import starmin
from tests.support.places import HOME

ROWS = {
    "id": [1, 1, 2, 2, 3, 3, 4, 4],
    "age": [30, 31, 41, 42, 30, 31, 77, 95],
    "sex": list("ffmmffmm"),
    "zip": ["0211", "0212", "0213", "0214", "0211", "0212", "0299", "0298"],
    "born": [
        f"{d}.{m}.2001" for d, m in zip([5, 9] * 4, [1, 1, 3, 3] * 2, strict=True)
    ],
    "tags": ["a;b", "b;a", "c", "c", "a", "a", "a;b", "b;a"],
    "ill": ["flu", "cold", "flu", "cold", "flu", "cold", "gout", "flu"],
    "w": [1, 2, 1, 1, 1, 3, 1, 1],
}
TREE = {"any": {"021": ["0211", "0212"], "02x": ["0213", "0214"], "029": ["0298"]}}
TREE["any"]["029"] += ["0299"]
FRAME = pandas.DataFrame(ROWS)
QI = ["age", "sex"]
THREE = ["age", "sex", "zip"]
RANGED = {"k": 2, "qi": QI, "numeric": ["age"]}
BORN = {"qi": ["born", "sex"], "numeric": ["born"], "date_format": {"born": "%d.%m.%Y"}}
ILL = {"qi": QI, "sensitive": "ill"}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


# One builder.


def test_one_module_makes_a_problem_of_words():
    floors = "heuristics", "instances", "models", "verify"
    made = [
        name
        for path in sorted((HOME / "starmin").glob("**/*.py"))
        if (name := path.relative_to(HOME / "starmin").as_posix()).split("/")[0]
        not in floors
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Problem"
    ]
    # The others make one of another one, of a release, or to compile loops with.
    others = "auto/choice.py", "auto/warm_loops.py", "report/release/release_page.py"
    assert [name for name in made if name not in others] == ["inputs/spec.py"]
    assert {*others} < {*made}


# A question, and its answers.


def test_a_question_says_itself_and_answers():
    asked = starmin.question(FRAME, k=2, l=2, **ILL)
    assert repr(asked) == (
        "Question: publish 8 rows with stars, as few stars as possible. By age and "
        "sex, nobody in this table can be told apart from fewer than one other. Of the "
        "people who look alike, at most one in two have the same ill."
    )
    made, told = asked.solve(), {"k": 2, "l": 2, **ILL}
    assert made.value == starmin.solve(FRAME, **told).value == made.lower_bound
    assert asked.bound(time_limit=5.0).lower_bound <= made.value
    assert asked.verify(made).holds and asked.verify(made.solution.published).holds
    assert not asked.verify(FRAME).holds
    assert asked.risk().classes.uniques == starmin.risk(FRAME, **ILL).classes.uniques
    assert ": person id counts persons" in repr(asked.risk())  # an argument
    curve = asked.frontier([2, 3])
    assert [(p.asked.k, p.asked.l) for p in curve.points] == [(2, 2), (3, 2)]
    assert curve.points[0].result.value == made.value
    assert [p.asked.l for p in asked.frontier(l=[2, 3]).points] == [2, 3]
    ranged = repr(starmin.question(FRAME, **RANGED))
    assert ranged.startswith("Question: publish 8 rows with ranges and nodes")
    ranged = starmin.question(FRAME, **RANGED)
    assert 0 < ranged.bound().lower_bound == ranged.solve().lower_bound < 1
    one = starmin.question(FRAME.head(2), qi=QI, k=2, objective="tuples")
    assert "2 rows with stars, as few rows with stars as" in repr(one)


def test_an_earlier_release_is_one_in_any_form():
    earlier = starmin.anonymize(FRAME, QI, k=4)
    for each in (earlier, earlier.solution, earlier.frame[QI], earlier.frame):
        asked = starmin.question(FRAME, k=2, qi=QI, within=each)
        made = asked.solve()
        assert asked.verify(made).holds and made.value == 8


def test_what_a_search_is_asked_for_holds_for_one_search():
    asked = starmin.question(FRAME, k=2, l=2, **ILL)
    padded = asked.solve(pad=True).solution
    assert padded.defences and not asked.solve().solution.defences
    assert asked.solve(margin=1).value is None  # none has three values
    assert asked.solve(method="mondrian").method == "mondrian"
    assert asked.solve().method != "mondrian"
    asked = starmin.question(FRAME, qi=QI, k=2, delete_rows=True)
    made = asked.solve()
    assert asked.verify(made).value == made.value


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda q: starmin.question(FRAME, k=2, pad=True), "no argument 'pad'; solve"),
        (lambda q: starmin.question(FRAME, k=2, nonsense=1), "no argument 'nonsense'."),
        (lambda q: starmin.question("a.toml"), "a table behind the settings file"),
        (lambda q: starmin.question(FRAME, FRAME, k=2), "Expected a settings file"),
        (lambda q: q.solve(time_limt=3), "nearest: 'time_limit'"),
        (lambda q: q.bound(gap=0.1), "bound has no argument 'gap'; solve takes it"),
        (lambda q: q.frontier(3), r"got 3; write \[3\]"),
        (lambda q: q.verify(starmin.solve(FRAME, k=2, qi=QI)), "its table is .publish"),
        (lambda q: starmin.bound(FRAME, k=2, gap=0.1), "no argument 'gap'; solve"),
        (lambda q: starmin.verify(FRAME, k=2, seed=1), "no argument 'seed'; solve"),
        (lambda q: starmin.frontier(FRAME, k=2), r"got 2; write \[2\]"),
        (lambda q: starmin.frontier(FRAME, k=[2], pad=True), "no argument 'pad'"),
        (
            lambda q: starmin.solve(FRAME, k=2, hierarchy={}, taxonomies={"a": [5]}),
            "hierarchy or taxonomies, its former name, got both",
        ),
    ],
)
def test_what_no_call_takes_is_refused_in_one_line(call, why):
    with warnings.catch_warnings(), pytest.raises(TypeError, match=why) as raised:
        warnings.simplefilter("ignore", DeprecationWarning)
        call(starmin.question(FRAME, k=2, qi=QI))
    assert "\n" not in str(raised.value)


# A question as a settings file.


def as_asked(question):
    """Return what a question asks, to be compared."""
    problem = question.problem
    coding, goal = problem.coding, problem.objective
    ranges = coding.numeric, coding.steps, coding.widths, coding.max_levels
    return (
        (problem.table.rows(), problem.table.qi, problem.table.sensitive),
        problem.requirement.as_json(),
        (goal.kind, dict(goal.weights), goal.keep),
        (coding.recoding, coding.star, {*coding.missing}, coding.floors),
        (*ranges, coding.forms, coding.sets),
        {column: tree.paths for column, tree in coding.trees.items()},
        repr(question),
    )


ASKED = {
    "k": {"k": 2, "qi": QI},
    "all columns": {"k": 2, "drop": ["id", "w", "born", "tags"]},
    "l": {"k": 2, "l": 2, **ILL},
    "entropy": {"l": 2, "diversity": "entropy", **ILL},
    "recursive": {"l": 2, "diversity": "recursive", "c": 2.0, **ILL},
    "alpha": {"k": 2, "alpha": 0.7, **ILL},
    "t": {"k": 2, "t": 0.4, "distance": "equal", **ILL},
    "unknown values": {"l": 2, "missing_sensitive": "any", **ILL},
    "requirement": {"requirement": starmin.DistinctDiversity(2), **ILL},
    "k by row": {"k_column": "w", "qi": QI},
    "person": {"k": 2, "qi": QI, "person": "id"},
    "household": {"k": 2, "qi": QI, "household": "id", "alike": ["sex"]},
    "combinations": {"qi": THREE, "combinations": {1: 4, 2: 2}, "semantics": "source"},
    "strata": {"k": 2, "qi": QI, "combinations": 1, "strata": ["ill"]},
    "linked": {"k": 2, "qi": THREE, "combinations": 2, "linked": ["age", "sex"]},
    "one linked": {"k": 2, "qi": THREE, "combinations": 2, "linked": ["age", QI[1:]]},
    "linked sets": {"k": 2, "qi": THREE, "combinations": 2, "linked": [QI, ["zip"]]},
    "rules": {"qi": QI, "rules": "rules.toml"},
    "floors": {
        **RANGED,
        "top": {"age": 90},
        "bottom": {"age": 30},
        "round": {"age": 5},
    },
    "widths": {**RANGED, "width": {"age": (5, None)}, "loss": "ncp"},
    "dates": {"k": 2, **BORN, "round": {"born": "month"}},
    "spans": {"k": 2, **BORN, "width": {"born": "7day..400day"}},
    "sets": {"k": 2, "qi": ["tags", "sex"], "sets": {"tags": ";"}},
    "tree": {"k": 2, "qi": ["zip", "sex"], "hierarchy": {"zip": TREE}},
    "rule": {
        **{"k": 2, "qi": ["zip", "sex"], "hierarchy": {"zip": "prefix:3,2"}},
        **{"min_level": {"zip": 1}, "max_level": {"zip": 2}},
    },
    "steps": {"k": 2, "qi": QI, "hierarchy": {"age": [5, 10, 50]}, "loss": "stars"},
    "folder": {"k": 2, "qi": ["zip", "sex"], "hierarchy": "trees"},
    "tuples": {"k": 2, "qi": QI, "objective": "tuples"},
    "deleted": {"k": 2, "qi": QI, "delete_rows": 3},
    "deleted at a row": {"k": 2, "qi": QI, "delete_rows": True},
    "costs": {"k": 2, "qi": THREE, "keep": ["sex"], "weights": {"age": 3}},
    "goal": {
        **{"k": 2, "qi": THREE},
        "objective": starmin.Objective("stars", {"age": 3}, ("sex",)),
    },
    "missing": {"k": 2, "qi": QI, "missing": ["95", "", "?", None]},
    "roles": {"k": 2, "qi": QI, "drop": ["id"], "weight": "w", "unchanged": ["ill"]},
    "apart": {"l": 2, "recoding": "permutation", **ILL},
    "row by row": {"k": 2, "qi": QI, "recoding": "nonhomogeneous", "star": "X"},
}


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("of_table", [False, True])
def test_a_saved_question_asks_the_same_again(name, of_table):
    told = ASKED[name]
    Path("rules.toml").write_text('[[rule]]\ncolumns = ["age", "sex"]\nk = 3\n')
    Path("trees").mkdir()
    starmin.question(FRAME, k=2, qi=["zip"], hierarchy={"zip": TREE}).save("q.toml")
    Path("q.1.csv").rename("trees/zip.csv")
    frame = FRAME
    if of_table:
        roles = told.get("qi"), told.get("sensitive", ()), told.get("drop", ())
        qi, sensitive, drop = roles
        kept = starmin.from_frame(FRAME, qi, [sensitive] if sensitive else (), drop)
        frame, told = kept, {n: v for n, v in told.items() if n != "drop"}
    asked = starmin.question(frame, **told)
    Path("settings").mkdir()
    asked.save("settings/asked.toml")
    again = starmin.question("settings/asked.toml", frame)
    assert as_asked(again) == as_asked(asked)
    again.save("settings/again.toml")
    first, second = (
        Path("settings", f"{each}.toml").read_text() for each in ("asked", "again")
    )
    assert second.replace("again.1", "asked.1") == first


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"k": 2, "rules": [(["age"], 2)]}, "say rules, which is neither"),
        ({"k": 2, "missing": ["-9"]}, "say missing, which leaves out"),
        ({"k": 2, "requirement": starmin.KAnonymity(3)}, "asks for another k"),
        ({"k": 2, "combinations": 2, "population": FRAME}, "say population, which"),
        ({"k": 2, "within": FRAME[QI].assign(age="*")}, "say within, which"),
        (
            {
                **{"k": 2, "qi": ["zip"], "hierarchy": {"zip": TREE}},
                "loss": {"zip": {"021": 0.2, "02x": 0.3, "029": 0.4, "any": 1}},
            },
            "say loss, which",
        ),
        (
            {
                "k": 2,
                "objective": starmin.Objective(
                    "gcp",
                    scales=starmin.Scales.of(
                        starmin.from_frame(FRAME, QI, (), []), numeric=["age"]
                    ),
                ),
            },
            "say objective, which has scales of its own",
        ),
    ],
)
def test_what_no_settings_file_can_say_is_refused(told, why):
    asked = starmin.question(FRAME, **{"qi": QI, **told})
    with pytest.raises(starmin.TableError, match=why) as raised:
        asked.save("asked.toml")
    assert "\n" not in str(raised.value) and not [*Path().iterdir()]


def test_arguments_go_before_a_settings_file():
    starmin.question(FRAME, k=2, l=2, **ILL).save("asked.toml")
    asked = starmin.question(Path("asked.toml"), FRAME, k=3, drop=["id"])
    assert asked.problem.requirement.as_json() == {"k": 3, "l": 2}
    assert "id" not in asked.problem.table.names


# Signatures, former names.


def test_each_call_shows_its_arguments_and_type_checkers_refuse_others():
    asked = starmin.question(FRAME, k=2, qi=QI)
    for call in (
        *(starmin.solve, starmin.bound, starmin.verify, starmin.frontier),
        *(starmin.anonymize, starmin.question, asked.solve, asked.bound),
        asked.frontier,
    ):
        shown = inspect.signature(call).parameters.values()
        assert all(each.kind is not each.VAR_KEYWORD for each in shown)
        described = inspect.getdoc(call) or ""
        for each in shown:
            assert each.name in described, (call, each)
        positional = [each for each in shown if each.kind is not each.KEYWORD_ONLY]
        assert len(positional) <= 6


def test_a_type_checker_refuses_what_no_call_takes():
    pytest.importorskip("mypy")
    Path("asked.py").write_text(
        "import starmin\n"
        'rows = {"age": [30, 30]}\n'
        "starmin.solve(rows, k=2, time_limit=3, seed=1)\n"
        "starmin.solve(rows, k=2, time_limt=3)\n"
        'starmin.bound(rows, k=2, patience="a")\n'
        "starmin.anonymize(rows, k=2, stars='none')\n"
        "starmin.question(rows, k=2).solve(seeed=2)\n"
        "starmin.frontier(rows, k=[2], worker=2)\n"
        "starmin.verify(rows, k=2, range_style='ours', star='*')\n"
    )
    line = [sys.executable, "-m", "mypy", "--strict", str(Path("asked.py").resolve())]
    where = {"cwd": HOME, "env": {**os.environ, "MYPYPATH": str(HOME)}}
    found = subprocess.run(line, capture_output=True, text=True, check=False, **where)
    wrong = re.findall(r"asked.py:(\d+): error: ", found.stdout)
    assert wrong == ["4", "5", "6", "7", "8"], found.stdout


def test_former_names_are_taken_with_a_hint():
    tree, qi = {"zip": TREE}, ["zip", "sex"]
    table = starmin.from_frame(FRAME, qi, (), [])
    for call, value in (
        (lambda **t: starmin.solve(table, k=2, **t), "value"),
        (lambda **t: starmin.anonymize(FRAME, qi, k=2, **t), "value"),
        (lambda **t: starmin.question(table, k=2, **t).solve(), "value"),
        (lambda **t: starmin.frontier(table, [2], **t).points[0].result, "value"),
        (lambda **t: starmin.bound(table, k=2, **t), "lower_bound"),
        (lambda **t: starmin.verify(FRAME[qi], 2, **t), "k"),
        (lambda **t: starmin.audit(FRAME[qi], 2, **t).closure, "pinned"),
        (lambda **t: starmin.Anonymizer(k=2, qi=qi, **t).fit(FRAME).release_, "value"),
    ):
        known = getattr(call(hierarchy=tree), value)
        for former in ("hierarchies", "taxonomies"):
            hint = f"^{former} is called hierarchy now$"
            with pytest.warns(DeprecationWarning, match=hint) as told:
                assert getattr(call(**{former: tree}), value) == known
            assert told[0].filename == __file__
    with pytest.warns(DeprecationWarning, match="^rounding is called round now$"):
        starmin.solve(FRAME, **RANGED, rounding={"age": 5})


# Frames of each kind, in each function.

ROLES = {"qi": QI, "sensitive": "ill"}
PEOPLE = FRAME[[*QI, "ill"]]
FRAMES = {
    "pandas": PEOPLE,
    "polars": polars.DataFrame({c: ROWS[c] for c in PEOPLE}),
    "lazy": polars.LazyFrame({c: ROWS[c] for c in PEOPLE}),
    "arrow": pyarrow.table({c: ROWS[c] for c in PEOPLE}),
    "dict": {c: ROWS[c] for c in PEOPLE},
    "dict of arrays": {c: np.array(ROWS[c]) for c in PEOPLE},
    "table": starmin.from_frame(PEOPLE, QI, ["ill"], []),
}
CALLS = {
    "solve": lambda f: starmin.solve(f, 2, 2, **ROLES).value,
    "anonymize": lambda f: starmin.anonymize(f, k=2, l=2, **ROLES).value,
    "bound": lambda f: (
        starmin.bound(f, 2, 2, **ROLES, method="dual_ascent").lower_bound
    ),
    "verify": lambda f: starmin.verify(f, 2, 2, **ROLES).measures,
    "verify original": lambda f: starmin.verify(f, original=f, **ROLES).holds,
    "frontier": lambda f: starmin.frontier(f, [2], [2], **ROLES).points[0].share,
    "risk": lambda f: starmin.risk(f, **ROLES).classes.uniques,
    "risk of population": lambda f: starmin.risk(
        PEOPLE, **ROLES, population=f
    ).population.as_json(),
    "audit": lambda f: starmin.audit(f, **ROLES, original=f).closure.pinned,
    "question": lambda f: repr(starmin.question(f, k=2, l=2, **ROLES)),
    "compare": lambda f: starmin.compare(f, methods=["forest"], k=2, qi=QI) is None,
}


@pytest.mark.parametrize("name", CALLS)
def test_each_function_takes_each_kind_of_frame(name):
    call = CALLS[name]
    known = call(FRAMES["pandas"])
    assert {kind: call(frame) for kind, frame in FRAMES.items()} == dict.fromkeys(
        FRAMES, known
    )


NONE = {
    "list of dicts": ([{"age": 1}, {"age": 1}], "one of type list; pandas"),
    "list of lists": ([[1, 2], [1, 2]], "one of type list; pandas"),
    "array": (np.ones((2, 2)), "one of type ndarray; pandas"),
    "records": (np.array([(1, "a")], [("x", int), ("y", "U1")]), "of type ndarray"),
    "series": (PEOPLE["age"], "Series; series.to_frame"),
    "polars series": (polars.Series("age", [1, 1]), "Series; series.to_frame"),
    "Arrow array": (pyarrow.array([1, 1]), "Int64Array; pandas"),
    "groups": (PEOPLE.groupby("age"), "DataFrameGroupBy; pandas"),
    "text": ("people.csv", "read_table reads a file"),
    "nothing": (None, "of type NoneType"),
    "numbers as names": (pandas.DataFrame({0: [1, 1]}), "column name 0 is not text"),
    "numbers as keys": ({0: [1, 1]}, "column name 0 is not text; rename it$"),
    "twice": (pandas.concat([PEOPLE, PEOPLE], axis=1), "two columns are named 'age'"),
    "twice in Arrow": (pyarrow.table([[1], [1]], ["a", "a"]), "two columns are named"),
    "ragged": ({"a": [1, 2], "b": [1]}, "no table of plain cells"),
    "a number": ({"a": 1}, "no table of plain cells"),
}


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_frame_is_refused_in_one_line(name):
    given, why = NONE[name]
    for call in (
        *(starmin.solve, starmin.bound, starmin.verify, starmin.anonymize),
        lambda frame, k: starmin.frontier(frame, [k]),
        lambda frame, k: starmin.risk(frame),
        lambda frame, k: starmin.audit([frame]),
        lambda frame, k: starmin.compare(frame, methods=["forest"], k=k),
        lambda frame, k: (starmin.solve if name == "text" else starmin.question)(
            frame, k=k
        ),
    ):
        with pytest.raises((TypeError, starmin.TableError), match=why) as raised:
            call(given, k=2)
        assert "\n" not in str(raised.value)
    frame = pandas.DataFrame({"solution": [1, 1], "published": [2, 2]})
    assert starmin.anonymize(frame, k=2).value == 0
