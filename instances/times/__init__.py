"""Times as exact whole numbers: how they are written, and periods of the calendar.

Read ``signs`` first (notation, and what ends of ranges are rounded to), then
``calendar_format`` (dates, times, durations) and ``recognise``.
"""
