"""Partitions, objectives, and releases as published in each recoding.

Read ``partitions.partition`` and ``release`` first. ``by_row`` has releases in which
each row is published in its own way.
"""
