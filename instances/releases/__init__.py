"""Partitions, objectives, and releases as published in each recoding.

Read ``partition`` and ``release`` first.
"""
