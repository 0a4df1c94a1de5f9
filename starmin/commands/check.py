"""starmin check: re-prove a bound with nothing but Python's own library."""

from typing import Annotated

import typer

from starmin.instances.errors import TableError
from starmin.process.exit_codes import NO, UNKNOWN
from starmin.process.say import answer
from starmin.verify import certificate_checker

EXAMPLES = (
    "starmin check proof.json --original people.csv",
    "starmin check proof.json --original people.csv --hierarchy zip=zip.csv",
)

CertificateArg = Annotated[
    str,
    typer.Argument(
        metavar="CERTIFICATE", help="A file of --certificate.", show_default=False
    ),
]
Original = Annotated[
    str,
    typer.Option(
        metavar="TABLE",
        help="The table that it is of: a file .csv or .csv.gz in UTF-8.",
        rich_help_panel="Table",
    ),
]
Hierarchies = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        metavar="COLUMN=FILE",
        help="The hierarchy of a column, where it has one; once for each.",
        rich_help_panel="Table",
    ),
]


def check(
    certificate: CertificateArg, *, original: Original, hierarchy: Hierarchies = None
) -> int:
    """Check the certificate of a bound by one file without numpy and solvers.

    The file is verify/certificate_checker.py, which an auditor may read, copy, and run
    alone. It repeats the proof in whole numbers. Exit code 0: proven; 1: refused; 3:
    its kind cannot be checked there, which says nothing for or against it (`starmin
    verify --certificate` checks all kinds, and releases).
    """
    named = hierarchy or []
    if wrong := [each for each in named if "=" not in each]:
        raise TableError(f"--hierarchy {wrong[0]}: expected COLUMN=FILE")
    try:
        accepted, said = certificate_checker.check(original, certificate, *named)
    except RecursionError:
        raise TableError(f"{certificate}: is nested too deeply") from None
    except ValueError as error:
        raise TableError(
            f"{certificate} or a table: cannot be read ({error})"
        ) from None
    answer(said)
    return UNKNOWN if accepted is None else 0 if accepted else NO
