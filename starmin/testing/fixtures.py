"""Fixtures of pytest: all that other packages have registered, one at a time.

A package has them by ``pytest_plugins = ["starmin.testing.fixtures"]`` in its
``conftest.py``.
"""

import pytest

from starmin.extensions import OTHER_INSTANCES, catalogue, register_installed
from starmin.instances.requirements.requirements import REQUIREMENTS
from starmin.registry import METHODS


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test for each method, requirement or instance of another package.

    Raises
    ------
    pytest.UsageError
        None is registered.
    """
    register_installed()
    for fixture, things in _FIXTURES.items():
        if fixture not in metafunc.fixturenames:
            continue
        found = things()
        if not found:
            what = fixture.removeprefix("starmin_")
            raise pytest.UsageError(f"{fixture}: no package registers a {what}")
        metafunc.parametrize(fixture, list(found.values()), ids=list(found))


def _methods() -> dict[str, object]:
    return {name: one for name, one in METHODS.items() if one.package != "starmin"}


def _requirements() -> dict[str, object]:
    ours = "starmin."
    kinds = [kind for kind in REQUIREMENTS if not kind.__module__.startswith(ours)]
    return {kind.__name__: kind for kind in kinds}


def _instances() -> dict[str, object]:
    return {name: one for name, one in catalogue().items() if name in OTHER_INSTANCES}


_FIXTURES = {
    "starmin_method": _methods,
    "starmin_requirement": _requirements,
    "starmin_instance": _instances,
}
