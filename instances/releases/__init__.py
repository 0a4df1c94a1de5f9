"""Partitions, objectives, and releases as published in each recoding.

Read ``partition`` and ``release`` first. ``nonhomogeneous_release`` and ``mask`` have
releases in which each row is published in its own way.
"""
