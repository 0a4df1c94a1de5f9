"""Compares what commands say with what is kept; --renew keeps what they say now."""

import os
import sys

import pytest

if "--renew" in sys.argv:
    os.environ["RENEW"] = "yes"
sys.exit(
    pytest.main(["-n", "0", "--no-header", "tests/starmin/commands/test_golden.py"])
)
