"""Groups of consecutive rows along an order or a line.

Methods that suppress: ``lexicographic_suppression`` (read it first) and
``hilbert_suppression``. Methods that generalize: ``hilbert``, ``hilbert_fast``,
``idistance``, ``idistance_fast`` and ``gray_order``. ``along_order`` and
``along_mapping`` cut an order into groups for each kind of requirement.
"""
