"""Words that all families share: what an object of a file is, and why it is refused."""

from typing import Any

STAR = None  # the node above all values of a column without a hierarchy

Content = dict[str, Any]  # an object of the file
Node = str | None
Key = tuple[Node, ...]  # a pattern, or the nodes of its first columns
Chain = list[tuple[Node, int]]  # the nodes above a value, root first, and their losses
Trees = dict[str, list[list[str]]]  # by column, for each value the nodes above it
Values = tuple[str, ...]


class InputError(ValueError):
    """What is missing among the files, or broken: it says nothing of the claim."""


class RefusalError(Exception):
    """Why the certificate proves nothing."""


class BeyondError(RefusalError):
    """What of the certificate is not known here."""
