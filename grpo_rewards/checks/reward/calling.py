"""One call of whatever grades completions, whatever it does in it: raise, wait, or give back what is no number."""

from __future__ import annotations

import contextlib
import math
import re
import signal
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from types import SimpleNamespace
from typing import Any

from grpo_rewards.checks.reward.functions import awaited
from grpo_rewards.checks.reward.problems import Attempt
from grpo_rewards.completion.text import completion_text
from grpo_rewards.registry import Reward
from grpo_rewards.registry.errors import shown
from grpo_rewards.registry.interface import every_reward, leaves
from grpo_rewards.verdict import Verdict

LIKE_A_TOKEN = re.compile(r"\w{1,6}|\s+|[^\w\s]")
MADE_UP_TOKENS = 30_000
READ_FOR_IDS = 50_000  # characters, so that made-up ids cost nothing beside what is measured
OF_A_ROW = ("completion", "prompt", "completion_ids")  # the other keys of a row are dataset columns
USUAL_PROMPT = "What is 2 + 2?"
USUAL_GROUP = 4
MADE_UP_STEPS = 1_000  # of a training that is made up for schedules
# What functions read of a trainer's state, in the middle of that training.
STATE_HALF_WAY: dict[str, Any] = {
    "global_step": MADE_UP_STEPS // 2,
    "max_steps": MADE_UP_STEPS,
    "epoch": 0.5,
    "num_train_epochs": 1,
    "log_history": [],
}
ONCE_MORE = 0.5  # seconds until the next try, where a bare except has swallowed the first one
OTHER_TEXTS = ("I do not know yet. " * 20, "I do not know.")  # what a text is compared with is longer, and shorter


class TookTooLong(BaseException):
    """The time is over. No ``Exception``, so that what is stopped does not take it for a failure of its own."""


@contextlib.contextmanager
def limited(seconds: float, clock: str = "processor") -> Iterator[None]:
    """Stops what runs in the block after some seconds, where the system can: in the main thread, on Unix.

    Loops of Python, its regular expressions and what waits are interrupted; one sum of two giant numbers is not.

    Args:
        seconds: the time.
        clock: ``processor`` for processor time, or ``wall``, whose alarm is left to who may have set it before.

    Raises:
        TookTooLong: it was stopped.
    """
    can = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not can or (clock == "wall" and signal.getitimer(signal.ITIMER_REAL)[0]):
        yield
        return
    its = (signal.ITIMER_PROF, signal.SIGPROF) if clock == "processor" else (signal.ITIMER_REAL, signal.SIGALRM)
    timer, number = its

    def over(*_: Any) -> None:
        raise TookTooLong(f"stopped after {seconds:.1f} s of {clock} time")

    before = signal.signal(number, over)
    try:
        signal.setitimer(timer, seconds, ONCE_MORE)
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)


class Failure(Exception):
    """What a reward did in place of giving numbers, in a sentence.

    Attributes:
        kind: one of ``slow``, ``count``, ``number`` and ``finite``, or the name of the exception that it raised.
    """

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class Caller:
    """Calls one reward, plain function or composite on texts, within a time for all of its calls together.

    Attributes:
        reward: what is called.
        left: seconds that are left.
    """

    def __init__(self, reward: Any, seconds: float) -> None:
        self.reward = reward
        self.allowed = self.left = seconds
        self._as_messages: bool | None = None  # in which form a plain function takes completions; not known yet
        self._group = _group_size(reward)
        self._state = _half_way(reward)

    def verdicts(self, tried: Sequence[Attempt]) -> list[Verdict]:
        """The verdict about each completion.

        Raises:
            Failure: it raised, took too long, or gave back what is no reward.
        """
        begun = time.perf_counter()
        try:
            if self.left <= 0:
                raise TookTooLong
            with limited(self.left, "wall"):
                return self._scored(tried) if tried else []
        except TookTooLong:
            self.left = 0.0
            why = f"it took longer than {self.allowed:g} s; the texts that were left are not scored"
            raise Failure(why, "slow") from None
        except Failure:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a stranger's code: what it raises is reported
            raise Failure(_message_of(error), type(error.__cause__ or error).__name__) from None
        finally:
            self.left -= time.perf_counter() - begun

    def mean(self, tried: Sequence[Attempt]) -> float | None:
        """The mean reward of the completions, as ``verdicts``; ``None`` where none of them was scored."""
        return mean_of(self.verdicts(tried))

    def _scored(self, tried: Sequence[Attempt]) -> list[Verdict]:
        rows = [{**one.problem.row, "completion": one.completion} for one in tried]
        if isinstance(self.reward, Reward):
            others = [{"completion": OTHER_TEXTS[place % len(OTHER_TEXTS)]} for place in range(self._group - 1)]
            grouped = [{**row, **one} for row in rows for one in ({}, *others)]
            return self.reward.explain_all(**passed(grouped), trainer_state=self._state)[:: self._group]
        # a plain function may read completions as messages or as text only
        first = isinstance(rows[0]["prompt"], list) or not rows[0]["prompt"]
        as_messages = first if self._as_messages is None else self._as_messages
        try:
            given = self._called(rows, as_messages)
        except Exception:
            if self._as_messages is not None:
                raise
            as_messages = not first  # the other form shows whether it was this one's fault
            given = self._called(rows, as_messages)
        self._as_messages = as_messages
        return [Verdict(_number(one)) for one in given]

    def _called(self, rows: Sequence[Mapping[str, Any]], as_messages: bool) -> Sequence[Any]:
        if as_messages:
            speakers = {"prompt": "user", "completion": "assistant"}
            rows = [{**row, **{name: _message(its, row[name]) for name, its in speakers.items()}} for row in rows]
        logs = dict.fromkeys(("log_extra", "log_metric"), lambda *_: None)
        given = awaited(self.reward(**passed(rows), **logs, trainer_state=self._state))
        given = given.tolist() if hasattr(given, "tolist") else given
        if not isinstance(given, list | tuple) or len(given) != len(rows):
            message = f"it gave back {shown(given)} for {len(rows)} completions, and not a number for each"
            raise Failure(message, "count")
        return given


def passed(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What trainers pass, by keyword, for rows: ``completion`` with a prompt, token ids and columns beside it."""
    columns = dict.fromkeys(name for row in rows for name in row if name not in OF_A_ROW)
    return {
        "prompts": [row.get("prompt", USUAL_PROMPT) for row in rows],
        "completions": [row["completion"] for row in rows],
        "completion_ids": [row.get("completion_ids") or token_ids(row["completion"]) for row in rows],
        **{name: [row.get(name) for row in rows] for name in columns},
    }


def mean_of(verdicts: Iterable[Verdict]) -> float | None:
    """The mean reward of those that were scored; ``None`` if none was."""
    numbers = [one.reward for one in verdicts if one.reward is not None]
    return fmean(numbers) if numbers else None


def _message(role: str, content: Any) -> Any:
    """A text as the only message of a conversation; messages as they are."""
    return [{"role": role, "content": content}] if isinstance(content, str) else content


def _group_size(reward: Any) -> int:
    """How many completions of one prompt a reward compares with each other; 1 for one that compares none."""
    sizes = [one.options["num_generations"] for one in leaves(reward) if "num_generations" in one.options]
    return max(size or USUAL_GROUP for size in sizes) if sizes else 1


def _half_way(reward: Any) -> SimpleNamespace | None:
    """A trainer's state in the middle of a training, or of the first schedule in a reward, whose ends may be 0.

    ``None`` for a reward without a schedule: with a state it would be in a training, where groups must be known.
    """
    if isinstance(reward, Reward) and not reward.changes:
        return None
    settings = (getattr(one, "settings", {}) for one in every_reward(reward))
    its = next((one for one in settings if "share" in one), None)
    steps = {} if its is None else {"global_step": (its["steps"] or its["share"] * MADE_UP_STEPS) / 2}
    return SimpleNamespace(**{**STATE_HALF_WAY, **steps})


def token_ids(completion: Any) -> list[int]:
    """A number for each word, gap and sign, the same for the same: in place of a tokenizer, which is not known."""
    pieces = LIKE_A_TOKEN.findall(completion_text(completion)[:READ_FOR_IDS])
    return [zlib.crc32(one.encode("utf-8", "surrogatepass")) % MADE_UP_TOKENS for one in pieces] or [0]


def _number(value: Any) -> float | None:
    if value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise Failure(f"it gave back {shown(value)}, which is no number", "number") from None
    if not math.isfinite(number):
        raise Failure(f"it gave back {number}, which is not finite", "finite")
    return number


def _message_of(error: BaseException) -> str:
    error = error.__cause__ or error  # what a reward of ours raised for a user's names the completion, too
    text = str(error).strip().splitlines()
    return f"it raised {type(error).__name__}" + (f": {text[0][:200]}" if text else "")
