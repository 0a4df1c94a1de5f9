"""The choice of methods, and their calls.

Read ``choice`` first: what ``auto`` tries, in which order. ``dispatch`` calls a method.
``schedule`` has the turns of ``auto``, ``easier_problems`` what is asked before them.
"""
