"""Times as exact whole numbers: how they are written, and periods of the calendar.

Read ``notation`` first, then ``calendar_format`` (dates, times) and ``durations``,
``periods`` (what ends of ranges are rounded to) and ``recognise``.
"""
