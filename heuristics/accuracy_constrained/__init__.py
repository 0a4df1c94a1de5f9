"""The accuracy-constrained problem: the most privacy under a bound on each loss.

``accuracy_constrained`` is the heuristic of Ghinita et al. 2009, section 5; read
``problem`` first. ``bounded_k`` is for k-anonymity, ``iterative_direct`` a binary
search with a direct method; ``adjust_privacy`` and ``group_state`` are compiled loops.
"""
