"""Releases in which each row is published in its own way.

``nonhomogeneous_release`` has stars and matchings that justify them, ``mask`` stars or
nodes as rules over combinations ask for them, ``shown_items`` what rows show of these;
the others are the tables that are published.
"""
