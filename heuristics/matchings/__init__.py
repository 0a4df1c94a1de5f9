"""Sparse matchings between originals and released rows, for non-homogeneous releases.

Read ``mask_prices`` first: it states the problem as arrays. ``near_edges`` and
``edges`` choose which pairs are looked at, ``near_edges`` matches them, ``layers``
holds the matchings of a release, ``mask_prices`` plans which columns each row stars.
"""
