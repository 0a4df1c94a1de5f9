"""Fixtures of pytest: all that other packages have registered, one at a time.

A package has them by ``pytest_plugins = ["starmin.testing.fixtures"]`` in its
``conftest.py``.
"""

from typing import Any

import pytest

from starmin.extensions import OTHER_INSTANCES, catalogue, register_installed
from starmin.instances.requirements.requirements import REQUIREMENTS
from starmin.registry import METHODS


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test for each method, requirement or instance of another package.

    Raises ``pytest.UsageError`` where none is registered.
    """
    register_installed()
    methods = {name: m for name, m in METHODS.items() if m.package != "starmin"}
    kinds = [
        kind for kind in REQUIREMENTS if not kind.__module__.startswith("starmin.")
    ]
    known = catalogue()
    others = {name: known[name] for name in known if name in OTHER_INSTANCES}
    every: dict[str, dict[str, Any]] = {
        "method": methods,
        "requirement": {kind.__name__: kind for kind in kinds},
        "instance": others,
    }
    for what, found in every.items():
        fixture = f"starmin_{what}"
        if fixture not in metafunc.fixturenames:
            continue
        if not found:
            raise pytest.UsageError(f"{fixture}: no package registers a {what}")
        metafunc.parametrize(fixture, list(found.values()), ids=list(found))
