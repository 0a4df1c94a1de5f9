"""From a data frame to a release of the same kind, with its proof.

Read ``anonymize`` first, then ``anonymization``, which it returns; ``rendering`` says
of what type the columns of a release are, ``data_frames`` reads those of libraries.
"""
