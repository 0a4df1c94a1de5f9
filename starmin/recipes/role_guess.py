"""Roles of columns, guessed by names, kinds and cells, each with its reason."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from starmin.recipes import role_words
from starmin.recipes.column_facts import Facts
from starmin.recipes.role_words import (
    HOUSEHOLD,
    ID,
    OTHER,
    PERSON,
    QI,
    SENSITIVE,
    WEIGHT,
)

# Nouns that say little beside another word, as in "marital status".
_GENERIC = role_words.words_in(
    """status group grp time type level code category cat number name class rate year
    test date score value total mean index area data"""
)
_VAGUE = role_words.words_in("code key number num no case")
_FEW = 12  # values, up to which a column has classes
_REPEATS, _PANEL = 1.2, 12  # rows of an id: at least, and at most where unnamed
_IDS_AT_LEAST = 10
_TELLS = 5  # rows of a value, at least, by which a column tells another one
_ROWS = 20  # from which it says something that a column tells another
_ALIKE = 4  # columns with the same answers, as questions have that are asked together
_YES = frozenset({"yes", "no", "y", "n", "0", "1", "true", "false", "ja", "nein"})
_ENOUGH = 1.4  # of the scores below, from which a name says something
_MEAN_WEIGHT, _LARGE_WEIGHT = (0.8, 1.25), 300  # of sampling weights, over rows
_WEIGHING = role_words.words_in("weight weights wt wgt w gewicht peso poids gewichtung")


@dataclass(frozen=True)
class Guess:
    """A role, by the parameter that names it, and why."""

    role: str
    why: str
    second: str = ""  # the next best role
    field: str = ""


@cache
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in small letters, without accents and digits at ends.

    >>> words_of("BirthYear_2"), words_of("Größe"), words_of("WGTP")
    (('birth', 'year'), ('grosse',), ('wgtp',))
    """
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", plain)
    words = [part.lower() for part in parts if not part.isdigit()]
    return tuple(words)


def is_word(word: str, words: Collection[str]) -> bool:
    """Check whether a word is among others, some of which are beginnings."""
    return word in words or any(
        each.endswith("*") and word.startswith(each[:-1]) for each in words
    )


@cache
def topics_of(name: str) -> tuple[tuple[float, role_words.Topic], ...]:
    """Return what a name speaks of, with a score, the best first."""
    words = words_of(name)
    whole = re.sub(r"[^a-z0-9]", "", name.lower())
    found = []
    for topic in role_words.TOPICS:
        score = max((_score(words, whole, word) for word in topic.words), default=0)
        if score >= _ENOUGH:
            found.append((score, topic))
    return tuple(sorted(found, key=lambda each: -each[0]))


def _score(words: tuple[str, ...], whole: str, word: str) -> float:
    """Return how surely a name has a word, from 0 to 5."""
    stem, begins = word.rstrip("*"), word.endswith("*")
    stem = re.sub(r"[^a-z0-9]", "", stem)
    if stem == whole:
        return 5
    best = 0.0
    for at, part in enumerate(words):
        last = at == len(words) - 1
        more = 0.3 if last else 0.0
        if part == stem:
            score = 3 if stem not in _GENERIC or len(words) == 1 else 1.4
        elif begins and part.startswith(stem):
            score = 2.5 + 0.05 * len(stem)
        elif len(stem) > 3 and part.startswith(stem) and len(part) - len(stem) <= 3:
            score = 2.0 + 0.05 * len(stem)
        elif (
            len(stem) > 3
            and part.endswith(stem)
            and (len(stem) > 4 or len(part) - len(stem) <= 4)
        ):
            score = 1.9 + 0.05 * len(stem)
        elif stem in part and (len(stem) > 4 or len(part) - 1 == len(stem) == 3):
            score = 1.5
        else:
            continue
        best = max(best, score + more)
    return best


def guess_roles(
    facts: Mapping[str, Facts], free: Mapping[str, str]
) -> dict[str, Guess]:
    """Guess the role of each column; ``free`` says which are dates or free text."""
    named = {c: topics_of(c) for c in facts}
    sure = Counter(found[0][1].role for found in named.values() if found)
    fields = Counter(found[0][1].field for found in named.values() if found)
    told = sure[SENSITIVE] / max(1, sure[SENSITIVE] + sure[QI])
    alike = Counter(frozenset(f.texts) for f in facts.values() if _answers(f))
    guesses: dict[str, Guess] = {}
    body = any(set(words_of(c)) & role_words.BODY for c in facts)
    for column, fact in facts.items():
        if fact.distinct <= 1:
            told_nothing = "one value alone tells nothing of anybody"
            guesses[column] = Guess(OTHER, told_nothing, QI)
            continue
        guess = (
            _identifier(fact, free.get(column))
            or _weight(fact, body)
            or _repeated(fact)
            or _told(fact, fields, alike.get(frozenset(fact.texts), 0))
        )
        if guess is not None:
            guesses[column] = guess
    many = {column: fact.distinct for column, fact in facts.items()}
    for column, fact in facts.items():
        if column not in guesses:
            guesses[column] = _after(fact, guesses, many) or _unnamed(
                fact, told, fields, free.get(column)
            )
    return {column: guesses[column] for column in facts}


def _identifier(fact: Facts, kind: str | None) -> Guess | None:
    if kind == "free text":
        return Guess(ID, "free text")
    for said, form in role_words.WRITTEN:
        if fact.texts and not fact.numbers:
            some = fact.texts[:: max(1, len(fact.texts) // 50)]
            if sum(bool(re.fullmatch(form, t)) for t in some) >= 0.9 * len(some):
                return Guess(ID, f"{said}, by how they are written")
    topics = topics_of(fact.name)
    words = words_of(fact.name)
    if role_words.NAMES & {*words, *map("".join, pairwise(words))} and not fact.numbers:
        return Guess(ID, "names of persons", QI)
    own = not fact.numbers or fact.looks_like_id or fact.alone > fact.n / 2
    if topics and topics[0][1].role == ID and own and fact.distinct > 0.3 * fact.n:
        return Guess(ID, f"its name speaks of {topics[0][1].said}", QI)
    if not fact.looks_like_id or kind == "dates":
        return None
    called = set(words) & role_words.IDS
    person = any(topic.role in (PERSON, HOUSEHOLD) for _, topic in topics)
    rising = fact.rising and not any(t.role in (QI, SENSITIVE) for _, t in topics)
    if not fact.numbers or (fact.whole and (called or rising or person)):
        return Guess(ID, "a value of its own for nearly each row", QI)
    return None


def _weight(fact: Facts, body: bool) -> Guess | None:
    if not fact.numbers or min(fact.numbers) < 0 or fact.distinct <= 2:
        return None
    words = words_of(fact.name)
    sure = [score >= 2 for score, t in topics_of(fact.name) if t.role == WEIGHT]
    if any(sure) and not (body and words in (("wgt",), ("wt",))):
        return Guess(WEIGHT, "a sampling weight, by its name", OTHER)
    if words and words[-1] in _WEIGHING and not body:
        low, high = _MEAN_WEIGHT
        beside = len(words) > 1 and not set(words[:-1]) & role_words.BODY
        if beside or low <= fact.mean <= high or fact.mean >= _LARGE_WEIGHT:
            return Guess(WEIGHT, "a sampling weight, by its name and mean", QI)
    return None


def _repeated(fact: Facts) -> Guess | None:
    """Return that a column has ids of persons or households with several rows."""
    if fact.distinct < 2 or fact.n == fact.distinct:
        return None
    if fact.numbers and not fact.whole:
        return None
    words = words_of(fact.name)
    called = bool(words) and (
        words[-1] in role_words.IDS
        or words[0] in role_words.IDS
        or words[-1].endswith("id")
    )
    topics = topics_of(fact.name)
    role = topics[0][1].role if topics else ""
    ids = f"{fact.distinct:,} ids, each in several rows"
    stem = re.sub(r"[^a-z]", "", fact.name.lower())
    for end in ("id", "nr", "no", "num") if called else ():
        topics += topics_of(stem.removesuffix(end))  # as of "childid"
    who = {topic.role for score, topic in topics if score >= 2.9}
    if HOUSEHOLD in who and (called or fact.distinct >= _IDS_AT_LEAST):
        return Guess(HOUSEHOLD, f"{ids}: households are counted, not rows", QI)
    few = fact.n < _REPEATS * fact.distinct
    if PERSON in who and (called or (fact.distinct >= _IDS_AT_LEAST and not few)):
        return Guess(PERSON, f"{ids}: these are counted, not rows", QI)
    if few:
        return None
    alone = len(words) == 1 and (words[0] in ("id", "uid", "pid") or words[0] in who)
    many = role in ("", PERSON) and fact.distinct >= _IDS_AT_LEAST
    vague = bool(words) and words[0] in _VAGUE
    if called and (alone or many) and not vague:
        return Guess(PERSON, f"{ids}: these are counted, not rows", QI)
    return None


def _answers(fact: Facts) -> bool:
    """Check whether cells may be answers to one of several questions alike."""
    small = {text.lower() for text in fact.texts}
    return 2 < len(small) < _FEW or (len(small) == 2 and not small & _YES)


def _told(fact: Facts, fields: Counter[str], alike: int) -> Guess | None:
    """Return what cells or a name say."""
    small = {text.strip().lower() for text in fact.texts}
    found: list[tuple[float, str, str, str]] = []
    for topic in role_words.CELLS:
        known = small & topic.words
        if len(known) >= 2 and len(known) >= 0.5 * len(small):
            score = 4.0 if len(known) == len(small) else 2.4
            said = f"its cells are {topic.said}"
            found.append((score, topic.role, said, topic.field))
    if small and fact.distinct > 1 and not fact.numbers:
        some = [text for text in fact.texts if text][:200]
        if all(re.fullmatch(role_words.ICD, text) for text in some) and any(
            "." in t for t in some
        ):
            found.append((3.2, SENSITIVE, "its cells are codes of diseases", "health"))
    for score, topic in topics_of(fact.name):
        if topic.role in (QI, SENSITIVE, OTHER):
            role = topic.role
            if role == OTHER and fact.distinct > _FEW:
                continue
            found.append((score, role, f"its name speaks of {topic.said}", topic.field))
    if alike >= _ALIKE and _answers(fact):
        why = f"one of {alike} columns with the same answers"
        found.append((3.1, SENSITIVE, why, "opinion"))
    if not found:
        return None
    found.sort(key=lambda each: (-each[0], -fields[each[3]]))
    _, role, why, field = found[0]
    second = next((r for _, r, _, _ in found[1:] if r != role), "")
    return Guess(role, why, second or _else(role), field)


def _else(role: str) -> str:
    return SENSITIVE if role == QI else QI


def _after(
    fact: Facts, guesses: Mapping[str, Guess], many: Mapping[str, int]
) -> Guess | None:
    """Return the role of a column that tells this one's value."""
    for other in fact.follows if fact.n >= _ROWS else ():
        guess = guesses.get(other)
        if many[other] * _TELLS > fact.n and 2 * fact.distinct < many[other]:
            continue  # rows that nearly all differ by it tell everything
        if guess is not None and guess.role in (QI, SENSITIVE):
            return Guess(
                guess.role, f"{other} tells its value", _else(guess.role), guess.field
            )
    return None


def _unnamed(fact: Facts, told: float, fields: Counter[str], kind: str | None) -> Guess:
    """Return the role of a column of which neither name nor cells say anything."""
    if kind == "dates":
        return Guess(QI, "a date that others may know", SENSITIVE)
    about = max(
        ("health", "score", "money", "opinion"), key=lambda field: fields[field]
    )
    if fact.numbers and not fact.whole and fact.distinct > _FEW:
        return Guess(SENSITIVE, "a measurement, which others hardly know", QI)
    if fact.distinct - bool(fact.missing) == 2 and fields[about] > 1:
        why = f"yes or no, its name says nothing, and other columns speak of {about}"
        return Guess(SENSITIVE, why, QI)
    text = not fact.numbers and fact.distinct > _FEW
    least = 0.5 if fact.distinct <= _FEW else 0.4
    if told >= least and fields[about] > 1 and not text:
        why = f"its name says nothing; most columns here speak of {about}"
        return Guess(SENSITIVE, why, QI)
    return Guess(QI, "its name and cells say nothing: hidden, to be safe", SENSITIVE)
