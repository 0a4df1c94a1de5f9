"""Certificates that are kept, true and edited ones, with what each checker says.

Those in ``tests/cases/proofs.json.gz`` are what ``tests/drawn_proofs.py`` has drawn and
``tests/mutants.py`` found wrong checkers by. Each version has to judge them alike.
"""

import copy
import gzip
import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import starmin
from starmin.instances import Certificate, Table
from tests.support.places import CASES

KEPT = CASES / "proofs.json.gz"
REFUSED, BEYOND = "refused", "beyond"
Verdict = int | str
Content = dict[str, Any]
_FIELDS = "table", "requirement", "objective", "kind", "bound", "data"


class Proof(NamedTuple):
    """A certificate, and the table, hierarchies and people that it is about."""

    header: list[str]
    rows: list[list[str]]
    trees: dict[str, list[list[str]]]
    people: list[tuple[list[str], list[list[str]], str | None]]
    content: Content

    @property
    def kind(self) -> str:
        """The kind that it says it is of, as far as it does."""
        named = self.content.get("kind")
        return named if isinstance(named, str) else "none"


Kept = tuple[Proof, Verdict, Verdict]


def alone(proof: Proof) -> Verdict:
    """Return what the checker of one file proves, and the most that is lost."""
    checker = import_module("starmin.verify.checker.command")
    header, rows, trees, people, content = copy.deepcopy(proof)
    try:
        checker.expect_known(content)
        among = [checker.People(*each) for each in people]
        given = checker.Given(header, rows, content, trees)
        bound, most = checker.proven_for(given, among)
    except checker.InputError:
        return "input"
    except checker.BeyondError:
        return BEYOND
    except (checker.RefusalError, *checker.WRONG):
        return REFUSED
    return f"{bound} of {most}"


def by_verify(proof: Proof) -> Verdict:
    """Return what the other checker proves, at most the claim."""
    content = proof.content
    try:
        told = Certificate(**{k: v for k, v in content.items() if k in _FIELDS})
        table = Table.from_rows(proof.header, proof.rows, proof.header[:1])
        check = starmin.check_certificate(
            told, table, _taxonomies(proof), _marks(proof)
        )
    except (starmin.TableError, TypeError, ValueError, AttributeError, KeyError):
        return REFUSED
    if check.accepted is None:
        return BEYOND
    if check.bound is None:  # people are named by the requirement that is asked
        return BEYOND if "name the table" in str(check.why) else REFUSED
    return min(int(check.bound), content["bound"])


def _taxonomies(proof: Proof) -> dict[str, starmin.Taxonomy]:
    return {
        c: starmin.Taxonomy([tuple(path) for path in t]) for c, t in proof.trees.items()
    }


def _marks(proof: Proof) -> list[str | None]:
    stated = json.dumps(proof.content)
    return [None, "", "?", *(mark for mark in ("NA", "-") if f'"{mark}"' in stated)]


def kept(file: Path = KEPT) -> list[Kept]:
    """Return the certificates that are kept, with what both checkers say."""
    if not file.exists():
        return []
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    return [(Proof(*proof), one, other) for proof, one, other in map(json.loads, lines)]


def keep(found: Sequence[Kept], file: Path = KEPT) -> None:
    """Keep these certificates."""
    text = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in found)
    file.write_bytes(gzip.compress(text.encode(), mtime=0))
