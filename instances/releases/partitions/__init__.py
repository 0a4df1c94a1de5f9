"""Partitions of the rows: plain, in blocks, padded, and with rows left out.

Read ``partition`` first.
"""
