"""Sparse matchings between originals and released rows, for non-homogeneous releases.

Read ``problem`` first: it states the problem as arrays. ``candidates`` and ``edges``
choose which pairs are looked at, ``auction`` matches them, ``layers`` holds the
matchings of a release, ``prices`` plans which columns each row stars.
"""
