"""starmin verify: check a release, whoever made it."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from instances import Certificate, TableError
from starmin import options
from starmin.loading import Roles, load_release
from starmin.requirements import Asked
from starmin.summary import show_lines
from verify.certificates import CertificateCheck, check_certificate
from verify.release import ReleaseCheck, check_release

EXAMPLES = (
    "starmin verify hospital.l2.csv --l 2 --original instance:hospital",
    "starmin verify hospital.l2.csv --qi age,gender,education --k 2 --json",
)

ReleaseArg = Annotated[
    str,
    typer.Argument(
        metavar="RELEASE",
        help="A file .csv, .csv.gz or .parquet.",
        show_default=False,
    ),
]
Original = Annotated[
    str | None,
    typer.Option(
        metavar="TABLE",
        help="The table it was made of: is every cell the original's or a star?",
        rich_help_panel="Claims",
    ),
]
CertificateIn = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="A proof of a lower bound on the original, to be checked.",
        rich_help_panel="Claims",
    ),
]


def verify(
    release: ReleaseArg,
    qi: options.Qi = None,
    sensitive: options.Sensitive = None,
    drop: options.Drop = None,
    sep: options.Sep = ",",
    star: options.Star = "*",
    k: options.K = None,
    l: options.L = None,
    diversity: options.DiversityForm = "frequency",
    c: options.C = None,
    alpha: options.Alpha = None,
    t: options.T = None,
    k_column: options.KColumn = None,
    original: Original = None,
    certificate: CertificateIn = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Check a release, whoever made it, from its cells alone.

    Says which k and l hold, which classes fail what is asked, and, with the
    original, whether the release tells the truth.
    """
    if certificate is not None and original is None:
        raise TableError("--certificate needs --original: the table it is about")
    roles = Roles.parse(qi, sensitive, drop, sep)
    asked = Asked(k, l, diversity, c, alpha, t, k_column)
    released, source = load_release(release, original, roles, asked.columns)
    requirement = asked.on(released)
    check = check_release(released, requirement, source, star)
    proof = None
    if certificate is not None and source is not None:
        claim = Certificate.read(certificate)
        proof = check_certificate(claim, source, requirement)
    if as_json:
        content = check.as_json()
        print(json.dumps(content | ({"certificate": asdict(proof)} if proof else {})))
    else:
        show_lines(_lines(check, proof))
    fine = check.holds and check.consistent is not False
    return int(not fine or (proof is not None and not proof.accepted))


def _lines(
    check: ReleaseCheck, proof: CertificateCheck | None
) -> list[tuple[str, str]]:
    """What was found, to be read by people."""
    lines = [
        ("holds", "yes" if check.holds else f"no: {check.violations_total} classes"),
        ("k", f"{check.k} in {check.groups:,} classes"),
    ]
    if check.l is not None:
        lines.append(
            (
                "l",
                f"{check.l:.3f} by frequency, {check.distinct_l} distinct, "
                f"{check.entropy_l:.3f} by entropy",
            )
        )
    if check.t is not None:
        lines.append(("t", f"{check.t:.4f}"))
    lines.append(("stars", f"{check.stars:,} ({check.gcp:.2%} of QI cells)"))
    lines += [("fails", _place(v.rows, v.why)) for v in check.violations]
    if check.inconsistencies is not None:
        lines.append(
            ("truth", "no" if check.inconsistencies else "agrees with original")
        )
        lines += [("differs", _place(i.rows, i.why)) for i in check.inconsistencies]
    if proof is not None:
        word = "accepted" if proof.accepted else "refused"
        lines.append(("proof", f"{word}: {proof.why or f'at least {proof.bound:,}'}"))
    return lines


def _place(rows: tuple[int, ...], why: str) -> str:
    return f"rows {', '.join(map(str, rows))}: {why}" if rows else why
