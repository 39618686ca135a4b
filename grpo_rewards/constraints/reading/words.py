"""Takes a text apart into words. Instructions mean different things by a word; each has its function here."""

import re
import string
import unicodedata

# A run of letters, digits and underscores. What instructions about a number of words are defined by: "don't" is two.
COUNTED_WORD = re.compile(r"\w+")
# A word as a reader sees it: hyphens, apostrophes, dots and signs between letters belong to it.
SEEN_WORD = re.compile(r"\w+(?:[-'’./&]\w+)*+")
PARTING = "—–―…‒"  # marks that part words even without a space
OTHER_PUNCTUATION = "“”„‘’‚«»‹›¿¡。、！？，；：（）「」『』【】《》·•؟،؛।"
PUNCTUATION_RUN = re.compile(f"[{re.escape(string.punctuation + OTHER_PUNCTUATION)}]+")
PARTING_RUN = re.compile(f"[{PARTING}]+")
EDGES = string.punctuation + OTHER_PUNCTUATION + PARTING + string.whitespace


def counted_words(text: str) -> list[str]:
    """Runs of letters, digits and underscores.

    >>> counted_words("Don't stop!")
    ['Don', 't', 'stop']
    """
    return COUNTED_WORD.findall(text)


def tokens(text: str) -> list[str]:
    """Words as a reader sees them, without punctuation around them.

    >>> tokens("Mother-in-law's COVID-19, (don't!)")
    ["Mother-in-law's", 'COVID-19', "don't"]
    """
    return SEEN_WORD.findall(text)


def without_punctuation(text: str) -> str:
    """The text without punctuation; dashes become spaces."""
    return PUNCTUATION_RUN.sub("", text if text.isascii() else PARTING_RUN.sub(" ", text))


def bare_words(text: str) -> list[str]:
    """Words in lower case, parted by white space, without the punctuation in and around them.

    >>> bare_words("Well-known -- don't!")
    ['wellknown', 'dont']
    """
    return without_punctuation(text).lower().split()


def edge_stripped(text: str) -> list[str]:
    """Words in lower case, parted by white space, without the punctuation around them.

    >>> edge_stripped('"Red" -- red.')
    ['red', 'red']
    """
    return [word for word in (one.strip(EDGES) for one in text.lower().split()) if word]


def is_prime(number: int) -> bool:
    """Whether a number is prime. A word of thousands of letters is not worth a search: above 10,000 none is."""
    return 1 < number <= 10_000 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def unaccented(text: str) -> str:
    """The text in ASCII: letters without their accents, and no others than Latin ones.

    >>> unaccented("Chișinău")
    'Chisinau'
    """
    if text.isascii():
        return text
    text = text.replace("’", "'")
    plain = {one: unicodedata.normalize("NFKD", one).encode("ascii", "ignore").decode() for one in {*text}}
    return "".join(map(plain.__getitem__, text))
