"""Tables at real scale, which come with the project and its packages."""

from collections.abc import Sequence
from functools import cache
from importlib import util
from pathlib import Path

import pytest

from starmin.instances import Table
from starmin.instances.catalogue.catalogue import load_instance

FIVE = ("gender", "race", "marital_status", "education", "work_class")
SIX = ("age", *FIVE)

# Of persons(SIX), 12,928 row types, for k = 5: what `starmin bound --method lagrangian`
# certifies, and the stars that `pattern_annealing` finds in 12 seconds.
SIX_BOUND, SIX_FOUND = 19_225, 19_336

needs_data = pytest.mark.skipif(
    util.find_spec("causaldata") is None, reason="extra 'data' is not installed"
)


@cache
def persons(
    qi: Sequence[str] = FIVE, sensitive: Sequence[str] = (), n: int = 30_000
) -> Table:
    """Seeded persons, with columns and cardinalities as in a census."""
    return load_instance(f"census:n={n}").with_roles(qi, sensitive)


@cache
def mortgages() -> Table:
    """214,144 men of a census, of 1,514 row types; needs the extra ``data``."""
    return load_instance("mortgages")


def public_tables() -> Path:
    """The folder of the package that has public tables."""
    found = util.find_spec("causaldata")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent
