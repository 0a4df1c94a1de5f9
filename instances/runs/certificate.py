"""A lower bound with the data that prove it, as one JSON file."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from starmin.instances.errors import TableError
from starmin.instances.io.atomic import expect_file, write_atomically
from starmin.instances.releases.objective import Objective
from starmin.instances.requirements.requirement import Requirement
from starmin.instances.tables.table import Table

FORMAT = 2
# Formats that are read; format 1 has a fingerprint of the cells and no note.
_READ = (1, 2)
# What their entries are; True is no whole number.
_KINDS: dict[str, type] = dict.fromkeys(("table", "requirement", "objective"), dict)
_KINDS |= {"kind": str, "bound": int, "data": dict, "note": str}


class UnknownFormatError(TableError):
    """A certificate of a format that is not known here: later, or somebody else's."""


NOTE = (
    "Confidential: keep this with the original. The prices and the bound are computed "
    "from all cells of the original, suppressed ones included, so that they help to "
    "test guesses of them. Only whoever holds the original can re-check it."
)


@dataclass(frozen=True)
class Certificate:
    """A claim ``no release costs less than bound`` and its proof.

    Attributes
    ----------
    table
        Name, n, d, the columns with their roles and floors; nothing of the cells. What
        is proven is recomputed from the table that it is checked with, so that no
        fingerprint is needed: acceptance is a proof for that table, whichever it is.
    kind
        How ``data`` prove the bound: ``prices``, ``group_prices`` and
        ``nonhomogeneous_prices`` (a price for each row type), ``odd_sets`` (and one for
        odd sets of them), ``tree`` and ``nonhomogeneous_tree`` (prices at leaves) or
        ``residue`` (nothing but the table); docs/reference/certificate.md specifies and
        ``starmin.verify.certificates.certificate_check`` knows each.
    note
        Who may see it.
    """

    table: Mapping[str, Any]
    requirement: Mapping[str, Any]
    objective: Mapping[str, Any]
    kind: str
    bound: int
    data: Mapping[str, Any]
    note: str = NOTE

    @classmethod
    def of(
        cls,
        table: Table,
        requirement: Requirement,
        objective: Objective,
        kind: str,
        bound: int,
        data: Mapping[str, Any],
    ) -> "Certificate":
        """Make a certificate for a problem given by its objects.

        ``bound`` is in units of the objective.
        """
        return cls(
            describe_table(table),
            requirement.as_json(),
            describe_objective(objective),
            kind,
            bound,
            data,
        )

    def write(self, path: Path) -> None:
        """Write it as JSON; the file appears whole or not at all.

        It is compressed if the name ends in ``.gz``.
        """
        # A line for each part: indenting a million prices takes half a minute.
        parts = {"starmin_certificate": FORMAT} | vars(self)
        lines = [
            f" {json.dumps(k)}: {json.dumps(v, default=dict)}" for k, v in parts.items()
        ]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        with write_atomically(path) as file:
            content = text.encode()
            file.write(gzip.compress(content) if _compressed(path) else content)

    @classmethod
    def read(cls, path: Path) -> "Certificate":
        """Read one back.

        Raises TableError: no such file, not JSON, an entry named twice, or not a
        certificate; UnknownFormatError: a certificate of a format that is not known
        here.
        """
        expect_file(path)
        try:
            text = path.read_bytes()
            text = gzip.decompress(text) if _compressed(path) else text
            content = json.loads(text, object_pairs_hook=_named_once)
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise TableError(f"{path}: not a gzip file, or cut off") from None
        except OSError as error:
            raise TableError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise TableError(
                f"{path}: not a JSON file whose entries are named once"
            ) from None
        formats = " or ".join(map(str, _READ))
        stated = None
        if isinstance(content, dict):
            stated = content.pop("starmin_certificate", None)
        if type(stated) is int and stated > max(_READ):
            raise UnknownFormatError(
                f"{path}: a starmin certificate of format {stated}; known here: "
                f"{formats}"
            )
        fits = (
            type(stated) is int and stated in _READ and {"note", *content} == {*_KINDS}
        )
        if not fits or any(type(content[k]) is not _KINDS[k] for k in content):
            raise TableError(f"{path}: not a starmin certificate (format {formats})")
        return cls(**content)


def _compressed(path: Path) -> bool:
    return path.suffix == ".gz"


def _named_once(entries: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of a JSON file that another reader cannot read otherwise."""
    content = dict(entries)
    if len(content) < len(entries):
        raise ValueError("An entry is named twice.")
    return content


def describe_table(table: Table) -> dict[str, Any]:
    """Describe a table for a certificate by nothing that depends on its cells.

    But for what stands for a missing value in a column that has a floor.
    """
    described: dict[str, Any] = {
        "name": table.name,
        "n": table.n,
        "d": table.d,
        "qi": list(table.qi),
        "sensitive": list(table.sensitive),
    }
    if table.floors:
        floors = {column: each.as_json() for column, each in table.floors.items()}
        described["floors"] = floors
    return described


def describe_objective(objective: Objective) -> dict[str, Any]:
    """Write an objective as plain data."""
    described: dict[str, Any] = {
        "kind": objective.kind,
        "weights": dict(objective.weights),
        "keep": list(objective.keep),
    }
    if objective.by_node:
        scales = objective.scales
        described["scales"] = {} if scales is None else scales.as_json()
    return described


def fingerprint(table: Table) -> str:
    """Hash the QI and sensitive cells by SHA-256, whatever their internal codes.

    Certificates of format 1 hold it. Those of today do not: where few cells are
    suppressed, all guesses of them can be tried out against it.

    Only distinct rows and their multiplicities enter, sorted as text, so that the
    order of rows and of dictionaries does not matter.
    """
    types = table.sensitive_types
    columns = [*table.qi, *table.sensitive]
    codes = np.concatenate([types.codes, types.sensitive], axis=1)
    digest = hashlib.sha256(json.dumps(columns).encode())
    ranks = np.empty_like(codes)
    for j, column in enumerate(columns):
        values = table.dictionary(column)
        used = np.unique(codes[:, j])
        texts = [json.dumps(values[code]) for code in used]
        order = sorted(range(len(used)), key=texts.__getitem__)
        rank = np.empty(len(values), np.int32)
        rank[used[order]] = np.arange(len(used))
        ranks[:, j] = rank[codes[:, j]]
        digest.update(json.dumps([texts[i] for i in order]).encode())
    by_rank = np.lexsort(ranks.T[::-1])
    digest.update(np.ascontiguousarray(ranks[by_rank], "<i4").tobytes())
    digest.update(np.ascontiguousarray(types.counts[by_rank], "<i8").tobytes())
    return digest.hexdigest()
