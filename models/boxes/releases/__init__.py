"""Releases and the program: the groups of a release, and releases made of groups.

``starts`` reads the groups of a release, ``rounding`` and ``incumbent`` make releases
of the groups that the program has.
"""
