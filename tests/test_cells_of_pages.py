"""Tests that cells of the pages on papers, drawn at random, are what is computed."""

import random
import re
from pathlib import Path

from starmin.heuristics.nonhomogeneous.two_phase import TwoPhaseParams, two_phase
from starmin.instances import KAnonymity
from starmin.instances.catalogue.census import census

DOCS = Path(__file__).parents[1] / "docs"
SETTINGS = (TwoPhaseParams(steps=0), TwoPhaseParams(), TwoPhaseParams(to_the_end=True))


def test_five_cells_of_both_settings_of_phase_2():
    page = (DOCS / "nonhomogeneous.md").read_text()
    lines = re.findall(r"^\| 1,000 \| (\d+) \| (.*) \|$", page, re.M)
    cells = [
        (int(k), setting, cell)
        for k, rest in lines
        for setting, cell in zip(SETTINGS, rest.split(" | "), strict=True)
    ]
    assert len(cells) == 9
    table = census(1000, "none")
    for k, setting, cell in random.Random().sample(cells, 5):
        found = two_phase(table, KAnonymity(k), params=setting)
        assert f"{found.value:,}" == cell.partition(" ")[0], (k, setting)
