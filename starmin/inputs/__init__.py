"""From what a user names to tables, requirements, objectives and options.

Read ``options`` first: the options that commands share.
"""
