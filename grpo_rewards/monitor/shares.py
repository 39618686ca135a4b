"""Rules on suspicions that are shares of the completions, each with the reward that they earn.

An honest run may show any of these numbers, so that each is compared with the run's own first steps: what this policy
already did before it learnt anything is not alarming.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from grpo_rewards.monitor.alert import Alert
from grpo_rewards.monitor.record import WINDOW_STEPS, Record

__all__ = ["CLEAR_ERRORS", "shares", "unscorable"]

CLEAR_ERRORS = 3.0  # standard errors between two windows, below which a difference may be chance


@dataclass(frozen=True)
class Suspicion:
    """A share of the completions that grows with one kind of reward hacking.

    Attributes:
        rule: its name.
        measure: the number of a table.
        least: the share from which on it is reported.
        rise: by how much it must have grown since the start.
        message: what is seen.
        remedy: what to do.
        remedy_for_penalties: what to do where the reward that it earns punishes others, if that is another thing;
            ``{}`` is the reward's name.
    """

    rule: str
    measure: str
    least: float
    rise: float
    message: str
    remedy: str
    remedy_for_penalties: str | None = None


SUSPICIONS = (
    Suspicion(
        "same text",
        "same text",
        least=0.4,
        rise=0.25,
        message="of the completions have the same text as one for another question with another answer",
        remedy="Find which reward that text earns, and make it depend on the question.",
    ),
    Suspicion(
        "prompt copied",
        "copied",
        least=0.3,
        rise=0.2,
        message="of what is written stands in the prompt",
        remedy="Leave the prompt's own words out of what a reward counts.",
    ),
    Suspicion(
        "repetition",
        "padded",
        least=0.3,
        rise=0.2,
        message="of the text repeats itself or adds nothing",
        remedy="Find which reward grows with length; add repetition_penalty, or count only informative tokens.",
    ),
    Suspicion(
        "empty",
        "empty",
        least=0.3,
        rise=0.2,
        message="of the completions are empty or nearly so",
        remedy="Reward only completions with content.",
        remedy_for_penalties="A wrong answer costs more than none: let '{}' take as much for no answer.",
    ),
    Suspicion(
        "bare tags",
        "bare tags",
        least=0.4,
        rise=0.25,
        message="of the completions have tags or a box with nothing inside",
        remedy="Use a format reward that requires content, such as think_format.",
    ),
)
SMALLEST_GAIN = 0.01  # that is worth reporting
UNSCORED_SHARE, UNSCORED_RISE = 0.3, 0.2  # of the completions that a reward with penalties gave no number


def shares(record: Record) -> Iterator[Alert]:
    """The suspicions that are shares of the completions."""
    for one in SUSPICIONS:
        level = record.level(f"table/{one.measure}")
        if level and level.now >= one.least and level.rise >= one.rise and level.errors >= CLEAR_ERRORS:
            message = f"{level.now:.0%} {one.message}, after {level.start:.0%} at the start."
            remedy = one.remedy
            rewarding = _rewarding(record, one.measure)
            if rewarding:
                gains = " and ".join(f"'{name}' gives these {gain:.2g} more" for name, gain in rewarding.items())
                message += f" {gains} than the others."
            punishing = [name for name in rewarding if punishes(record, name)]
            if one.remedy_for_penalties and punishing:
                remedy = one.remedy_for_penalties.format(punishing[0])
            yield Alert("cheating", one.rule, record.step, message, remedy)


def _rewarding(record: Record, measure: str) -> dict[str, float]:
    """The rewards that give such completions more than the others, and how much more, in the last tables with both."""
    values = {name: record.numbers.get(f"table/more for {measure}/{name}", []) for name in record.rewards}
    gains = {name: fmean(its[-WINDOW_STEPS:]) for name, its in values.items() if its}
    return {name: gain for name, gain in gains.items() if gain >= SMALLEST_GAIN}


def punishes(record: Record, name: str) -> bool:
    """Whether the reward has given less than nothing."""
    return min(record.numbers.get(f"table/least/{name}", [0.0])) < 0


def unscorable(record: Record) -> Iterator[Alert]:
    """More and more completions get no number from a reward that punishes wrong ones."""
    for name in record.rewards:
        level = record.level(f"table/unscored/{name}")
        if level and punishes(record, name) and level.now >= UNSCORED_SHARE and level.rise >= UNSCORED_RISE:
            message = (
                f"'{name}' gives {level.now:.0%} of the completions no number, after {level.start:.0%} at the start."
            )
            remedy = (
                "None blames the row: what the model left out or made unreadable must cost what a wrong answer does."
            )
            yield Alert("cheating", "unscorable", record.step, message, remedy, name)
