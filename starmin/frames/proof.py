"""A certificate that checks itself against a data frame."""

from collections.abc import Collection
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from instances import Certificate, Scales, Table, Taxonomy, from_frame
from instances.scales.missing import MISSING
from starmin.frames.hierarchies import read_hierarchies

if TYPE_CHECKING:
    from verify.certificates.check import CertificateCheck


@dataclass(frozen=True, repr=False)
class Proof(Certificate):
    """A certificate with the taxonomies that its check needs.

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

    taxonomies: tuple[tuple[str, Taxonomy], ...] = ()

    @classmethod
    def of_certificate(
        cls, certificate: Certificate, taxonomies: dict[str, Taxonomy]
    ) -> "Proof":
        """Return a certificate as one that checks itself."""
        parts = {f.name: getattr(certificate, f.name) for f in fields(Certificate)}
        return cls(**parts, taxonomies=tuple(taxonomies.items()))

    def __repr__(self) -> str:
        asked = ", ".join(f"{k} = {v}" for k, v in self.requirement.items() if v)
        unit = "units of loss" if self.objective["kind"] == "gcp" else None
        unit = unit or str(self.objective["kind"])
        return (
            f"Proof(at least {self.bound:,} {unit}, {self.table['n']:,} rows, {asked})"
        )

    def check(self, original: Any) -> "CertificateCheck":
        """Prove the bound again from the original, in exact arithmetic.

        Parameters
        ----------
        original
            The frame, or Table, that the certificate is about.

        Returns
        -------
        CertificateCheck
            ``accepted``, ``bound`` and, where it is refused, ``why``.
        """
        return check_certificate(self, original, dict(self.taxonomies))

    def write(self, path: Path | str) -> None:
        """Write it as JSON, as ``starmin verify --certificate`` reads it."""
        parts = {f.name: getattr(self, f.name) for f in fields(Certificate)}
        Certificate(**parts).write(Path(path))


def check_certificate(
    certificate: Certificate | Path | str,
    original: Any,
    hierarchies: Any = None,
    missing: Collection[str | None] = MISSING,
) -> "CertificateCheck":
    """Prove the bound of a certificate again, in exact arithmetic, without a solver.

    Parameters
    ----------
    certificate
        One, or the file it was written to.
    original
        The table or data frame that it is about. Its columns have the roles that the
        certificate states.
    hierarchies
        Where it is about generalization with taxonomies: these, as for ``anonymize``.
    missing
        What stands for a missing value in a column of numbers.

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
    from verify.certificates import check as checks

    if not isinstance(certificate, Certificate):
        certificate = Certificate.read(Path(certificate))
    qi, sensitive = (certificate.table.get(role, ()) for role in ("qi", "sensitive"))
    if isinstance(original, Table):
        table = original.with_roles(qi, sensitive)
    else:
        table = from_frame(original, qi, sensitive)
    scales = None
    if certificate.objective.get("kind") == "gcp":
        stated = certificate.objective.get("scales", {})
        numeric = [c for c in stated if stated[c].get("scale") == "numeric"]
        trees = read_hierarchies(hierarchies, table.qi)
        trees = {column: trees[column] for column in trees if column in stated}
        scales = Scales.of(table, numeric, trees, missing, _loss(stated))
    recoding = "suppression"
    if certificate.kind.startswith(checks.NONHOMOGENEOUS):
        recoding = checks.NONHOMOGENEOUS
    return checks.check_certificate(
        certificate, table, recoding=recoding, scales=scales
    )


def _loss(stated: dict[str, Any]) -> Any:
    """Return the loss of the scales that a certificate states."""
    losses = {scale.get("loss") for scale in stated.values()} - {None}
    return losses.pop() if len(losses) == 1 else "ncp"
