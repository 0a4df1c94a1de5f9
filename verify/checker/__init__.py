"""The checker that needs nothing but Python: a file or two for each family.

``join`` makes of these files one, which ``starmin check --as-file FILE`` writes for
auditors. They share no code with the rest of starmin, not even ``instances``: what is
known of tables and certificates is written from docs/reference/certificate.md.

Read ``command`` first, then the family: ``tree``, ``boxes``, ``group_bounds``,
``nonhomogeneous``, ``rule_bound``. ``statement`` reads the table as the certificate
states it, ``columns`` what nodes and ranges lose, ``reading`` what anyone wrote.
"""

from starmin.verify.checker.command import check, main
from starmin.verify.checker.reading import BeyondError, InputError, RefusalError

__all__ = ["BeyondError", "InputError", "RefusalError", "check", "main"]
