"""The report of a sweep over problems and methods; ``gap_page`` is read first."""
