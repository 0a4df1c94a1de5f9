"""What a release must satisfy.

Read ``requirement`` first: k-anonymity, l-diversity and conjunctions. The others are
one file each.
"""
