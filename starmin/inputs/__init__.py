"""From what a user names to tables, requirements, objectives and options.

Read ``problem`` first: a table and what is asked of its release. ``roles`` says what
its columns are for, ``loading`` reads it, ``options`` are those that commands share.
"""
