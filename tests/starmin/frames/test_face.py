"""Tests that `import starmin` is light, takes one name, and does it all."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import starmin
from starmin.instances import NotSupportedError, Run
from starmin.instances.runs.method import Method
from starmin.registry import METHODS
from tests.support.effort import only, patiently

HOME = Path(starmin.__file__).parents[1]
HEAVY = (
    *("numba", "ortools", "highspy", "pulp", "scipy", "networkx"),
    *("matplotlib", "pandas", "polars"),
)


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run code as a script of a user's, in a folder of theirs."""
    script = folder / "script.py"
    script.write_text(code)
    return subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, cwd=folder
    )


def test_import_loads_no_solver(tmp_path):
    code = "import sys, starmin, starmin.face, starmin.cli.app\n"
    code += f"print([m for m in {HEAVY!r} if m in sys.modules])\n"
    assert python(code, tmp_path).stdout == "[]\n"


def test_import_alone_does_not_even_load_numpy(tmp_path):
    code = "import sys, starmin\nprint('numpy' in sys.modules)\n"
    assert python(code, tmp_path).stdout == "False\n"


def test_names_of_the_user_are_not_in_the_way(tmp_path):
    for floor in ("models", "heuristics", "verify", "instances"):
        (tmp_path / floor).mkdir()
        (tmp_path / floor / "__init__.py").write_text("mine = True\n")
    code = "import models, verify, instances, starmin\n"
    code += "table = starmin.load_instance('hospital')\n"
    code += "print(models.mine, starmin.solve(table, 2).value)\n"
    found = python(code, tmp_path)
    assert found.stdout == "True 2\n", found.stderr


@pytest.mark.parametrize("floor", ["models", "heuristics", "verify", "instances"])
def test_a_floor_has_one_name(floor):
    line = [sys.executable, "-c", f"import {floor}"]
    found = subprocess.run(line, cwd=HOME, capture_output=True, text=True)
    assert f"ImportError: import starmin.{floor};" in found.stderr


def test_verify_stays_the_function():
    code = "import starmin.verify.releases.release_check, starmin\n"
    code += "from starmin import verify\n"
    code += "print(verify is starmin.verify is starmin.face.verify)\n"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert found.stdout == "True\n"


def test_a_checkout_without_links_works(tmp_path):
    """On a system that has none they are files that name their targets."""
    for floor in ("models", "heuristics", "verify", "instances"):
        (tmp_path / floor).symlink_to(HOME / floor)
    (tmp_path / "starmin").mkdir()
    for path in (HOME / "starmin").iterdir():
        if path.is_symlink():
            (tmp_path / "starmin" / path.name).write_text(str(path.readlink()))
        else:
            (tmp_path / "starmin" / path.name).symlink_to(path)
    code = "import starmin\nprint(starmin.__path__[0], starmin.Table.__module__)\n"
    found = python(code, tmp_path)
    assert found.stdout == f"{tmp_path / 'starmin'} starmin.instances.tables.table\n"


def test_every_name_is_there():
    for name in starmin.__all__:
        assert getattr(starmin, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        starmin.nonsense  # noqa: B018 - the access is what is tested


def test_solve_bound_and_verify():
    table = starmin.load_instance("hospital")
    result = starmin.solve(table, k=2, l=2)
    bound = starmin.bound(table, k=2, l=2)
    assert bound.lower_bound <= result.value == result.lower_bound
    released = starmin.Release(table, result.best).published
    check = starmin.verify(released, k=2, l=2, original=table)
    assert check.holds and check.consistent and check.stars == result.value
    assert not starmin.verify(released, k=3).holds
    assert starmin.verify(released).k == 2


def test_requirements_join():
    table = starmin.load_instance("hospital")
    joined = starmin.LDiversity(2)
    both = starmin.solve(table, k=3, requirement=joined)
    assert both.value == starmin.solve(table, k=3, l=2).value
    with pytest.raises(ValueError, match="nothing is required"):
        starmin.solve(table)


def test_a_frame_goes_in_and_out():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 1, 2], "b": ["x", "y", None]})
    table = starmin.from_frame(frame)
    result = starmin.solve(table, k=3)
    released = starmin.Release(table, result.best).published
    assert starmin.to_frame(released)["a"].tolist() == ["*", "*", "*"]


def test_objectives_by_name_and_by_object():
    table = starmin.load_instance("murakami-uno")
    assert starmin.solve(table, k=2).value == 15
    kept = starmin.Objective(keep=("gender",))
    assert starmin.solve(table, k=2, objective=kept).value >= 15


def test_a_method_is_found_by_name_and_case():
    table = starmin.load_instance("hospital")
    with pytest.raises(NotSupportedError, match="got 'nonsense'"):
        starmin.solve(table, k=2, method="nonsense")
    with pytest.raises(NotSupportedError, match="these do: "):
        starmin.solve(table, k=2, objective="tuples", method="pattern_ilp")
    with pytest.raises(NotSupportedError, match="does not take 'export'"):
        starmin.solve(table, k=2, method="pattern_ilp", export=Path("a.lp"))


def test_auto_takes_what_fits():
    table = starmin.load_instance("uniform:n=40,d=4,sensitive=4,seed=2")
    assert starmin.solve(table, k=2).status.value == "optimal"
    tuples = starmin.solve(table, k=2, objective="tuples")
    assert tuples.status.value == "optimal"
    distinct = starmin.solve(
        table, requirement=starmin.DistinctDiversity(2), time_limit=5
    )
    assert distinct.status.value == "optimal" and distinct.certificate_checked
    other = starmin.solve(table, requirement=starmin.EntropyDiversity(3))
    assert other.stats["method"] == "local_search" and other.best.size > 1
    wide = starmin.load_instance("uniform:n=40,d=25,seed=2")
    found = starmin.solve(wide, k=2, time_limit=5)
    assert found.best.size > 1 and found.certificate_checked


def test_auto_starts_large_tables_from_a_heuristic():
    table = starmin.load_instance("uniform:n=500,d=8,alphabet=8")
    start = starmin.solve(table, k=4, method="lexicographic_suppression")
    assert start.value < table.n * table.d
    patiently(
        lambda seconds: starmin.solve(table, k=4, time_limit=seconds),
        lambda result: result.value <= start.value,
        1.0,
    )
    assert starmin.solve(table, k=4, time_limit=0.0).best.size == 1


def interrupted_method(table, requirement, *, objective, initial=None):
    """A method that does not handle an interrupt."""
    run = Run(table, requirement, objective)
    run.raise_bound(1, "by hand")
    if initial is not None:
        run.offer(initial)
    raise KeyboardInterrupt


@pytest.fixture
def interrupted(monkeypatch):
    module = ModuleType("interrupted_method")
    module.interrupted_method = interrupted_method
    monkeypatch.setitem(sys.modules, module.__name__, module)
    entry = Method(module.__name__, "exact", ("k",), ("stars",), "", "", "")
    monkeypatch.setitem(METHODS, entry.name, entry)
    only(monkeypatch, provers=(entry.name,))


@pytest.mark.usefixtures("interrupted")
def test_what_an_interrupted_method_had_found_is_returned():
    table = starmin.load_instance("murakami-uno")
    start = starmin.solve(table, k=2, method="pattern_ilp").best
    result = starmin.solve(table, k=2, initial=start)
    assert result.limit is starmin.Limit.INTERRUPTED
    assert (result.value, result.lower_bound) == (15, 1)


@pytest.mark.usefixtures("interrupted")
def test_at_worst_it_is_one_single_group():
    table = starmin.load_instance("murakami-uno")
    result = starmin.solve(table, k=2)
    assert result.best.size == 1 and result.limit is starmin.Limit.INTERRUPTED
    kept = starmin.Objective(keep=("gender",))
    result = starmin.solve(table, k=2, objective=kept)
    assert result.best.size == 2


def test_generalization_from_solve_to_verify():
    rows = [["20", "cat"], ["30", "dog"], ["60", "rat"], ["61", "rat"]]
    table = starmin.Table.from_rows(["age", "pet"], rows, ["age", "pet"])
    trees = {"pet": starmin.Taxonomy.parse("{tame{cat,dog},rat}")}
    scales = starmin.Scales.of(table, ["age"], trees)
    objective = starmin.Objective("gcp", scales=scales)
    result = starmin.solve(table, k=2, objective=objective)
    release = starmin.GeneralizedRelease(table, result.best, scales)
    assert release.published.rows()[:2] == [("[20-30]", "tame")] * 2
    check = starmin.verify(
        release.published, k=2, original=table, numeric=["age"], hierarchy=trees
    )
    assert check.holds and check.consistent
    assert check.gcp == release.gcp == result.value
    plain = starmin.solve(table, k=2, objective="gcp")
    stars = starmin.Release(table, plain.best).stars
    assert plain.units.value == stars and plain.value == stars / (table.n * table.d)


@pytest.mark.parametrize("name", ["starmin", "starmin.models", "starmin.verify"])
def test_nothing_else_of_starmin_is_loaded(name):
    code = (
        f"import sys, {name}\nprint(sorted(m for m in sys.modules if 'starmin' in m))"
    )
    found = subprocess.check_output([sys.executable, "-c", code], text=True)
    ours = {"starmin", "starmin.process", "starmin.process.working_folder", name}
    assert found == f"{sorted(ours)}\n"


def test_a_method_of_the_users_own_needs_starmin_alone():
    def one_group(table, requirement, *, objective=starmin.STARS):
        run = starmin.Run(table, requirement, objective, method=declared)
        whole = starmin.Partition.coarsest(table, objective)
        return run.carry_out(lambda: run.offer(whole))

    declared = starmin.Method(
        "mine.one_group", "heuristic", ("k",), ("stars",), "none", "all", "this test"
    )
    table = starmin.load_instance("hospital")
    assert one_group(table, starmin.KAnonymity(3)).value == table.n * table.d
    with pytest.raises(starmin.NotSupportedError, match="one_group takes"):
        one_group(table, starmin.LDiversity(2))
