"""What column names and cells tell of a column, by the words of ``role_words.txt``."""

import re
from dataclasses import dataclass
from importlib.resources import files

QI, SENSITIVE, OTHER = "qi", "sensitive", "unchanged"
ID, WEIGHT, PERSON, HOUSEHOLD = "drop", "weight", "person", "household"


@dataclass(frozen=True)
class Topic:
    """What names speak of, and the role of such a column."""

    role: str
    said: str  # what the name speaks of
    words: frozenset[str]
    field: str = ""  # of tables that have several such columns


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def _topics(text: str) -> tuple[Topic, ...]:
    """Read topics: a line ``ROLE: WHAT`` or ``ROLE/FIELD: WHAT``, and words below."""
    found = []
    for part in re.split(r"\n(?=\S)", text.strip()):
        head, words = part.split("\n", 1)
        about, said = head.split(": ")
        role, _, field = about.partition("/")
        found.append(Topic(role, said, words_in(words), field))
    return tuple(found)


_TEXT = files("starmin.recipes").joinpath("role_words.txt").read_text("utf-8")
_PARTS = re.split(r"^\[(\w+)\].*\n", _TEXT, flags=re.MULTILINE)
_OF = dict(zip(_PARTS[1::2], _PARTS[2::2], strict=True))
TOPICS, CELLS = _topics(_OF["topics"]), _topics(_OF["cells"])
IDS, NAMES, BODY, CODED = (words_in(_OF[n]) for n in ("ids", "names", "body", "coded"))
# What is a direct identifier by how its cells are written.
WRITTEN = (
    ("addresses of mail", r"[^@\s]+@[^@\s]+\.\w+"),
    ("telephone numbers", r"(\+|00)\d[\d /().-]{7,}"),
    ("accounts", r"[A-Z]{2}\d{2} ?([A-Z0-9]{4} ?){3,7}[A-Z0-9]{1,4}"),
    ("addresses of computers", r"\d{1,3}(\.\d{1,3}){3}"),
    ("numbers of insurance", r"\d{3}-\d{2}-\d{4}"),
    ("addresses of pages", r"https?://\S+"),
)
ICD = r"[A-TV-Z]\d[0-9A-Z](\.?[0-9A-Z]{1,4})?"
# What names speak of whose numbers are sizes, whatever their digits are like.
SIZES = frozenset({"money", "a score or mark", "age or birth", "a sampling weight"})
