"""Tests that other packages add methods, requirements and instances, and can test them.

The example package of the docs is found by its entry points, as where it is installed.
"""

import csv
import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

import starmin
from starmin import extensions
from starmin.cli.app import main
from starmin.instances import KAnonymity, NotSupportedError, Partition
from starmin.instances.catalogue.catalogue import INSTANCES
from starmin.instances.requirements.requirements import REQUIREMENTS
from starmin.instances.runs.method import Method
from starmin.registry import METHODS, supporting
from starmin.testing import check_instance, check_method, check_requirement
from starmin.verify.reductions import HARD_INSTANCES
from tests.support.places import HOME

pytestmark = pytest.mark.usefixtures("undrawn")

EXTENSION = HOME / "docs" / "extension"


def install(site: Path, package: Path = EXTENSION) -> dict[str, str]:
    """Put a package's entry points where Python looks; the environment to do so."""
    with (package / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    info = site / f"{project['name'].replace('-', '_')}-0.1.0.dist-info"
    info.mkdir(parents=True)
    told = f"Name: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\n{told}")
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {at}" for name, at in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    roots = [str(site), str(package), *sys.path]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, roots))}


def test_the_example_package_passes_its_tests(tmp_path):
    line = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        str(EXTENSION),
    ]
    line += ["-c", str(EXTENSION / "pyproject.toml"), "--rootdir", str(EXTENSION)]
    done = subprocess.run(
        line,
        cwd=tmp_path,
        env=install(tmp_path / "site"),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert "5 passed" in done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("registry", "jobs_here")
def test_the_walk_of_the_page_goes_from_an_empty_folder_to_a_figure(
    tmp_path, monkeypatch, capsys
):
    """Each command as it stands there; pip is left to `test_package`.

    A requirement adds options as commands are imported, so that needs a process.
    """
    monkeypatch.chdir(tmp_path)
    text = (EXTENSION.parent / "how_to" / "extend.md").read_text()
    lines = re.findall(r"^\$ (.*)$", text.partition("## Declare it")[0], re.M)
    env, said = dict(os.environ), ""
    for line in lines:
        words = line.split()
        if "install" in words:
            site, package = tmp_path / f"site{len(said)}", tmp_path / words[-1]
            env = install(site, package)
            monkeypatch.setattr(sys, "path", [str(site), str(package), *sys.path])
            monkeypatch.setattr(extensions, "_begun", False)
            continue
        if words[:2] in (["starmin", "methods"], ["starmin", "gap"]):
            monkeypatch.setattr(sys, "argv", words)
            assert main() == 0, line
            said += capsys.readouterr().out
            continue
        start = ["-m", "starmin"] if words[0] == "starmin" else []
        run = [sys.executable, *start, *words[1:]]
        done = subprocess.run(run, env=env, capture_output=True, text=True)
        assert done.returncode == 0, (line, done.stdout[-2000:], done.stderr[-2000:])
        said += done.stdout
    del sys.modules["my_slices"]
    assert len(lines) == 8 and said.count("1 passed") == 2
    assert (tmp_path / "gaps" / "figures" / "performance.pdf").exists()
    with (tmp_path / "gaps" / "gaps.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    mine = [row for row in rows if row["method"] == "my_slices"]
    assert len(mine) >= 10 and all(row["outcome"] == "ok" for row in mine)
    assert all(float(row["gap"]) >= 0 for row in mine if row["gap"])
    assert "k = 3, several_values = disease" in said and "bound " in said


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("mondrian", "x"), "the name mondrian is taken"),
        (("k", "x"), "the name k is taken"),
        (("class", "x"), "the name class is taken"),
        (("my-method", "x"), "'my-method' is no name of a module"),
        (("mine", "."), "is there already; name a new folder"),
        (("mine", "file"), "is there already"),
    ],
)
def test_a_template_is_written_into_a_new_folder(starmin, tmp_path, words, why):
    (tmp_path / "file").write_text("")
    code, out, err = starmin("methods", "--template", *words)
    assert code == 2 and why in err and err.count("\n") == 1 and not out
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert "is for --template" in starmin("methods", "--requirement")[2]


@pytest.fixture
def registry():
    """What is registered in a test is gone after it."""
    kept, kinds = dict(METHODS), [*REQUIREMENTS]
    yield
    extensions.OTHER_INSTANCES.clear()
    METHODS.clear()
    METHODS.update(kept)
    REQUIREMENTS[:] = kinds


def declared(kind: str, function) -> Method:
    """A method of this module, as a package declares it."""
    globals()[function.__name__] = function
    target = f"{__name__}:{function.__name__}"
    return Method(target, kind, ("k",), ("stars",), "none", "any", "a test")


def test_names_that_are_taken_are_refused_and_auto_calls_no_others(registry):
    def everything(table, requirement, *, objective=starmin.STARS):
        run = starmin.Run(table, requirement, objective, method=method)
        return run.carry_out(lambda: run.offer(Partition.single(table)) and None)

    method = declared("heuristic", everything)
    starmin.register(method, method)  # twice is once
    assert starmin.methods()[-1] is method
    problem = KAnonymity(2), starmin.STARS, "heuristic"
    assert method in supporting(*problem) and method not in supporting(
        *problem, own=True
    )
    table = starmin.load_instance("hospital")
    found = starmin.solve(table, k=2, method="everything")
    assert found.value is not None and len(found.best.sizes) == 1
    check_method("everything", tables=10)

    def floor(table, requirement, *, objective=starmin.STARS):
        run = starmin.Run(table, requirement, objective)
        return run.carry_out(lambda: run.raise_bound(1, "floor"))

    starmin.register(replace(declared("bound", floor), called="one"))
    assert starmin.bound(table, k=2, method="one").bound_method == "one"

    taken = replace(method, called="forest")
    for thing, error, why in (
        (taken, ValueError, "a method forest already"),
        (replace(INSTANCES["hospital"], source="x"), ValueError, "hospital already"),
        (replace(HARD_INSTANCES["matching"]), ValueError, "matching already"),
        (type("K", (KAnonymity,), {}), ValueError, "a requirement k already"),
        (KAnonymity(2), TypeError, "Expected a Method, a class"),
        (replace(method, family="accuracy-constrained"), ValueError, "only the family"),
    ):
        with pytest.raises(error, match=why):
            starmin.register(thing)


def test_the_page_runs(registry, capsys):
    text = (EXTENSION.parent / "how_to" / "extend.md").read_text()
    block = text.partition("```python\n")[2].partition("```")[0]
    exec(compile(block, "extend.md", "exec"), {"__name__": "page"})
    assert capsys.readouterr().out == "3\n"
    with (EXTENSION / "pyproject.toml").open("rb") as file:
        entries = tomllib.load(file)["project"]["entry-points"]
    shown = text.partition("```toml\n")[2].partition("```")[0]
    assert tomllib.loads(shown)["project"]["entry-points"] == entries


def test_what_cannot_be_imported_is_told_in_a_line(monkeypatch):
    entry = EntryPoint("x", "no.such.module:X", "starmin.methods")
    monkeypatch.setattr(extensions, "entry_points", lambda: EntryPoints([entry]))
    monkeypatch.setattr(extensions, "_begun", False)
    with pytest.raises(NotSupportedError, match=r"declares starmin.methods: x = no\."):
        extensions.register_installed()


def test_what_is_wrong_is_found(registry):
    def too_high(table, requirement, *, objective=starmin.STARS):
        run = starmin.Run(table, requirement, objective, method=high)
        return run.carry_out(lambda: run.raise_bound(table.n, "too_high"))

    high = declared("bound", too_high)
    with pytest.raises(AssertionError):
        check_method(high, tables=10)

    @dataclass(frozen=True)
    class Pairs(KAnonymity):
        """Groups of two: the union of two of them is none."""

        name, options = "pairs", ()
        k: int = 2

        @property
        def core(self):
            return KAnonymity(2).core._replace(exact=False)

        @classmethod
        def example(cls, table):
            return cls()

        def holds(self, stats):
            return stats.sizes == 2

        def allows(self, group):
            return group.size == 2

    with pytest.raises(AssertionError, match="not monotone"):
        check_requirement(Pairs)
    with pytest.raises(AssertionError):
        check_instance(replace(INSTANCES["hospital"], requirement=KAnonymity(11)))
    hard = HARD_INSTANCES["edge-partition"]
    with pytest.raises(AssertionError):
        check_instance(replace(hard, threshold=hard.threshold - 1))


FINE = '''
import starmin


def some_function(table, requirement, *, objective=starmin.STARS):
    """Put all rows in a group."""
    run = starmin.Run(table, requirement, objective)
    return run.carry_out(lambda: run.offer(starmin.Partition.single(table)) and None)
'''


def test_a_method_that_cannot_be_loaded_ends_its_own_runs_alone(tmp_path):
    """Whatever it does while it is imported, all others of a sweep are run."""
    faults = {"raises": "raise RuntimeError('no')", "leaves": "import sys; sys.exit(0)"}
    site = tmp_path / "site"
    info = site / "broken-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    entries, lines = "[starmin.methods]\n", "from starmin.extensions import *\n"
    for name, fault in faults.items():
        (site / f"{name}.py").write_text(fault)
        entries += f"{name} = broken:{name.upper()}\n"
        told = '"heuristic", ("k",), ("stars",), "none", "any", "here"'
        lines += f'{name.upper()} = Method("{name}", {told})\n'
    told = '"heuristic", ("k",), ("stars",), "none", "any", "here"'
    lines += f'FINE = Method("elsewhere:some_function", {told})\n'
    entries += "fine = broken:FINE\n"
    (site / "elsewhere.py").write_text(FINE)
    (info / "entry_points.txt").write_text(entries)
    (site / "broken.py").write_text(lines)
    roots = [str(site), *sys.path]
    line = [sys.executable, "-m", "starmin", "gap", "instance:hospital", "--k", "2"]
    line += ["--methods", "raises,leaves,fine", "--json"]
    line += ["--memory", "8"]
    done = subprocess.run(
        [*line, "--quiet", "--time-limit", "60"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, roots))},
        capture_output=True,
        text=True,
    )
    rows = json.loads(done.stdout)["runs"]
    ended = {(row["method"], row["seed"]): row["outcome"] for row in rows}
    assert len(ended) == 3 and done.returncode == 1
    for (method, _), outcome in ended.items():
        assert (outcome == "ok") == (method == "fine"), ended
    assert "Traceback" not in done.stderr

    told = "import sys; from starmin.cli.forked import prepare; prepare(['fine']); "
    told += "from starmin.registry import find; print(find('fine').name); "
    told += "print('elsewhere' in sys.modules)"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, roots))}
    line = [sys.executable, "-P", "-c", told]
    done = subprocess.run(line, env=env, capture_output=True, text=True)
    assert done.stdout.split() == ["fine", "True"], done.stderr
