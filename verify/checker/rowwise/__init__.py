"""Proofs for releases whose rows are not in groups: by prices, or by starred cells."""
