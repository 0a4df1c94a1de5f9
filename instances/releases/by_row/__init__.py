"""Releases in which each row is published in its own way.

``nonhomogeneous_release`` has stars and matchings that justify them, ``mask`` stars or
nodes as rules over combinations ask for them, and what rows show of these.
"""
