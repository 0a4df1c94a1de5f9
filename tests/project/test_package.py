"""Tests that the package is built whole, and works where nothing else is installed.

The folder in which it is called has packages ``models``, ``instances`` and
``heuristics`` and a file ``verify.py`` of its user's.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from email import message_from_string
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import starmin
from starmin.instances.loops.loop_cache import to_write
from starmin.verify.checker.join import joined
from tests.support.places import HOME

FLOORS = ("verify", "heuristics", "models", "instances")
LEFT_OUT = {".pyc", ".nbc", ".nbi", ".loop", ".warm"}
PEOPLE = "name,age,disease\nAnn,34,flu\nBob,34,gout\nCem,36,flu\nDia,52,gout\n"
ASKED = "--drop name --sensitive disease --k 2 --l 2"
NO_PAGES = "matplotlib and jinja2 are not installed; pip install 'starmin[report]'"

pytestmark = pytest.mark.slow


def call(*line: object, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    words = [str(word) for word in line]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


def run(*line: object, folder: Path) -> str:
    """What a command prints; it must end well."""
    found = call(*line, folder=folder)
    assert found.returncode == 0, (line, found.stdout[-2000:], found.stderr[-2000:])
    return found.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel, built from the source distribution."""
    pytest.importorskip("build")
    # All workers of a run find what the first of them builds.
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "built"
    line = [sys.executable, "-m", "build", "--outdir", str(folder), str(HOME)]
    with (Path(tempfile.gettempdir()) / "starmin_build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a build writes beside the sources
        if folder.exists():
            if not (folder / "done").exists():
                pytest.skip("another worker could not build it")
            return folder
        folder.mkdir()
        found = subprocess.run(line, cwd=folder, capture_output=True, text=True)
        if not found.returncode:
            (folder / "done").touch()
    if found.returncode and "Could not find a version" in found.stdout + found.stderr:
        pytest.skip("setuptools cannot be fetched: no network")
    assert found.returncode == 0, found.stderr[-2000:]
    assert "would be ignored" not in found.stdout + found.stderr
    return folder


def sources() -> set[str]:
    """The files of the package, by their names in it."""
    roots = [HOME / "starmin", *(HOME / "starmin" / floor for floor in FLOORS)]
    files = (path for root in roots for path in root.rglob("*"))
    kept = (p for p in files if p.is_file() and p.suffix not in LEFT_OUT)
    return {p.relative_to(HOME).as_posix() for p in kept}


def requirements_of(wheel: Path) -> list[str]:
    """What a wheel says that it needs."""
    with zipfile.ZipFile(wheel) as file:
        (name,) = (name for name in file.namelist() if name.endswith("/METADATA"))
        told = file.read(name).decode()
    return message_from_string(told).get_all("Requires-Dist", [])


def link_requirements(site: Path, asked: list[str], extra: str = "") -> None:
    """Link what is asked for, and what that needs, and nothing else, into a folder."""
    site.mkdir(exist_ok=True)
    linked: set[str] = set()
    while asked:
        requirement = Requirement(asked.pop())
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        found = distribution(requirement.name)
        assert requirement.specifier.contains(found.version, prereleases=True)
        if (name := canonicalize_name(requirement.name)) in linked:
            continue
        linked.add(name)
        asked += found.requires or []
        tops = {file.parts[0] for file in found.files or []}
        for top in tops - {"..", "__pycache__"}:
            (site / top).symlink_to(Path(str(found.locate_file(top))).resolve())


class Installed:
    """The wheel in an environment of its own, and the folder of a user."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        run(sys.executable, "-m", "venv", "--without-pip", "venv", folder=folder)
        self.python = folder / "venv" / "bin" / "python"
        self.command = folder / "venv" / "bin" / "starmin"
        where = "import sysconfig; print(sysconfig.get_path('purelib'))"
        self.site = Path(run(self.python, "-c", where, folder=folder).strip())
        install = ("-m", "pip", "--python", self.python, "install", "-q", "--no-deps")
        run(sys.executable, *install, "--no-compile", wheel, folder=folder)
        self.tops = {path.name for path in self.site.iterdir()}
        self.needs = requirements_of(wheel)
        link_requirements(self.site, [*self.needs])
        self.work = folder / "work"
        for floor in ("heuristics", "models", "instances"):
            (self.work / floor).mkdir(parents=True)
            (self.work / floor / "__init__.py").write_text("mine = True\n")
        (self.work / "verify.py").write_text("mine = True\n")
        (self.work / "people.csv").write_text(PEOPLE)

    def starmin(self, line: str) -> str:
        return run(self.command, *line.split(), folder=self.work)

    def script(self, text: str) -> str:
        """What a program of the user's prints, which finds their packages first."""
        (self.work / "script.py").write_text(text)
        return run(self.python, "script.py", folder=self.work)


@pytest.fixture(scope="module")
def installed(
    built: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installed]:
    folder = tmp_path_factory.mktemp("installed")
    (wheel,) = built.glob("*.whl")
    # Compiled loops are found by content; here are those that the tests compiled.
    to_write().mkdir(parents=True, exist_ok=True)
    (folder / "loops").mkdir()
    (folder / "loops" / "starmin").symlink_to(to_write())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_CACHE_DIR", str(folder / "loops"))
        for name in ("PYTHONPATH", "PYTHONSAFEPATH"):
            patch.delenv(name, raising=False)
        yield Installed(wheel, folder)


def test_wheel_and_source_distribution_have_every_file(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    assert sources() <= packed
    made = "starmin/verify/checker/certificate_checker.py"
    assert zipfile.ZipFile(wheel).read(made).decode() == joined()
    assert {name.split("/")[0].split("-")[0] for name in packed} == {"starmin"}
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
        assert not [each.name for each in tar if each.issym()]
    needed = {"Makefile", "constraints.txt", "LICENSE", "CITATION.cff", "README.md"}
    needed |= {
        "tests/support/small_problems.py",
        "docs/tutorials/first_release.md",
        "docs/site/conf.py",
        "docs/reference/certificate.md",
    }
    assert sources() | needed | {"benchmarks/experiments.toml"} <= names
    assert not [name for name in names if Path(name).suffix in LEFT_OUT]


def test_nothing_beside_the_package_is_installed(installed: Installed) -> None:
    assert {top for top in installed.tops if "." not in top} == {"starmin"}
    for extra in ("matplotlib", "jinja2", "polars", "distributed"):
        assert not (installed.site / extra).exists()


def test_the_command_line_works(installed: Installed) -> None:
    before = {path.name for path in installed.work.iterdir()}
    installed.starmin(f"solve people.csv {ASKED} --out o.csv --certificate o.json")
    told = installed.starmin(
        f"verify o.csv {ASKED} --original people.csv --certificate o.json"
    )
    assert "accepted: at least 2" in told
    after = {path.name for path in installed.work.iterdir()}
    assert after - before == {"o.csv", "o.json"}
    completed = subprocess.run(
        [installed.command],
        env={"_STARMIN_COMPLETE": "complete_bash", "COMP_WORDS": "starmin so"}
        | {"COMP_CWORD": "1"},
        capture_output=True,
        text=True,
    )
    assert completed.stdout.split() == ["solve"]


def test_what_an_extra_is_missing_for_is_refused_before_the_search(
    installed: Installed,
) -> None:
    for asked, why in (
        ("--report o.html", NO_PAGES),
        ("--out o.xlsx", "pip install 'starmin[formats]'"),
    ):
        words = f"solve instance:census:n=200000 --k 5 {asked}".split()
        found = call(installed.command, *words, folder=installed.work)
        assert found.returncode == 2 and found.stderr.count("\n") == 1
        assert why in found.stderr


def test_the_children_of_gap_work_and_no_page_is_one_line(installed: Installed) -> None:
    (installed.work / "random.py").write_text("raise SystemExit('not this one')\n")
    gap = "gap people.csv --drop name --k 2 --methods own_pattern --out gaps"
    found = call(installed.command, *gap.split(), "--json", folder=installed.work)
    (installed.work / "random.py").unlink()
    assert found.returncode == 0, found.stderr
    rows = json.loads(found.stdout)["runs"]
    assert [row["outcome"] for row in rows] == ["ok"], rows
    assert [line for line in found.stderr.splitlines() if NO_PAGES in line] == [
        f"starmin: {Path('gaps', 'report.html')} is not written: {NO_PAGES}"
    ]
    frontier = "frontier instance:hospital --k 2,3 --quiet --out frontier"
    assert installed.starmin(frontier).endswith("frontier/frontier.csv\n")
    assert not list(installed.work.glob("*/report.html"))


def test_the_interface_is_that_of_the_checkout(installed: Installed) -> None:
    told = installed.script(
        "import json, pickle, models, verify, starmin\n"
        "table = starmin.load_instance('hospital')\n"
        "found = pickle.loads(pickle.dumps(starmin.solve(table, 2)))\n"
        "print(models.mine, verify.mine, found.value)\n"
        "print(json.dumps({n: [getattr(getattr(starmin, n), a, '') for a in\n"
        "    ('__module__', '__qualname__')] for n in starmin.__all__}))\n"
    )
    first, second = told.splitlines()
    assert first == "True True 2"
    assert json.loads(second) == {
        name: [
            getattr(getattr(starmin, name), each, "")
            for each in ("__module__", "__qualname__")
        ]
        for name in starmin.__all__
    }


def test_the_example_extension_is_installed_and_called_by_name(
    installed: Installed, tmp_path: Path
) -> None:
    """By pip, beside the wheel; nothing of the checkout is on the path."""
    source = shutil.copytree(HOME / "docs" / "extension", tmp_path / "extension")
    wheels = tmp_path / "wheels"
    pip = (sys.executable, "-m", "pip")
    run(*pip, "wheel", "-q", "--no-deps", "-w", wheels, source, folder=tmp_path)
    install = (*pip, "--python", installed.python, "install", "-q", "--no-deps")
    run(*install, *wheels.glob("*.whl"), folder=tmp_path)
    link_requirements(tmp_path / "pytest", ["pytest"])
    tests = shutil.copytree(source / "tests", tmp_path / "alone" / "tests")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(tmp_path / "pytest"))
        line = (installed.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests)
        line += ("-k", "called_by_name")  # `test_outside` runs them all
        told = run(*line, folder=tests.parent)
        where = "import starmin_extension as e; print(e.__file__)"
        named = run(installed.python, "-c", where, folder=tests.parent)
    remove = (*pip, "--python", installed.python, "uninstall", "-qy")
    run(*remove, "starmin-extension", folder=tmp_path)
    assert " passed" in told and "failed" not in told
    assert Path(named.strip()).is_relative_to(installed.site)


def test_loops_that_the_checkout_compiled_are_found(installed: Installed) -> None:
    warm = (sys.executable, "-m", "starmin", "warm-up", "--methods", "three_phase")
    run(*warm, folder=HOME)
    told = installed.script(
        "from numba.core.event import RecordingListener, install_listener\n"
        "import starmin\n"
        "table = starmin.load_instance('hospital')\n"
        "with install_listener('numba:compile', heard := RecordingListener()):\n"
        "    starmin.solve(table, l=2, method='three_phase')\n"
        "print(len(heard.buffer))\n"
    )
    assert told == "0\n"


def test_workers_of_dask_work(
    installed: Installed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="needs starmin[dask]")
    link_requirements(tmp_path, [*installed.needs], "dask")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    gap = "gap instance:hospital --k 2 --methods own_pattern --quiet --json --dask"
    told = installed.script(
        "import subprocess, models, starmin\n"
        "from distributed import Client, LocalCluster\n"
        "def main():\n"
        "    one = dict(n_workers=1, threads_per_worker=1, dashboard_address=None)\n"
        "    with LocalCluster(**one) as cluster, Client(cluster) as client:\n"
        "        table = starmin.load_instance('hospital')\n"
        "        found = client.submit(starmin.solve, table, 2).result()\n"
        "        print(found.value, flush=True)\n"
        f"        line = [{str(installed.command)!r}, *{gap.split()!r}]\n"
        "        subprocess.run([*line, cluster.scheduler_address], check=True)\n"
        "if __name__ == '__main__':\n"
        "    main()\n"
    )
    value, rows = told.splitlines()
    assert value == "2" and json.loads(rows)["runs"][0]["outcome"] == "ok"
