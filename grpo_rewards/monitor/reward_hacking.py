"""Rules on suspicions: what a policy looks like that earns its rewards in another way than was meant.

An honest run may show any of these numbers, so that each is compared with the run's own first steps: what this policy
already did before it learnt anything is not alarming.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import inf
from statistics import fmean

from grpo_rewards.monitor.alert import Alert
from grpo_rewards.monitor.contents import Contents
from grpo_rewards.monitor.health import LENGTH_FACTOR, TRUNCATED_SHARE, Rule, rewarded_when_truncated
from grpo_rewards.monitor.record import START_STEPS, WINDOW_STEPS, Level, Record, between
from grpo_rewards.monitor.shares import CLEAR_ERRORS, shares, unscorable

__all__ = ["HACKING_IN_LOG", "HACKING_IN_TABLES"]

GOLD_FALL = 0.1  # of a gold-based reward's best window that it lost while what is rewarded rose
PROXY_RISE = 0.05  # of its size by which what is rewarded rose in the meantime
LONGER_FACTOR = 1.4  # so many times the length at the start, without more right answers
TOTAL_RISE = 0.2  # of its size by which the total rose by rewards without golds alone
TRUNCATED_RISE = 0.2  # of the completions that have no end any more
TOP_PREDICTIONS = 3  # answers that a policy may have collapsed onto
ANSWERING_SHARE = 0.3  # of the completions that must give an answer, for a few show nothing of the policy
COLLAPSED_SHARE = 0.6  # of all predictions that are one of these
COLLAPSED_EXCESS = 0.3  # by which that is more than their share of the start, and more than the golds' top share
CANDIDATES = 1.5  # answers offered in one completion
CANDIDATES_FACTOR = 1.4  # times those of the start
STUFFING_WORDS = 5  # that gained most
STUFFED = 2.0  # of these words in a completion, more than one of its length had at the start
STUFFED_FACTOR = 2.0  # times the share of the words that they were at the start


def proxy_against_gold(record: Record) -> Iterator[Alert]:
    """What is rewarded has risen since a reward that knows the right answer was at its best, which has fallen."""
    for gold in record.gold:
        values = record.numbers.get(f"rewards/{gold}/mean", [])
        best = _best_span(values)
        if best is None:
            continue
        fall = between(values[best], values[-WINDOW_STEPS:])
        if fall.rise > -GOLD_FALL * max(abs(fall.start), GOLD_FALL) or fall.errors > -CLEAR_ERRORS:
            continue
        for title, gain in _gains(record, best, len(values)):
            message = (
                f"{title} rose from {gain.start:.3g} to {gain.now:.3g} while '{gold}' fell from {fall.start:.3g} to "
                f"{fall.now:.3g}."
            )
            remedy = (
                "Read completions with a high reward and a wrong answer; give the other reward only where the "
                "answer is right (gated), or lower its weight."
            )
            yield Alert("cheating", "proxy against gold", record.step, message, remedy, gold)


def _gains(record: Record, since: slice, steps: int) -> Iterator[tuple[str, Level]]:
    """What rose since then: the total, or a reward that does not know the right answer."""
    others = [name for name in record.rewards if name not in record.gold]
    proxies = {"reward": "the weighted total", **{f"rewards/{name}/mean": f"'{name}'" for name in others}}
    for name, title in proxies.items():
        earned = record.numbers.get(name, [])
        if len(earned) == steps:  # else some steps have only one of the two
            gain = between(earned[since], earned[-WINDOW_STEPS:])
            if gain.errors >= CLEAR_ERRORS and gain.rise >= PROXY_RISE * max(abs(gain.start), PROXY_RISE):
                yield title, gain


def _best_span(values: Sequence[float]) -> slice | None:
    """The best of the windows before the last one, of which the start is one."""
    if len(values) < START_STEPS + WINDOW_STEPS:
        return None
    firsts = range(0, len(values) - 2 * WINDOW_STEPS + 1, START_STEPS)
    spans = [(0, START_STEPS), *((first, first + WINDOW_STEPS) for first in firsts)]
    return slice(*max(spans, key=lambda span: fmean(values[span[0] : span[1]])))


def length_not_answers(record: Record) -> Iterator[Alert]:
    """Length is rewarded, or brevity, and right answers do not come with it."""
    length = record.level("completions/mean_length")
    total = record.level("reward")
    if not (length and total) or not record.gold or length.start <= 0 or record.is_learning():
        return
    is_longer = length.now >= LONGER_FACTOR * length.start
    is_changed = is_longer or length.now * LENGTH_FACTOR <= length.start
    if is_changed and abs(length.errors) >= CLEAR_ERRORS and total.errors >= CLEAR_ERRORS:
        yield Alert(
            "cheating",
            "longer, not better" if is_longer else "shorter, not better",
            record.step,
            f"completions went from {length.start:.0f} to {length.now:.0f} tokens and the total reward from "
            f"{total.start:.3g} to {total.now:.3g}, and no reward that knows the right answer rose.",
            f"Find which reward {'grows with length' if is_longer else 'falls with length'}, and bound it or gate it "
            "by a right answer.",
        )


def only_proxies(record: Record) -> Iterator[Alert]:
    """For two windows the total has been higher than at the start, by rewards without golds alone."""
    windows = (0, WINDOW_STEPS)
    totals = [total for ago in windows if (total := record.level("reward", ago))]
    rose = [one.errors >= CLEAR_ERRORS and one.rise >= TOTAL_RISE * max(abs(one.start), TOTAL_RISE) for one in totals]
    if rose != [True, True] or not record.gold or any(record.is_learning(ago) for ago in windows):
        return
    levels = {name: record.level(f"rewards/{name}/mean") for name in record.rewards if name not in record.gold}
    risen = [
        f"'{name}' ({its.start:.3g} to {its.now:.3g})"
        for name, its in levels.items()
        if its and its.errors >= CLEAR_ERRORS
    ]
    if risen:
        message = (
            f"the total reward rose from {totals[0].start:.3g} to {totals[0].now:.3g} by {' and '.join(risen)}, and no "
            f"reward that knows the right answer did, in {2 * WINDOW_STEPS} steps."
        )
        remedy = (
            "The policy is rewarded for what needs no right answer: gate that by one (gated), lower its weight, or use "
            "problems that the model sometimes solves."
        )
        yield Alert("cheating", "only proxies", record.step, message, remedy)


def never_ending(record: Record) -> Iterator[Alert]:
    """More and more completions are cut off, and a reward that does not know the right answer rewards them for it."""
    cut = record.level("completions/clipped_ratio")
    total = record.level("reward")
    if not (cut and total) or total.errors < CLEAR_ERRORS or record.is_learning():
        return
    if cut.now < TRUNCATED_SHARE or cut.rise < TRUNCATED_RISE or cut.errors < CLEAR_ERRORS:
        return
    for name, earned in rewarded_when_truncated(record):
        gain = record.level(f"rewards/{name}/mean")
        if name not in record.gold and gain and gain.errors >= CLEAR_ERRORS and earned > gain.start:
            message = (
                f"{cut.now:.0%} of the completions are cut off before their end, after {cut.start:.0%} at the start; "
                f"'{name}' gives these {earned:.2g} at least, where at the start all had {gain.start:.2g}."
            )
            remedy = f"Let '{name}' reward only completions that end, or bound what it rewards; add soft_overlong."
            yield Alert("cheating", "never ending", record.step, message, remedy, name)


def collapsed(record: Record) -> Iterator[Alert]:
    """Few answers are given to questions with many."""
    if not record.is_long_enough:
        return
    before, now, golds = (
        _counts(record.first, "predictions"),
        _counts(record.last, "predictions"),
        _counts([*record.first, *record.last], "golds"),
    )
    if not golds or now.total() < ANSWERING_SHARE * _rows(record.last):
        return
    for size in range(1, TOP_PREDICTIONS + 1):
        top = [answer for answer, _ in now.most_common(size)]
        share, at_first = (sum(counts[one] for one in top) / max(counts.total(), 1) for counts in (now, before))
        right = sum(count for _, count in golds.most_common(size)) / golds.total()
        if share >= COLLAPSED_SHARE and share - max(at_first, right) >= COLLAPSED_EXCESS:
            yield Alert(
                "cheating",
                "one answer",
                record.step,
                f"{share:.0%} of the predictions are {' or '.join(map(repr, top))}, after {at_first:.0%} at the start; "
                f"the most frequent {'gold is' if size == 1 else f'{size} golds are'} {right:.0%} of them.",
                "Find which reward is earned by an answer that is not the right one.",
            )
            return


def many_candidates(record: Record) -> Iterator[Alert]:
    """One completion offers several answers, so that one of them is right."""
    level = record.level("table/candidates")
    if level and level.now >= max(CANDIDATES, CANDIDATES_FACTOR * level.start) and level.errors >= CLEAR_ERRORS:
        yield Alert(
            "cheating",
            "many candidates",
            record.step,
            f"a completion offers {level.now:.1f} answers, after {level.start:.1f} at the start.",
            "Judge one answer, the last, as boxed_answer does, and not whether the right one occurs.",
        )


def stuffed(record: Record) -> Iterator[Alert]:
    """A few words are more and more of what is written, and no more answers are right for it."""
    if not record.is_long_enough or record.is_learning():
        return
    before, now = (_shares_of_words(tables) for tables in (record.first, record.last))
    gained = sorted(now, key=lambda word: now[word] - before.get(word, 0.0), reverse=True)[:STUFFING_WORDS]
    share, at_first = (sum(shares.get(word, 0.0) for word in gained) for shares in (now, before))
    length = record.recent("table/words") or 0.0
    most = max((now[word] for word in gained), default=0.0)
    if (share - at_first) * length >= STUFFED and share >= STUFFED_FACTOR * at_first and most * length >= 1:
        yield Alert(
            "cheating",
            "keywords",
            record.step,
            f"{', '.join(map(repr, gained))} are {share:.0%} of the words and numbers, after {at_first:.0%} at "
            "the start.",
            "Find the reward that looks for words: count each once, or leave it out.",
        )


def _counts(tables: Sequence[Contents], of: str) -> Counter[str]:
    return sum((getattr(one, of) for one in tables), Counter[str]())


def _rows(tables: Sequence[Contents]) -> float:
    return sum(one.numbers["rows"] for one in tables)


def _shares_of_words(tables: Sequence[Contents]) -> dict[str, float]:
    """Of each frequent word its share of all words and numbers."""
    written = sum(one.numbers["words"] * one.numbers["rows"] for one in tables) or inf
    return {word: count / written for word, count in _counts(tables, "words").items()}


def _where_reward_rose(rule: Rule) -> Rule:
    """The rule, for policies that earn more than at the start: one that breaks looks strange too, and is no hack."""

    def guarded(record: Record) -> Iterator[Alert]:
        total = record.level("reward")
        if total is not None and total.rise > 0:
            yield from rule(record)

    return guarded


HACKING_IN_LOG: tuple[Rule, ...] = (proxy_against_gold, length_not_answers, only_proxies)
HACKING_IN_TABLES: tuple[Rule, ...] = tuple(
    map(_where_reward_rose, (shares, unscorable, never_ending, collapsed, many_candidates, stuffed))
)
