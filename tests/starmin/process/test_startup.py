"""What a short command imports: counted, since each module takes a millisecond."""

import ast
import inspect
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import starmin.instances

TABLE = "age,zip,illness\n" + "".join(
    f"{20 + i % 4},{100 + i // 3},{'abc'[i % 3]}\n" for i in range(10)
)
SCRIPT = """
import json, os, sys
*sys.argv, kept = ["starmin", *sys.argv[1:]]
end = os._exit
def leave(code):
    with open(kept, "w") as out:
        json.dump(sorted(sys.modules), out)
    end(code)
os._exit = leave
from starmin.__main__ import script
try:
    script()
finally:
    leave(0)
"""


@pytest.mark.parametrize(
    ("words", "most", "without"),
    [
        (["--help"], 20, {"numpy", "numba", "pyarrow", "scipy"}),
        (["solve", "--help"], 190, {"numba", "scipy", "pandas", "ortools", "highspy"}),
        (
            ["solve", "t.csv", "--qi", "age,zip", "--k", "2", "--out", "o.csv"],
            415,
            {"pandas"},
        ),
    ],
)
def test_a_short_command_imports_few_modules(
    words: list[str], most: int, without: set[str], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    kept = tmp_path / "modules.json"
    command = [sys.executable, "-P", "-c", SCRIPT, *words, str(kept)]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    modules = json.loads(kept.read_text())
    ours = [name for name in modules if name.split(".")[0] == "starmin"]
    assert 0 < len(ours) <= most
    assert not without & set(modules)


def test_names_of_the_instances_are_said_alike_for_types_and_at_run_time() -> None:
    source = Path(starmin.instances.__file__).read_text()
    imports = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ImportFrom)]
    typed = {
        name.name: node.module
        for node in imports
        if (node.module or "").startswith("starmin.instances")
        for name in node.names
    }
    assert sorted(typed) == sorted(starmin.instances.__all__)
    for name, home in typed.items():
        assert home is not None
        found = getattr(starmin.instances, name)
        assert found is getattr(import_module(home), name)


def test_each_module_of_the_package_verify_is_imported_as_another_name() -> None:
    """``starmin.verify`` is the function, in which its modules are found."""
    home = Path(starmin.__file__).parent / "verify"
    names = [
        ".".join(("starmin", "verify", *file.relative_to(home).with_suffix("").parts))
        for file in sorted(home.rglob("*.py"))
        if not file.name.startswith("_") and "checker" not in file.parts
    ]
    assert len(names) > 60
    for name in names:
        space: dict[str, Any] = {}
        exec(f"import {name} as found", space)
        assert space["found"].__name__ == name
    assert inspect.isfunction(starmin.verify) and starmin.verify.__name__ == "verify"
    # So it is before anything else is imported.
    first = "import starmin.verify.brute_force as b; print(b.__name__)"
    line = [sys.executable, "-c", first]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout == "starmin.verify.brute_force\n"
