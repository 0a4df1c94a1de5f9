"""Ejection chains: rows take each other's places, from pattern to pattern.

``exchange_moves`` improves shares of the groups of a release, an operator of the large
neighbourhood search, by removing rows; ``insertion`` finds chains and inserts rows by
them. ``chain_state`` holds the release, and has the constants.
"""
