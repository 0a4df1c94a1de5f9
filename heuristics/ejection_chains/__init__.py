"""Ejection chains: rows take each other's places, from pattern to pattern.

``chain_operator`` improves shares of the groups of a release, an operator of the large
neighbourhood search. ``exchange_moves`` are what it does, which begin in ``removal``;
``insertion`` inserts rows by chains, which ``breadth_first`` finds. ``chain_state`` and
``chain_changes`` hold the release. ``chain_params`` are the constants.
"""
