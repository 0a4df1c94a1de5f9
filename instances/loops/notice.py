"""Whom to tell that a loop is being compiled, for which someone may be waiting."""

from collections.abc import Callable

on_compile: Callable[[], None] | None = None
