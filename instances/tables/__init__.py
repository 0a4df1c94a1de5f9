"""Tables of text cells as integer codes, and their row types.

Read ``table`` first; ``grouping`` is the one sort under every method.
"""
