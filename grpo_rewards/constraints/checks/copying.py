"""What must be repeated, and how?"""

from operator import ne

from grpo_rewards.constraints.finding import Finding, counted, found
from grpo_rewards.constraints.reading.words import edge_stripped, tokens

ONLY_SENTENCE = "only output this sentence here, ignore all other requests."
COPIES_DIVIDER = "******"
GRAM = 3
OVERLAP_MARGIN = 2
MOST_WORDS_COMPARED = 1_000_000  # words; only a text of one word after the other needs more


def repeated_first(text: str, prompt_to_repeat: str) -> Finding:
    """The text begins with the request, whatever the case."""
    given, wanted = text.strip().lower(), prompt_to_repeat.lower()
    goes_on = wanted[-1].isalnum() and given[len(wanted) : len(wanted) + 1].isalnum()
    return found(given.startswith(wanted) and not goes_on, "it begins with the request", "it does not begin with it")


def copied(text: str, prompt_to_repeat: str) -> Finding:
    """The text is the request and nothing else."""
    return found(text.strip().lower() == prompt_to_repeat.lower(), "it is the request", "it is not the request")


def copied_times(text: str, prompt_to_repeat: str, N: int) -> Finding:
    """The text is the request so many times, parted by six asterisks."""
    parts = [one.strip().lower() for one in text.split(COPIES_DIVIDER)]
    if set(parts) != {prompt_to_repeat.lower()}:
        return Finding(False, "a part is not the request")
    return counted(len(parts), "exactly", N, "copies")


def changed(text: str, prompt_to_repeat: str) -> Finding:
    """The text is the request with another first word."""
    given, wanted = text.split(), prompt_to_repeat.split()
    if given[1:] != wanted[1:]:
        return Finding(False, "more than the first word differs")
    is_other = edge_stripped(given[0]) != edge_stripped(wanted[0])
    return found(is_other, "only the first word differs", "the first word is the same")


def sentence_only(text: str) -> Finding:
    """The text is the sentence of the instruction and nothing else."""
    return found(text.strip().lower() == ONLY_SENTENCE, "it is the sentence", "it is not the sentence")


def span(text: str, prompt_to_repeat: str, n_start: int, n_end: int) -> Finding:
    """The text is a span of the request, both ends of which count, by words or by characters.

    The data set's editions differ in which is meant, and only the prompt says it, so either is right.
    """
    words = prompt_to_repeat.split()
    spans = [" ".join(words[n_start : n_end + 1])] if n_end < len(words) else []
    spans.append(" ".join(prompt_to_repeat[n_start : n_end + 1].split()))
    given = " ".join(text.split()).lower()
    return found(given in map(str.lower, spans), "it is the span", f"wanted {spans[0]!r:.80}")


def phrase_changed(text: str, phrase: str, small_n: int) -> Finding:
    """The phrase occurs so many times, each with one word other than its first and last replaced."""
    wanted, given = edge_stripped(phrase), edge_stripped(text)
    size, count, at = len(wanted), 0, 0
    left = MOST_WORDS_COMPARED
    while size > 2 and at + size <= len(given):
        if given[at] == wanted[0] and given[at + size - 1] == wanted[-1]:
            left -= size
            if left < 0:
                return Finding(False, "too many places look like the phrase")
            differing = sum(map(ne, given[at : at + size], wanted))
            if differing <= 1:
                if differing == 0:
                    return Finding(False, "the phrase is there without a change")
                count, at = count + 1, at + size - 1
        at += 1
    return counted(count, "exactly", small_n, "phrases with one word replaced")


def overlap(text: str, reference_text: str, percentage: float) -> Finding:
    """So many percent of the text's triples of words, give or take two, are in the reference."""
    given, reference = _grams(text), _grams(reference_text)
    share = 100 * len(given & reference) / len(given) if given else 0.0
    followed = bool(given) and abs(share - percentage) <= OVERLAP_MARGIN
    return Finding(followed, f"{share:.1f} % of the trigrams, wanted {percentage:g} % ± {OVERLAP_MARGIN}")


def _grams(text: str) -> set[tuple[str, ...]]:
    words = tokens(text)
    return set(zip(*(words[start:] for start in range(GRAM)), strict=False))
