"""Values that stand for no value, as people code them."""

import re
from collections.abc import Collection

from starmin.recipes.role_words import words_in

# What people write where there is no value; an empty cell and ? are known anyway.
TOKENS = words_in(
    """na n/a nan null none . - -- unknown unk unbekannt inconnu desconocido
    sconosciuto onbekend nk nsp ns/nr k.a. missing refused"""
)
# Those that are words of their own, unless all others are numbers.
_AMONG_NUMBERS = frozenset({"N", "none", "-", "--", "X", "x"})
# Numbers that stand for a gap where all others are at least 0: -9, -88, -999.
_GAP = re.compile(r"-([7-9])\1*(\.0+)?")
_SMALL_GAP = re.compile(r"-(1|[1-9]|1[05])(\.0+)?")  # beside such ones, or -1 alone
_NINES = re.compile(r"9+[6-9](\.0+)?")  # as 99, 998, 99999, where others are far below
_TOP = re.compile(r"([789])\1*|9+[78]")  # of classes, where no other is near
_NUMBER = re.compile(r"-?\d+([.,]\d+)?")
_CLASSES = 15


def tokens(texts: Collection[str]) -> frozenset[str]:
    """Return the words among values that stand for none.

    Examples
    --------
    >>> sorted(tokens(["12", "N", "NA"])), sorted(tokens(["Y", "N", "Unknown"]))
    (['N', 'NA'], ['Unknown'])
    """
    found = {t for t in texts if t.lower() in TOKENS or t in _AMONG_NUMBERS}
    if len(found) == len(texts):
        return frozenset()
    if found & _AMONG_NUMBERS:
        others = [text for text in texts if text not in found]
        if not all(re.fullmatch(r"[\d.,-]*\d[\d.,-]*", text) for text in others):
            found -= _AMONG_NUMBERS
    return frozenset(found)


def gaps_of(texts: Collection[str]) -> frozenset[str]:
    """Return all values of a column that stand for none."""
    found = tokens(texts)
    known = [text for text in texts if text not in found]
    if known and all(_NUMBER.fullmatch(text) for text in known):
        found |= numbers_of_gaps(known)
    return found


def numbers_of_gaps(texts: Collection[str]) -> frozenset[str]:
    """Return the numbers among numbers that stand for no value.

    Examples
    --------
    >>> sorted(numbers_of_gaps(["-1", "-9", "0", "3", "12"]))
    ['-1', '-9']
    >>> sorted(numbers_of_gaps(["-9", "-5", "-4.5", "3"])), sorted(
    ...     numbers_of_gaps(["1", "2", "17", "999"]))
    ([], ['999'])
    """
    negative = frozenset(text for text in texts if text.startswith("-"))
    sure = {text for text in negative if _GAP.fullmatch(text)}
    small = {text for text in negative if _SMALL_GAP.fullmatch(text)} - sure
    alone = {text.partition(".")[0] for text in small} == {"-1"}
    others_above = len(texts) - len(negative)
    enough = others_above >= max(3 if alone and not sure else 1, len(small))
    if not (sure or alone) or sure | small != negative or not enough:
        negative = frozenset()
    nines = {text for text in texts if _NINES.fullmatch(text)}
    others = [
        float(text.replace(",", ".")) for text in texts if text not in nines | negative
    ]
    if not others:
        return negative
    least, greatest = min(others), max(others)
    far = {text for text in nines if float(text) - greatest > greatest - least}
    return negative | far


def perhaps_gaps(texts: Collection[str]) -> frozenset[str]:
    """Return numbers of classes, as 9 beside 1 and 2, that may stand for no value.

    Examples
    --------
    >>> sorted(perhaps_gaps(["1", "2", "9"])), sorted(perhaps_gaps(["7", "8", "9"]))
    (['9'], [])
    """
    if not 2 < len(texts) <= _CLASSES:
        return frozenset()
    if not all(re.fullmatch(r"-?\d+", text) for text in texts):
        return frozenset()
    top = {text for text in texts if _TOP.fullmatch(text)}
    others = [int(text) for text in texts if text not in top]
    if len(others) < 2 or max(others) < 1:
        return frozenset(text for text in texts if text == "-1")
    far = {text for text in top if int(text) - max(others) > 1 + max(others) // 2}
    return frozenset(far) | frozenset(text for text in texts if text == "-1")
