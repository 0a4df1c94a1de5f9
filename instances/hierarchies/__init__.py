"""Rules that make the hierarchy of a column from its values, instead of a list of them.

Read ``rule`` first; ``parse_rule`` has the text of each kind.
"""
