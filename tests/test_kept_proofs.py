"""Tests that both checkers judge kept certificates, true and edited, as ever."""

from tests import kept_proofs


def test_kept_certificates_are_judged_as_ever():
    found = kept_proofs.kept()
    for proof, one, other in found:
        told = kept_proofs.alone(proof), kept_proofs.by_verify(proof)
        assert told == (one, other), proof
    assert len({proof.kind for proof, _, _ in found}) >= 11
