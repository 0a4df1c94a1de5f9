"""The choice of methods, and their calls.

Read ``choice`` first: what ``auto`` tries, in which order. ``dispatch`` calls a method.
"""
