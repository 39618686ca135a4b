"""Summarizes the faults behind a reward in one line, short enough for a cell of the completions table."""

from collections.abc import Sequence

MOST_OF_WHY = 200  # characters, all of which the completions table shows
MOST_OF_WHAT = 60
ROOMS = (80, 40, 20, 0)  # for each cause, the first that has room for all


def summarize_faults(faults: Sequence[tuple[str, str]]) -> str | None:
    """What is wrong and why, in one line of at most 200 characters; ``None`` if nothing is.

    Where there is no room for all, causes are shortened in their middle, then left out, and at last faults are counted.

    Args:
        faults: of each what is wrong, such as an instruction's id or an argument's name, and the cause, or ``""``.

    >>> summarize_faults([("count:numbers", "2 numbers, wanted exactly 3"), ("add(b)", "missing")])
    'count:numbers: 2 numbers, wanted exactly 3; add(b): missing'
    >>> summarize_faults([("an_instruction", "")] * 40)[-27:]
    'an_instruction; and 29 more'
    """
    if not faults:
        return None
    summary = ""
    for room in ROOMS:
        summary = "; ".join(_one(what, cause, room) for what, cause in faults)
        if len(summary) <= MOST_OF_WHY:
            return summary
    kept = MOST_OF_WHY - len(f"; and {len(faults)} more")
    named, _, _ = summary[: kept + 1].rpartition("; ")
    count = named.count("; ") + 1
    return f"{named}; and {len(faults) - count} more"


def _one(what: str, cause: str, room: int) -> str:
    what = shortened(what.replace("; ", ";"), MOST_OF_WHAT)
    return f"{what}: {shortened(cause, room)}" if cause and room else what


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, with ``…`` for its middle: what a message quotes may be long.

    >>> shortened('[1, 2, 3, 4, 5, 6, 7, 8] is not of type "object"', 31)
    '[1, 2, 3, 4, 5,…f type "object"'
    """
    half = most // 2
    return text if len(text) <= most else f"{text[: most - half - 1]}…{text[len(text) - half :]}"
