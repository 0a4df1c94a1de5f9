"""The graph of which original each released row may stem from, and flows in it.

Read ``anonymity_graph`` first, for stars and for generalized cells.
"""
