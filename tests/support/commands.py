"""Call commands in this process."""

import shlex
import sys

import pytest

from starmin.cli.app import main


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr of a command."""
    monkeypatch.setattr(sys, "argv", ["starmin", *shlex.split(line)])
    code, said = main(), capsys.readouterr()
    return code, said.out, said.err
