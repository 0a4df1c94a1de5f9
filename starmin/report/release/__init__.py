"""The report of one release, just made or checked.

``figures`` gathers what both tell, and ``layout`` makes a page of it; ``release_page``
says what only a search, or only a check, knows.
"""
