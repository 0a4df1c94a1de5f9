"""The page: settings files with a face, for people who never open a terminal.

It knows nothing of privacy: it writes a settings file, runs the commands of the command
line on it as processes of their own, and shows what they say. Read ``folder`` first,
then ``settings``, ``commands``, ``steps`` and ``server``.
"""
