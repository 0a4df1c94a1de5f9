"""Tests that commands on any table keep what they promise: a short hunt.

For minutes of it: ``python -m tests.fuzz_tables --seconds 1800``.
"""

import re

from starmin.models.price_unit import PriceUnit
from tests.fuzz_tables import trials
from tests.patience import patiently


def test_no_command_on_any_table_is_at_fault():
    counts, faults = trials(iter(range(1, 13)), seconds=600, limit=0.4)
    assert not faults, "\n\n".join(faults)
    assert counts["problems"] == 12 and counts["runs"] > counts["refused"]


def test_the_hunt_finds_a_false_bound(monkeypatch):
    true = PriceUnit.bound
    monkeypatch.setattr(PriceUnit, "bound", lambda unit, value: true(unit, 2 * value))
    kinds = re.compile("refused|accepted.: false|above|proved|Error")
    seeds = 11, 19, 20, 23, 29, 37
    text = patiently(
        lambda limit: "\n".join(trials(iter(seeds), seconds=600, limit=limit)[1]),
        lambda text: kinds.search(text) is not None,
        0.4,
    )
    assert text.startswith("python -m tests.fuzz_tables --case ")
