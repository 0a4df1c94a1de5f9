"""starmin page: the steps from a table to a release, in a browser."""

import webbrowser
from pathlib import Path
from typing import Annotated

from starmin.inputs import options
from starmin.inputs.declared import argument, option
from starmin.instances import TableError
from starmin.instances.errors import expect_extra
from starmin.process.say import answer, say

EXAMPLES = (
    "starmin page people.csv",
    "starmin page people.toml --folder work --no-browser",
)

_FOLDER = "starmin.page"  # where no table is named


def page(
    table: Annotated[
        str | None,
        argument(
            "[TABLE | SETTINGS.toml]",
            "A table, or a settings file for the next one; it can be chosen in the "
            "browser, too.",
        ),
    ] = None,
    *,
    folder: Annotated[
        Path | None,
        option(
            "--folder DIR",
            "Where all files of the page lie, private to you. [default: NAME.starmin "
            "beside the table]",
        ),
    ] = None,
    port: Annotated[
        int,
        option("", "Port of 127.0.0.1. [default: one that is free]", min=0, max=65535),
    ] = 0,
    no_browser: Annotated[
        bool, option("--no-browser", "Print the address alone.")
    ] = False,
    quiet: options.Quiet = False,
) -> int:
    """Go from a table to a release in a browser, step by step.

    The page listens on this machine alone, and its address works once, in one browser.
    Everything that it makes lies in one folder: settings as `starmin new` proposes
    them, and each run with release, certificate and report. Each step shows the command
    that does the same.
    """
    expect_extra("page", "page")
    # The libraries of the extra are imported here.
    from starmin.page.folder import Folder, PageError
    from starmin.page.server import Page, serve

    place = _folder_of(table) if folder is None else folder
    try:
        kept = Folder(place)
        kept.take(say)

        def made(number: int) -> Page:
            ours = Page(kept, number)
            if table is not None:
                ours.session.open(table)
            return ours

        def opened(address: str) -> None:
            if not quiet:
                say(f"files lie in {kept.path}; close it by Ctrl-C or on the page")
            answer(address, now=True)
            if not no_browser:
                webbrowser.open(address)

        serve(made, port, opened)
    except PageError as error:
        raise TableError(str(error)) from None
    return 0


def _folder_of(table: str | None) -> Path:
    """Return the folder beside a table, or one in the working folder."""
    if table is None:
        return Path(_FOLDER)
    if table.startswith("instance:"):
        return Path(f"{table.replace(':', '-').replace('=', '-')}.starmin")
    path = Path(table)
    return path.with_name(f"{path.name.partition('.')[0] or path.name}.starmin")
