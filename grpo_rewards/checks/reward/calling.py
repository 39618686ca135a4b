"""What a reward takes, by its signature; and one call of it, whatever it does: raise, wait, give back no number."""

from __future__ import annotations

import contextlib
import inspect
import re
import signal
import threading
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

from grpo_rewards.completion.text import completion_text
from grpo_rewards.completion_tables import table_of
from grpo_rewards.errors import ANSWER_SYNONYMS, GOLD_NAMES, completion_argument, listed, shown, words_in
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.call import TAKEN_BY_TRAINER
from grpo_rewards.registry.coroutines import wait_for
from grpo_rewards.registry.decorate import reward_of
from grpo_rewards.registry.interface import as_verdict, every_reward, leaves
from grpo_rewards.registry.signature import GIVEN_BY_TRAINER, parameters_of
from grpo_rewards.registry.signature import name_of as name_of_function
from grpo_rewards.verdict import Verdict

if TYPE_CHECKING:
    from grpo_rewards.checks.reward.problems import Attempt

Columns: TypeAlias = Mapping[str, Sequence[Any]]  # of a data set, by name
PASSED = ("completions", "completion_ids", "environments")  # of what the model did, by trainers, to plain functions
MAKES_SEVERAL = re.compile(r"list|tuple|sequence|iterable|tensor|array", re.IGNORECASE)
OF_ROLLOUTS = frozenset(("env", "environment", "episode", "rollout", "trajectory"))  # words in names of what it returns
PASS_ROLLOUT = "Pass that as well: check_rewards(…, rollout_func=…)."
PROMPT_NAMES = ("prompt", "question", "problem", "query", "instruction")
FOR_VERL = {"data_source": "probe", "extra_info": None}  # what verl passes to its compute_score
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


class Signature:
    """What a function or another object that can be called takes.

    Attributes:
        parameters: by name.
        named: those that can be passed by keyword.
        needed: those of them without a default.
        takes_rest: whether it takes any other keyword, too: it has ``**kwargs``, or is a built-in without a signature.
        takes_of_model: whether it takes what the model did under the trainers' names, as parameters or texts in its
            code, or takes any keyword and has no other name for it.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.parameters = parameters_of(function)
        code, its = getattr(function, "__code__", None), self.parameters.values()
        named = [one for one in its if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
        self.named = tuple(one.name for one in named)
        self.needed = tuple(one.name for one in named if one.default is one.empty)
        self.takes_rest = any(one.kind is one.VAR_KEYWORD for one in its) or not (its or code)
        names_it = not {*self.named, *getattr(code, "co_consts", ())}.isdisjoint(PASSED)
        self.takes_of_model = names_it or (self.takes_rest and completion_argument(self.named) is None)


def name_of(function: Any) -> str:
    """The name under which TRL logs a reward, a plain function, or a reward model."""
    model_id = getattr(getattr(function, "config", None), "_name_or_path", function)
    if isinstance(model_id, str):
        return model_id.rpartition("/")[2]
    return name_of_function(function)


def read_columns(reward: Any) -> dict[str, str]:
    """The columns that a reward must be given: what it calls each, by what the dataset calls it.

    Of a plain function, the arguments without a default that no trainer hands over.
    """
    if isinstance(reward, Reward):
        own = {one.name: one.read_as for one in reward.read_columns}
        return {name: own[name] for name in reward.columns}
    return {name: name for name in Signature(reward).needed if name not in TAKEN_BY_TRAINER}


def ready(reward: Any) -> Any:
    """A reward, also of a spec, or a function, ready to be called.

    Raises:
        RewardError: it is neither, or an option is not bound.
    """
    one = get_reward(reward) if isinstance(reward, str) else reward
    if not callable(one) or inspect.isclass(one):
        raise RewardError(f"{shown(one)} is neither a reward nor its spec, nor a function that a trainer calls.")
    if isinstance(one, Reward):
        one.check_ready()
    return one


# A function that takes nothing of what the model did.


def unseeing(one: Any, columns: Collection[str] | None, rolled_out: bool = False) -> tuple[str, str] | None:
    """(message, remedy) for a plain function that takes nothing of what the model did; ``None`` for every other one.

    The decorators already refuse such a reward.

    Args:
        one: a reward, or a plain function as TRL takes it.
        columns: the names of the dataset's columns, or ``None``. What is none of them may come from a
            ``rollout_func``, and so from the model.
        rolled_out: whether there is a ``rollout_func``.
    """
    its = Signature(one)
    if isinstance(one, Reward) or its.takes_of_model:
        return None
    missing = set(its.named) - GIVEN_BY_TRAINER.union(columns or ())
    if its.takes_rest and any(rolled_out or is_of_rollout(name) for name in missing):
        return None
    does = f"reads nothing of what the model did: a trainer passes that as {listed(PASSED)}"
    return f"{does}, and it takes {listed(its.parameters)}.", _how_to_see(one, its)


def is_of_rollout(column: str) -> bool:
    """Whether a name is like those of what a ``rollout_func`` returns beside the completions, such as env_reward."""
    return not OF_ROLLOUTS.isdisjoint(words_in(column)) and column not in GIVEN_BY_TRAINER


def _how_to_see(function: Any, its: Signature) -> str:
    """What to do so that a plain function sees what the model did."""
    meant = completion_argument(its.named)
    if meant is None:
        return (
            "If it makes a reward, call it, and give what it returns. Else have it take 'completion', the text of one, "
            "and decorate it with @grpo_rewards.reward, or completions, a list, and **kwargs."
        )
    name, ours = meant
    returns = getattr(function, "__annotations__", {}).get("return")
    is_plural = name.endswith("s") and not name.endswith(("is", "ids", "messages"))
    many = is_plural or "prompts" in its.named if returns is None else MAKES_SEVERAL.search(str(returns)) is not None
    ours += "s" if many and ours == "completion" else ""
    renamed = "" if name == ours else f"Did you mean '{ours}' by '{name}'? Rename it. "
    rest = ", and leave out **kwargs" if its.takes_rest else ""
    return f"{renamed}Decorate the function with @grpo_rewards.{'batch_reward' if many else 'reward'}{rest}."


# A function that grades one completion, made a reward.


def as_trl_calls(grader: Any) -> Any:
    """The grader itself if TRL could call it, else a reward that calls it for each completion with its gold.

    Parameters are matched by name, else by order.

    Raises:
        RewardError: it is not known what its parameters are for.
    """
    if isinstance(grader, Reward):
        return grader
    its, name = Signature(grader), name_of(grader)
    if its.takes_of_model:
        return grader
    others = (*PROMPT_NAMES, *FOR_VERL)
    both = [one for one in its.named if (one in its.needed or one in GOLD_NAMES) and one not in others]
    if len(both) != 2:
        raise RewardError(
            f"what {name}({', '.join(its.parameters)}) is to be called with is not known: it must take the "
            "completion and its gold, and nothing else. Give a function f(completion, reference), or "
            "f(completions, answer, **kwargs) as TRL calls it."
        )
    # The least likely first: of a gold and an answer the answer is the model's. An "a" is any argument.
    known_gold = next((one for one in reversed(GOLD_NAMES[:-1]) if one in both), None)
    unknown = [one for one in both if one != known_gold]
    text, _ = completion_argument(unknown) or (unknown[0], "")
    (gold,) = (one for one in both if one != text)
    more = {one: value for one, value in FOR_VERL.items() if one in its.needed}
    of_prompt = [one for one in PROMPT_NAMES if one in its.named][:1]

    def graded(completion: str, prompt: Any, answer: Any) -> Any:
        given = {text: completion, gold: answer, **more, **dict.fromkeys(of_prompt, prompt)}
        return _number_in(awaited(grader(**given)))

    return reward_of(graded, name=name).bind(columns={"answer": gold if gold in ANSWER_SYNONYMS else "answer"})


def _number_in(value: Any) -> Any:
    """The number in what a grader returned: itself, the first of several values, or one entry of a mapping."""
    if isinstance(value, Mapping):
        return next((_number_in(value[name]) for name in ("score", "reward", "acc") if name in value), value)
    if hasattr(value, "tolist"):  # of numpy or torch
        return _number_in(value.tolist())
    return _number_in(value[0]) if isinstance(value, list | tuple) and value else value


def awaited(values: Any) -> Any:
    """What a reward returned, or what the coroutine that it returned gives."""
    return wait_for(values) if inspect.iscoroutine(values) else values


# A call.


class TookTooLong(BaseException):
    """Time is up. No ``Exception``, so that ``except Exception`` in the stopped code does not swallow it."""


@contextlib.contextmanager
def limited(seconds: float, clock: str = "processor") -> Iterator[None]:
    """Stops what runs in the block after some seconds, where the system can: in the main thread, on Unix.

    Loops of Python, its regular expressions and what waits are interrupted; one sum of two giant numbers is not.

    Args:
        seconds: the time.
        clock: ``processor`` for processor time, or ``wall``, which limits nothing if an alarm is already set.

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
        kind: ``slow``, or the exception's name (``RewardError`` if it returned no numbers).
    """

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class Caller:
    """Calls one reward, plain function or composite on texts, within a time for all of its calls together.

    Attributes:
        reward: what is called.
        left: seconds that are left.
        is_form_given: whether prompts that are messages mean completions that are, and texts texts, as in a training.
    """

    def __init__(self, reward: Any, seconds: float, is_form_given: bool = False) -> None:
        self.reward, self.is_form_given = reward, is_form_given
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
        except (Exception, SystemExit) as error:  # noqa: BLE001  # a stranger's code: what it raises is reported
            raise Failure(_message_of(error), type(error.__cause__ or error).__name__) from None
        finally:
            self.left -= time.perf_counter() - begun

    def _scored(self, tried: Sequence[Attempt]) -> list[Verdict]:
        rows = [{**one.problem.row, "completion": one.completion} for one in tried]
        if isinstance(self.reward, Reward):
            others = [{"completion": OTHER_TEXTS[place % len(OTHER_TEXTS)]} for place in range(self._group - 1)]
            grouped = [{**row, **one} for row in rows for one in ({}, *others)]
            return self.reward.explain_all(**passed(grouped), trainer_state=self._state)[:: self._group]
        # a plain function may read completions as messages or as text only
        likely = self._as_messages
        if likely is None:
            likely = isinstance(rows[0]["prompt"], list) or not rows[0]["prompt"]
        try:
            given = self._called(rows, likely)
        except Exception:
            if self._as_messages is not None or (self.is_form_given and rows[0]["prompt"]):
                raise
            likely = not likely
            given = self._called(rows, likely)
        self._as_messages = likely
        return [as_verdict(name_of(self.reward), one, at) for at, one in enumerate(given)]

    def _called(self, rows: Sequence[Mapping[str, Any]], as_messages: bool) -> Sequence[Any]:
        if as_messages:
            speakers = {"prompt": "user", "completion": "assistant"}
            texts = [(row, [name for name in speakers if isinstance(row[name], str)]) for row in rows]
            rows = [{**row, **{name: one_message(speakers[name], row[name]) for name in its}} for row, its in texts]
        logs = dict.fromkeys(("log_extra", "log_metric"), lambda *_: None)
        given = awaited(self.reward(**passed(rows), **logs, trainer_state=self._state))
        given = given.tolist() if hasattr(given, "tolist") else given
        if not isinstance(given, list | tuple) or len(given) != len(rows):
            raise RewardError(f"it gave back {shown(given)} for {len(rows)} completions, and not a number for each")
        return given


def passed(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What trainers pass, by keyword, for rows: ``completion`` with a prompt, token ids and columns beside it."""
    return {
        "prompts": [row.get("prompt", USUAL_PROMPT) for row in rows],
        "completions": [row["completion"] for row in rows],
        "completion_ids": [row.get("completion_ids") or token_ids(row["completion"]) for row in rows],
        **{name: values for name, values in table_of(rows).items() if name not in OF_A_ROW},
    }


def mean_of(verdicts: Iterable[Verdict]) -> float | None:
    """The mean reward of those that were scored; ``None`` if none was."""
    numbers = [one.reward for one in verdicts if one.reward is not None]
    return fmean(numbers) if numbers else None


def one_message(role: str, content: Any) -> list[dict[str, Any]]:
    """A conversation of one message."""
    return [{"role": role, "content": content}]


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
    end: float = MADE_UP_STEPS
    for one in every_reward(reward):
        settings = getattr(one, "settings", {})
        if "share" in settings:
            end = settings["steps"] or settings["share"] * MADE_UP_STEPS
            break
    return SimpleNamespace(**{**STATE_HALF_WAY, "global_step": end / 2})


def token_ids(completion: Any) -> list[int]:
    """A number for each word, gap and sign, the same for the same: in place of a tokenizer, which is not known."""
    pieces = LIKE_A_TOKEN.findall(completion_text(completion)[:READ_FOR_IDS])
    return [zlib.crc32(one.encode("utf-8", "surrogatepass")) % MADE_UP_TOKENS for one in pieces] or [0]


def _message_of(error: BaseException) -> str:
    error = error.__cause__ or error  # what a reward of ours raised for a user's names the completion, too
    text = str(error).strip().splitlines()
    if isinstance(error, RewardError) and text:
        return text[0]
    return f"it raised {type(error).__name__}" + (f": {text[0][:200]}" if text else "")
