"""From what a user names to tables, requirements, objectives and options.

Read ``spec`` first: what is asked of a table, before it is read. ``roles`` says what
its columns are for, ``loading`` reads it, ``options`` are those of all commands.
"""
