"""The former name of ``starmin.verify.checker``, which is imported instead."""

from warnings import warn

from starmin.verify.checker import *  # noqa: F403

warn(
    "starmin.verify.certificate_checker is now starmin.verify.checker; "
    "`starmin check --as-file FILE` writes the one file",
    DeprecationWarning,
    stacklevel=2,
)
