"""Sparse matchings between originals and released rows, for non-homogeneous releases.

``problem`` poses it as arrays, ``candidates`` and ``edges`` choose which pairs are
looked at, ``auction`` matches them; read ``problem`` first.
"""
