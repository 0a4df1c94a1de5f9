"""What all tests rely on."""

import gc
import os
import shlex
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import BinaryIO

import pytest
import typer.main

from starmin.cli.commands import Command
from starmin.cli.limited import FILE as LIMITED
from starmin.gaps.fork_server import Ended
from starmin.instances import Control, watch_runs

# Each command that a test starts would else compile all modules anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among modules and tests, a million objects that stay.

    To go through them takes half a second each time, and four seconds in sum.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True, scope="session")
def interrupts_are_heard() -> Iterator[None]:
    """Take SIGINT as a job in the foreground does, and so do the commands started.

    A job in the background of a shell begins with SIGINT ignored, and what it starts
    inherits that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True, scope="session")
def parsers_are_kept() -> Iterator[None]:
    """Build the parser of a command once, not at each call: that takes a tenth second.

    Help changes the parser that writes it, and so has one of its own.
    """
    build, kept = Command.load, cache(Command.load)
    build_all = typer.main.get_command
    kept_all = cache(lambda app, commands: build_all(app))

    def load(command: Command, name: str) -> object:
        asks = {"-h", "--help"}.intersection(sys.argv)
        return (build if asks else kept)(command, name)

    def get_command(app: typer.Typer) -> object:
        return kept_all(app, len(app.registered_commands))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Command, "load", load)
        patch.setattr(typer.main, "get_command", get_command)
        yield


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the figures of reports empty, for tests that read their texts alone.

    They are drawn in the tests of reports; to draw those of a page takes a second.
    """
    from matplotlib.figure import Figure

    svg = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'

    def save(_: Figure, file: BinaryIO, **told: object) -> None:
        file.write(svg if told["format"] == "svg" else b"empty")

    monkeypatch.setattr(Figure, "savefig", save)


@pytest.fixture
def exactly() -> Iterator[None]:
    """Search for losses to the last unit, as by ``--gap 0``."""
    with watch_runs(Control(gap=0.0)):
        yield


@pytest.fixture(scope="session")
def one_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The checker that is one file, made by the command."""
    from starmin.cli.app import main

    file = str(tmp_path_factory.mktemp("checker") / "certificate_checker.py")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()):
        patch.setattr(sys, "argv", ["starmin", "check", "--as-file", file])
        assert main() == 0
    return file


class AtOnce(Executor):
    """Does what it is given before anything else is done."""

    def submit(self, function, /, *arguments, **options):
        future = Future()
        try:
            future.set_result(function(*arguments, **options))
        except Exception as error:
            future.set_exception(error)
        return future


@pytest.fixture
def starmin(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command line in an empty folder; exit code, stdout and stderr."""
    from starmin.cli.app import main

    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["starmin", *words])
        code = main()
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def by_line(
    starmin: Callable[..., tuple[int, str, str]],
) -> Callable[[str], tuple[int, str, str]]:
    """The same, called with a line."""
    return lambda line: starmin(*shlex.split(line))


@pytest.fixture
def jobs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the commands of ``starmin gap`` in this process, one after the other.

    That the harness survives whatever a command does, ``test_gap`` tests in processes;
    to start one takes a second or two.
    """
    from starmin.cli.app import main

    def run_here(line: Sequence[str], most: float) -> Ended:
        words = line[line.index(str(LIMITED)) + 2 :]
        out, err = StringIO(), StringIO()
        with monkeypatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setattr(sys, "argv", ["starmin", *words])
            code = main()
        return Ended(code, out.getvalue(), err.getvalue(), 1.0, 1.0)

    monkeypatch.setattr("starmin.gaps.sweep.run_process", run_here)
    monkeypatch.setattr(
        "starmin.commands.gap.local_executor", lambda *_: nullcontext(AtOnce())
    )
