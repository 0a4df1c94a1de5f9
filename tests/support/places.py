"""Where the tests find what they read."""

from pathlib import Path

HOME = Path(__file__).parents[2]
TESTS = HOME / "tests"
CASES = TESTS / "cases"
