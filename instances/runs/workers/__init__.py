"""What works for a search or beside it: cores, threads, processes, other machines.

``cores`` says how many may be used and uses them here, ``places`` also on other
machines; ``background_call`` and ``interruptible`` are for solvers and loops that do
not look at the clock, ``safe_start`` for new processes.
"""
