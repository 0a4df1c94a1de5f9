"""What a check found, as lines for people."""

import math
from collections.abc import Sequence

from starmin.instances.requirements.requirements import measures
from starmin.instances.tables.names import counted
from starmin.verify.certificates.certificate_check import CertificateCheck
from starmin.verify.nonhomogeneous.check_nonhomogeneous import NonHomogeneousCheck
from starmin.verify.releases.mask_check import MaskCheck, RuleCheck
from starmin.verify.releases.release_check import ReleaseCheck
from starmin.verify.utility import Fit

# What is said of the truth of rows in another order.
_ORDER = "the order differs, so rows cannot be compared; "
REORDERED = (
    _ORDER + "each released row can stand for an original row of its own, of {n:,}"
)
DEALT = (
    _ORDER + "as multisets, the quasi-identifiers and the sensitive values are those "
    "of the original"
)


def check_lines(
    check: ReleaseCheck | NonHomogeneousCheck | MaskCheck,
    proof: CertificateCheck | None,
    reordered: str,
    columns: str,
) -> list[tuple[str, str]]:
    """Say what checks of a release and of a certificate found.

    ``reordered`` is what to say where the order of the rows differs; ``columns`` are
    the quasi-identifiers.
    """
    claims = _claim_lines(check, proof, reordered)
    if isinstance(check, NonHomogeneousCheck):
        return _matched_lines(check, columns) + claims
    if isinstance(check, MaskCheck):
        return _mask_lines(check, columns) + claims
    failing = counted(check.violations_total, "class", "classes")
    lines = _held_lines(check.holds, f"no: {failing}", columns)
    lines.append(("k", f"{check.k} in {counted(check.groups, 'class', 'classes')}"))
    lines += _measured_lines(check)
    lost = f"{check.gcp:.2%} of the information (granularity {check.granularity:.4f})"
    lines += [("hidden", counted(check.stars, "cell")), ("lost", lost)]
    lines += [("fails", _place(v.rows, v.why)) for v in check.violations]
    return lines + claims


def _measured_lines(check: ReleaseCheck) -> list[tuple[str, str]]:
    """Return what was measured beside the size of classes, by line."""
    lines: dict[str, list[str]] = {}
    for measure in measures():
        value = check.measures[measure.key]
        if value is not None and measure.key != "k":
            lines.setdefault(measure.line, []).append(measure.words.format(value))
    return [(line, ", ".join(words)) for line, words in lines.items()]


def _held_lines(holds: bool | None, no: str, columns: str) -> list[tuple[str, str]]:
    """Return whether what was asked holds, by which columns; nothing if nothing was."""
    return [] if holds is None else [("holds", f"yes, by {columns}" if holds else no)]


# What other tools would count, rules taken together.
_OTHERS = {
    "mu_argus": "mu-Argus",
    "sdcmicro_alpha_1": "sdcMicro (alpha 1)",
    "sdcmicro_alpha_0": "sdcMicro (alpha 0)",
    "k_anonymity": "k-anonymity of each set",
    "persons": "persons with fewer than k compatible rows",
}


def _mask_lines(check: MaskCheck, columns: str) -> list[tuple[str, str]]:
    """Return what was found of rules over combinations, the rarest things in full."""
    failing = counted(check.violations_total, "rare combination")
    lines = [
        *_held_lines(check.holds, f"no: {failing}", columns),
        ("rules", counted(len(check.rules), "set of columns", "sets of columns")),
        *[("broken", _rule(rule)) for rule in check.rules if rule.rare],
        ("hidden", counted(check.stars, "cell")),
    ]
    counts = [(word, check.others(key)) for key, word in _OTHERS.items()]
    if found := [f"{word} {count:,}" for word, count in counts if count is not None]:
        told = "rows that would count as violating a rule, summed"
        lines.append(("others", f"{told}: {', '.join(found)}"))
    fails = check.as_json()["violations"]
    return lines + [("fails", _place(each["rows"], each["why"])) for each in fails]


def _rule(rule: RuleCheck) -> str:
    """Say of a broken rule what is too rare."""
    return (
        f"{' + '.join(rule.columns)}, k = {rule.k}: {rule.rare:,} of "
        f"{counted(rule.items, 'combination')} in {counted(rule.rare_rows, 'row')}, "
        f"the rarest {rule.least}"
    )


def _matched_lines(check: NonHomogeneousCheck, columns: str) -> list[tuple[str, str]]:
    found = check.weaker
    weaker = f"(1,k): {found.one_k}; (k,1): {found.k_one}; (k,k): {found.k_k}; "
    weaker += f"global (1,k): {found.global_one_k}"
    lines = [
        *_held_lines(check.holds, "no", columns),
        ("k", counted(check.k, "matching", "perfect matchings without a common pair")),
        ("weaker", weaker),
        ("hidden", counted(check.stars, "cell")),
        ("lost", f"{check.gcp:.2%} of the information"),
    ]
    return lines if check.why is None else [*lines, ("fails", check.why)]


def _claim_lines(
    check: ReleaseCheck | NonHomogeneousCheck | MaskCheck,
    proof: CertificateCheck | None,
    reordered: str,
) -> list[tuple[str, str]]:
    lines, missing = [], ""
    if isinstance(check, ReleaseCheck) and (many := check.missing_rows):
        are = "is" if many == 1 else "are"
        missing = f"; {counted(many, 'row')} of it {are} missing"
    if check.reordered:
        lines.append(("cells", reordered + missing))
    elif check.inconsistencies is not None:
        agrees = f"as in the original{missing}"
        lines.append(("cells", "differ" if check.inconsistencies else agrees))
        lines += [("differs", _place(i.rows, i.why)) for i in check.inconsistencies]
    if proof is not None:
        verdict = f"cannot be checked here: {proof.why}"
        if proof.accepted is not None:
            verdict = f"refused: {proof.why}"
        if proof.accepted:
            verdict = f"accepted: at least {_proven(proof)}"
        lines.append(("proof", verdict))
    return lines


def _proven(proof: CertificateCheck) -> str:
    """Return what no release costs less than, to be read by people."""
    if proof.share is None:
        return f"{proof.bound:,} {proof.objective} by suppression"
    least = math.floor(proof.share * 1e4 + 1e-9) / 1e4  # down, so that it stays true
    return f"a loss of {least:.2%} of the cells, objective {proof.objective}"


def fit_lines(fit: Fit | None) -> list[tuple[str, str]]:
    """Say how far a release is from its original, if that was measured."""
    if fit is None:
        return []
    sampled = "" if fit.asked == fit.cells else f", by {fit.asked:,} of them"
    told = f"{fit.kl:.4f} nats from the original's {fit.cells:,} cells{sampled}"
    return [("kl", told)]


def _place(rows: Sequence[int], why: str) -> str:
    if not rows:
        return why
    some = "row" if len(rows) == 1 else "rows"
    return f"{some} {', '.join(map(str, rows))}: {why}"
