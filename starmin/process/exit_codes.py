"""What the number says that a command ends with; beside these, 0: done."""

NO = 1  # the answer is no
BAD_INPUT = 2
UNKNOWN = 3  # a proof can be neither accepted nor refused
BUG = 70  # of ours: neither an answer nor bad input
INTERRUPTED = 130
