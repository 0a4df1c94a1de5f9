"""The command line: the application, and what comes before and after a command.

Read ``app`` first.
"""
