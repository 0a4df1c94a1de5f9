"""The tables that come with starmin: examples, generators, public data.

Read ``catalogue`` first.
"""
