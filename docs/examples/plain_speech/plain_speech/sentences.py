"""How long sentences are."""

from grpo_rewards import Verdict, reward

ENDS = ".!?。！？\n"


@reward(
    reasons=("short", "some_long", "no_sentence"),
    range=(0.0, 1.0),
    example={"words": 20},
)
def short_sentences(completion: str, *, words: int) -> Verdict:
    """The share of sentences with at most ``words`` words, 0 if there is no sentence.

    Args:
        completion: the text of the last assistant message.
        words: the greatest number of words of a sentence that counts as short.

    Returns:
        From 0.0 to 1.0, never ``None``. Reasons: ``short``, ``some_long``, ``no_sentence``.
    """
    lengths = [len(sentence.split()) for sentence in _sentences(completion)]
    lengths = [length for length in lengths if length]
    if not lengths:
        return Verdict(0.0, "no_sentence")
    short = sum(length <= words for length in lengths)
    return Verdict(short / len(lengths), "short" if short == len(lengths) else "some_long")


def _sentences(text: str) -> list[str]:
    """The text cut at every sign that ends a sentence, in one scan of it."""
    return text.translate(dict.fromkeys(map(ord, ENDS), "\n")).split("\n")
