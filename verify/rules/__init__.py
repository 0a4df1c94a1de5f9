"""Checks of masks by rules over combinations: shares no code with what finds them.

``check`` judges a release from its cells, ``brute_force`` tries every mask of a tiny
table.
"""
