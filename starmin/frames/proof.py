"""A certificate that checks itself against a data frame."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starmin.call_arguments import renamed
from starmin.frames.frame_problem import read_hierarchies
from starmin.instances import (
    Certificate,
    Coding,
    Scales,
    Table,
    TableError,
    Taxonomy,
    from_frame,
)
from starmin.instances.runs.certificate import UnknownFormatError
from starmin.instances.scales.floors import Floors
from starmin.instances.scales.missing import MISSING
from starmin.instances.scales.node_losses import LOSS_RULES, Loss, Rule
from starmin.instances.scales.numbers import Width
from starmin.instances.tables.table import as_sets

if TYPE_CHECKING:
    from starmin.verify.certificates.certificate_check import CertificateCheck


@dataclass(frozen=True, repr=False)
class Proof(Certificate):
    """A certificate with what its check needs to know of the columns.

    Examples
    --------
    >>> import polars, starmin
    >>> frame = polars.DataFrame({"age": [30, 30, 41, 42], "sex": list("fmff")})
    >>> proof = starmin.anonymize(frame, k=2).certificate
    >>> proof
    Proof(at least 4 stars, 4 rows, k = 2)
    >>> proof.check(frame).accepted
    True
    """

    coding: Coding = field(default_factory=Coding)
    loss: Loss | None = None
    shown: str = ""  # the bound as people read it

    def __repr__(self) -> str:
        asked = ", ".join(f"{k} = {v}" for k, v in self.requirement.items() if v)
        kind = str(self.objective["kind"])
        least = f"{self.shown} {'lost' if kind == 'gcp' else kind}"
        return f"Proof(at least {least}, {self.table['n']:,} rows, {asked})"

    def check(self, original: Any) -> "CertificateCheck":
        """Prove the bound again from the original, in exact arithmetic.

        Parameters
        ----------
        original
            The frame, or Table, that the certificate is about.

        Returns
        -------
        CertificateCheck
            ``accepted``, ``bound`` and, where it is refused or cannot be checked
            (then ``accepted`` is None), ``why``.
        """
        coding = self.coding
        trees = {c: tree for c, tree in coding.trees.items() if c in self.table["qi"]}
        return check_certificate(
            self, original, trees, coding.missing, self.loss, coding.sets
        )

    def write(self, path: Path | str) -> None:
        """Write it as JSON, as ``starmin verify --certificate`` reads it."""
        parts = {f.name: getattr(self, f.name) for f in fields(Certificate)}
        Certificate(**parts).write(Path(path))


@renamed
def check_certificate(
    certificate: Certificate | Path | str,
    original: Any,
    hierarchy: Any = None,
    missing: Collection[str | None] = MISSING,
    loss: Loss | None = None,
    sets: Mapping[str, str] | None = None,
) -> "CertificateCheck":
    """Prove the bound of a certificate again, in exact arithmetic, without a solver.

    Parameters
    ----------
    certificate
        One, or the file it was written to.
    original
        The table or data frame that it is about. Its columns have the roles that the
        certificate states.
    hierarchy
        Where it is about generalization with taxonomies: these, as for ``anonymize``.
    missing
        What stands for a missing value.
    loss
        Where nodes have losses of their own: these, by column and node.
    sets
        By column of text whose cells hold several values: what separates them. Cells
        with the same values, in whatever order, are published alike.

    Raises
    ------
    TableError
        The file or the original cannot be read, or has other columns.

    Examples
    --------
    >>> import starmin
    >>> table = starmin.load_instance("hospital")
    >>> proof = starmin.solve(table, k=2).certificate
    >>> starmin.check_certificate(proof, table).accepted
    True
    """
    from starmin.verify.certificates import certificate_check as checks

    if not isinstance(certificate, Certificate):
        try:
            certificate = Certificate.read(Path(certificate))
        except UnknownFormatError as unknown:
            return checks.CertificateCheck(None, None, str(unknown))
    try:
        qi, sensitive = (
            certificate.table.get(role, ()) for role in ("qi", "sensitive")
        )
        if isinstance(original, Table):
            table = original.with_roles(qi, sensitive)
        else:
            table = from_frame(original, qi, sensitive)
        table = as_sets(table, sets or {}, "sets")
        scales, trees = None, read_hierarchies(hierarchy, table, table.qi, missing)
        floors = Floors.stated(certificate.table.get("floors", {}))
        table = floors.on(table, trees, missing)
        if certificate.objective.get("kind") == "gcp":
            scales = _scales(
                certificate.objective.get("scales", {}), table, trees, missing, loss
            )
    except TableError:
        raise
    except (AttributeError, LookupError, TypeError, ValueError):
        why = "its table or objective has an entry of another kind than the format says"
        return checks.CertificateCheck(False, None, why)
    recoding = "suppression"
    if certificate.kind.startswith(checks.NONHOMOGENEOUS):
        recoding = checks.NONHOMOGENEOUS
    return checks.check_certificate(
        certificate, table, recoding=recoding, scales=scales
    )


def _scales(
    stated: dict[str, dict[str, Any]],
    table: Table,
    trees: dict[str, Taxonomy],
    missing: Collection[str | None],
    loss: Loss | None,
) -> Scales:
    """Return how columns are generalized, as a certificate states it."""
    told = [scale.get("loss") for scale in stated.values()]
    rules: list[Rule] = [rule.name for rule in LOSS_RULES.values() if rule.name in told]
    return Scales.of(
        table,
        [c for c, scale in stated.items() if scale.get("scale") == "numeric"],
        {column: tree for column, tree in trees.items() if column in stated},
        missing,
        loss or (rules[0] if len(rules) == 1 else "ncp"),
        {c: scale["step"] for c, scale in stated.items() if "step" in scale},
        {c: scale["max_level"] for c, scale in stated.items() if "max_level" in scale},
        {c: Width.parse(s["width"]) for c, s in stated.items() if "width" in s},
        {c: scale["time"] for c, scale in stated.items() if "time" in scale},
    )
