"""The report of one release; ``release_page`` is read first."""
