"""A lower bound with the data that prove it, as one JSON file."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from instances.atomic import write_atomically
from instances.errors import TableError
from instances.objective import Objective
from instances.requirement import Requirement
from instances.table import Table

FORMAT = 1


@dataclass(frozen=True)
class Certificate:
    """A claim ``no release costs less than bound`` and its proof.

    Attributes
    ----------
    table
        Name, n, d, the columns with their roles, and the fingerprint of the cells.
    requirement, objective
        Of what problem.
    kind
        How ``data`` prove the bound: ``prices`` and ``nonhomogeneous_prices`` (a price
        for each row type) or ``residue`` (nothing but the table);
        ``verify.certificates`` knows each.
    bound
        The claim.
    data
        The proof.
    """

    table: Mapping[str, Any]
    requirement: Mapping[str, Any]
    objective: Mapping[str, Any]
    kind: str
    bound: int
    data: Mapping[str, Any]

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
        """A certificate for a problem given by its objects."""
        return cls(
            describe_table(table),
            requirement.as_json(),
            describe_objective(objective),
            kind,
            bound,
            data,
        )

    def write(self, path: Path) -> None:
        """Write it as JSON; the file appears whole or not at all."""
        # A line for each part: indenting a million prices takes half a minute.
        parts = {"starmin_certificate": FORMAT} | vars(self)
        lines = [
            f" {json.dumps(k)}: {json.dumps(v, default=dict)}" for k, v in parts.items()
        ]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        with write_atomically(path) as file:
            file.write(text.encode())

    @classmethod
    def read(cls, path: Path) -> "Certificate":
        """Read one back.

        Raises
        ------
        TableError
            No such file, not JSON, or not a certificate of this format.
        """
        try:
            content = json.loads(path.read_bytes())
        except OSError as error:
            raise TableError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise TableError(f"{path}: not a JSON file") from None
        fields = cls.__dataclass_fields__
        if (
            not isinstance(content, dict)
            or content.pop("starmin_certificate", None) != FORMAT
            or set(content) != set(fields)
            or not isinstance(content["bound"], int)
            or isinstance(content["bound"], bool)
            or not isinstance(content["kind"], str)
            or not all(
                isinstance(content[part], dict)
                for part in ("table", "requirement", "objective", "data")
            )
        ):
            raise TableError(f"{path}: not a starmin certificate (format {FORMAT})")
        return cls(**content)


def describe_table(table: Table) -> dict[str, Any]:
    """What identifies a table in a certificate."""
    return {
        "name": table.name,
        "n": table.n,
        "d": table.d,
        "qi": list(table.qi),
        "sensitive": list(table.sensitive),
        "fingerprint": fingerprint(table),
    }


def describe_objective(objective: Objective) -> dict[str, Any]:
    """An objective as plain data."""
    return {
        "kind": objective.kind,
        "weights": dict(objective.weights),
        "keep": list(objective.keep),
    }


def fingerprint(table: Table) -> str:
    """SHA-256 of the QI and sensitive cells, whatever their internal codes.

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
