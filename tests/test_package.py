"""Tests that the package is built whole, and works where nothing else is installed."""

import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HOME = Path(__file__).parents[1]
PACKAGES = ("starmin", "verify", "heuristics", "models", "instances")
LEFT_OUT = {".pyc", ".nbc", ".nbi", ".loop", ".warm"}
PEOPLE = "name,age,disease\nAnn,34,flu\nBob,34,gout\nCem,36,flu\nDia,52,gout\n"

pytestmark = pytest.mark.slow


def run(*line: object, folder: Path) -> str:
    """What a command prints; it must end well."""
    words = [str(word) for word in line]
    found = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert found.returncode == 0, (words, found.stdout[-2000:], found.stderr[-2000:])
    return found.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel, built from the source distribution."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("built")
    line = [sys.executable, "-m", "build", "--outdir", str(folder), str(HOME)]
    found = subprocess.run(line, cwd=folder, capture_output=True, text=True)
    if found.returncode and "Could not find a version" in found.stdout + found.stderr:
        pytest.skip("setuptools cannot be fetched: no network")
    assert found.returncode == 0, found.stderr[-2000:]
    assert "would be ignored" not in found.stdout + found.stderr
    return folder


def sources() -> set[str]:
    """The files of the packages, as git has them where there is a git."""
    files = (path for each in PACKAGES for path in (HOME / each).rglob("*"))
    kept = (p for p in files if p.is_file() and p.suffix not in LEFT_OUT)
    return {p.relative_to(HOME).as_posix() for p in kept}


def requirements_of(wheel: Path) -> list[str]:
    """What a wheel says that it needs."""
    with zipfile.ZipFile(wheel) as file:
        (name,) = (name for name in file.namelist() if name.endswith("/METADATA"))
        told = file.read(name).decode()
    return message_from_string(told).get_all("Requires-Dist", [])


def link_requirements(site: Path, asked: list[str]) -> None:
    """Link what is asked for, and what that needs, and nothing else, into a folder."""
    linked: set[str] = set()
    while asked:
        requirement = Requirement(asked.pop())
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
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


def test_wheel_and_source_distribution_have_every_file(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert sources() <= set(zipfile.ZipFile(wheel).namelist())
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    needed = {"Makefile", "constraints.txt", "LICENSE", "CITATION.cff", "README.md"}
    needed |= {"tests/small_problems.py", "docs/tutorial.md", "docs/site/conf.py"}
    assert sources() | needed | {"benchmarks/all.py"} <= names
    assert not [name for name in names if Path(name).suffix in LEFT_OUT]


def test_it_works_in_an_empty_environment_and_another_folder(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (wheel,) = built.glob("*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", "venv", folder=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    install = ("-m", "pip", "--python", python, "install", "-q", "--no-deps")
    run(sys.executable, *install, "--no-compile", wheel, folder=tmp_path)
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run(python, "-c", where, folder=tmp_path).strip())
    link_requirements(site, requirements_of(wheel))
    # Compiled loops are found by content; here are those that the tests compiled.
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "loops"))
    (tmp_path / "loops").mkdir()
    (tmp_path / "loops" / "starmin").symlink_to(HOME / "instances/loops/__pycache__")
    work = tmp_path / "work"
    work.mkdir()
    (work / "people.csv").write_text(PEOPLE)
    starmin = tmp_path / "venv" / "bin" / "starmin"
    asked = ["--drop", "name", "--sensitive", "disease", "--k", "2", "--l", "2"]
    written = [
        "--out",
        "out.csv",
        "--certificate",
        "proof.json",
        "--report",
        "out.html",
    ]
    run(starmin, "solve", "people.csv", *asked, *written, folder=work)
    checked = ["--original", "people.csv", "--certificate", "proof.json"]
    said = run(starmin, "verify", "out.csv", *asked, *checked, folder=work)
    assert "accepted: at least 2" in said
    gap = "gap instance:hospital --k 2 --methods own_pattern --out gaps"
    run(starmin, *gap.split(), folder=work)
    assert (work / "gaps" / "report.html").exists()
    completed = subprocess.run(
        [starmin],
        env={"_STARMIN_COMPLETE": "complete_bash", "COMP_WORDS": "starmin so"}
        | {"COMP_CWORD": "1"},
        capture_output=True,
        text=True,
    )
    assert completed.stdout.split() == ["solve"]
    code = "import starmin; print(starmin.solve(starmin.load_instance('hospital'), 2))"
    assert "value=2" in run(python, "-c", code, folder=work)
    assert {p.name for p in work.iterdir()} == {
        "people.csv",
        "out.csv",
        "proof.json",
        "out.html",
        "gaps",
    }
