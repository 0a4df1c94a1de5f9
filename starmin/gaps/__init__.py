"""The gap harness: methods x instances x requirements x seeds, each run apart."""
