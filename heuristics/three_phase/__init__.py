"""The three-phase approximation of l-diversity (Xiao, Yi and Tao 2010).

Methods: ``three_phase`` (read it first) and ``three_phase_hybrid``. ``buckets`` are the
arrays of the algorithm, ``phases`` its compiled loops.
"""
