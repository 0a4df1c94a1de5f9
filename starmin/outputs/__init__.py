"""From results to files, JSON and lines to read.

Read ``recodings`` first: how each recoding is written and checked.
"""
