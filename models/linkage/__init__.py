"""(l, eps)-diversity: classes and sample sizes that linkage cannot undo.

Read ``plans`` first, which also says how many samples are enough.
``contiguous_classes`` and ``broadcast`` choose classes, ``failure`` says how likely one
of them shows too few values.
"""
