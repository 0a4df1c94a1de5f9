"""Ejection chains: rows take each other's places, from pattern to pattern.

``chain_operator`` improves shares of the groups of a release, an operator of the large
neighbourhood search. ``moves`` are what it does, which begin in ``removal``;
``insertion`` inserts rows by chains, which ``search`` finds. ``state`` and ``changes``
hold the release. ``params`` are the constants.
"""
