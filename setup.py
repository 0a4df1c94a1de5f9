"""Makes the checker of one file for the wheel; all else is in pyproject.toml."""

from pathlib import Path
from runpy import run_path

from setuptools import setup
from setuptools.command.build_py import build_py

PARTS = Path("starmin", "verify", "checker")


class BuildWithChecker(build_py):
    """Puts the one file beside its parts, whichever tool builds the wheel."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            made = Path(self.build_lib, PARTS, "certificate_checker.py")
            joined = run_path(str(PARTS / "join.py"))["joined"]
            made.write_text(joined(), encoding="utf-8")


setup(cmdclass={"build_py": BuildWithChecker})
