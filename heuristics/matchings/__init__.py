"""Sparse matchings between originals and released rows, for non-homogeneous releases.

Read ``mask_prices`` first: it states the problem as arrays, and plans which columns
each row stars. ``near_edges`` and ``layers`` choose which pairs are looked at;
``near_edges`` matches them, ``layers`` holds the matchings of a release.
"""
