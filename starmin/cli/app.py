"""The command line: ``starmin COMMAND --help`` explains each command."""

import errno
import os
import signal
import sys
import traceback
from contextlib import suppress
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Any, NoReturn

import typer
import typer.core

from starmin.cli.commands import COMMANDS
from starmin.instances.errors import NotSupportedError, TableError
from starmin.process import clock
from starmin.process.faults import BAD_INPUT, BUG, INTERRUPTED
from starmin.process.say import answer, say, say_kept

_OUTPUT_ERRORS = (errno.ENOSPC, errno.EBADF, errno.EIO)
# Whether the process ends with the command, whatever threads are still at work.
leaves_at_once = False


class LazyGroup(typer.core.TyperGroup):
    """Lists commands by their summaries; loads the one that is called."""

    def resolve_command(
        self, ctx: Any, args: list[str]
    ) -> tuple[str | None, Any, list[str]]:
        """Return the command that the arguments name, and its own arguments."""
        name, listed, rest = super().resolve_command(ctx, args)
        if name is None:
            return name, listed, rest
        from starmin.extensions import register_installed

        register_installed()
        return name, COMMANDS[name].load(name), rest

    def invoke(self, ctx: Any) -> Any:
        """Run a command; an interrupt ends its search."""
        from starmin.instances.loops import notice
        from starmin.instances.runs.background_call import leave_calls
        from starmin.process.interrupts import hearing

        if leaves_at_once:
            leave_calls()
        notice.on_compile = _tell_of_compiling
        with hearing(command=True):
            code = super().invoke(ctx)
            sys.stdout.flush()
        return code


def add_commands(app: typer.Typer) -> None:
    """Add all commands to the app of a lazy group: a name and a summary of each."""
    for name, command in COMMANDS.items():
        listed = app.command(name, help=command.summary, rich_help_panel=command.panel)
        listed(_is_loaded_instead)


def _is_loaded_instead() -> None:
    """Stand for a command in the list of them."""


def _tell_of_compiling() -> None:
    """Say once what the user waits for."""
    from starmin.instances.loops import notice

    notice.on_compile = None
    say("compiles methods that were not called before; `starmin warm-up` compiles all")


app = typer.Typer(
    cls=LazyGroup,
    help="Make tables of people safe to publish, hide as little as possible, and prove "
    "how little that is.",
    epilog="Example:\n\n$ starmin solve instance:hospital --l 2 --out hospital.l2.csv"
    "\n\nstarmin COMMAND --help explains a command, with --help all each option.",
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


FIRST_THREE = """\
See who stands out, let settings be proposed, and publish by them:

  starmin risk people.csv
  starmin new people.csv --out people.toml       (then read people.toml)
  starmin publish people.csv --recipe people.toml

starmin page does the same in a browser; starmin --help lists all commands."""


def _show_version(asked: bool) -> None:
    if asked:
        answer(f"starmin {version('starmin')}")
        raise typer.Exit


@app.callback()
def before_commands(
    context: typer.Context,
    shown: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_show_version, help="Show it and exit."
        ),
    ] = False,
) -> None:
    """Take the options that come before a command; say what to do first."""
    if context.invoked_subcommand is None:
        answer(FIRST_THREE)


add_commands(app)


def main() -> int:
    """Run a command; its exit code.

    0 done, a reached time limit included; 1 the answer is no; 2 bad usage or bad
    input, told in one line on stderr; 130 interrupted, the incumbent written.
    """
    clock.restart()
    say_kept(forget=True)
    return _main()


def _main() -> int:
    code = _called()
    say_kept(forget=code == BAD_INPUT)
    return code


def _called() -> int:
    try:
        code = app(prog_name="starmin", standalone_mode=False)
    except typer.TyperException as error:  # the parser's
        said = error.format_message().replace(": Value error, ", ": ")
        say(f"{said} (see --help)")
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except MemoryError:
        say("memory ran out; a smaller table or fewer columns need less")
        return BAD_INPUT
    except OSError as error:
        if error.errno in _OUTPUT_ERRORS:
            say(f"stdout: cannot be written: {error.strerror}")
        else:
            say(f"the system refuses: {error}")
        return BAD_INPUT
    except ImportError as error:  # as where too little memory is left for a library
        say(f"cannot be loaded: {error}")
        return BAD_INPUT
    except (TableError, NotSupportedError) as error:
        say(str(error))
        return BAD_INPUT
    return code if isinstance(code, int) else 0


def _open_streams() -> bool:
    """Return whether there is a stdout; no stream is left closed.

    Else the next file that is opened would take its number, and what is said to it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    told = sys.stdout is not None
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")
    return told


def _keep_stdout() -> None:
    """Keep stdout for what the command says; nobody hears what compiled code says.

    A solver writes to descriptor 1 by itself: then what ``--json`` prints would not be
    one JSON object.
    """
    out = sys.stdout
    out.flush()
    own = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    sys.stdout = TextIOWrapper(own, out.encoding, out.errors, None, out.isatty())


def script() -> NoReturn:
    """Run the command as a process of its own, and leave at once when it is done."""
    global leaves_at_once
    if hasattr(signal, "SIGPIPE"):  # as other filters: whoever read stdout has left
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    leaves_at_once = True
    code = BAD_INPUT
    if _open_streams():
        _keep_stdout()
        try:
            code = _main()
        except Exception:
            traceback.print_exc()
            code = BUG
    else:
        say("stdout is closed; send it to a file or to /dev/null")
    with suppress(OSError):  # what could not be written has been told of
        sys.stdout.flush()
        sys.stderr.flush()
    # Threads of a solver may still be at work in compiled code; an interpreter that
    # goes down in good order waits for them or is aborted by them.
    os._exit(code)
