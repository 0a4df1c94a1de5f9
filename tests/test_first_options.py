"""Tests that help shows ten options first, and none of them is lost by that."""

import inspect
from typing import get_args

from typer.models import OptionInfo

from starmin.commands.bound import bound
from starmin.commands.solve import FIRST, solve


def panels(command):
    """The panel of each option of a command."""
    each = inspect.signature(command).parameters
    return {
        name: option.rich_help_panel
        for name, one in each.items()
        for option in get_args(one.annotation)
        if isinstance(option, OptionInfo)
    }


def test_ten_options_are_first_and_the_rest_is_under_more():
    placed = panels(solve)
    first = [name for name, panel in placed.items() if panel == "First"]
    assert first == list(FIRST) and len(first) == 10
    rest = {panel for name, panel in placed.items() if name not in FIRST}
    assert len(rest) > 3 and all(panel.startswith("More: ") for panel in rest)


def test_panels_of_other_commands_stay_as_they_are():
    placed = panels(bound)
    assert placed["qi"] == "Table" and placed["time_limit"] == "Run"
    assert not any(
        str(panel).startswith(("First", "More")) for panel in placed.values()
    )
