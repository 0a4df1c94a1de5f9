"""Runs of methods, their declarations, results and certificates.

Read ``run`` first: the frame of every method. ``method`` is what a declaration says,
``result`` what a run returns, ``certificate`` the file that proves a bound, ``stop``
the requests that end searches, ``watch`` what the runs of a search found together, and
``progress`` who is told of it. ``checkpoint`` keeps what a search found on disk,
so that it goes on after it was killed. ``cores``, ``places`` and ``background_call``
have what works for a search: threads and processes.
"""
