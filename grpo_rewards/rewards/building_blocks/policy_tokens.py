"""Which of a completion's tokens the policy wrote: tools and environments write into a completion as well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, groupby
from typing import Any

from grpo_rewards.completion.text import completion_text
from grpo_rewards.registry import RewardError
from grpo_rewards.verdict import Verdict

TOKENS_UNKNOWN = Verdict(None, "tokens_unknown")
Ids = Sequence[int]
Messages = Sequence[Mapping[str, Any]]
USER = {"role": "user", "content": "dummy"}


@dataclass(frozen=True)
class Counting:
    """How the policy's own tokens are distinguished from those of tools and environments.

    Attributes:
        tokenizer: the name or the path of the run's tokenizer, or ``None``. A text, so that it can be sent to another
            process and be written in a spec.
        template_options: the run's ``GRPOConfig.chat_template_kwargs``, or ``None``.
    """

    tokenizer: str | None = None
    template_options: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Written:
    """What the policy itself wrote of one completion: its token ids, and their text."""

    ids: Ids
    text: str


@lru_cache(maxsize=8)
def load_tokenizer(name: str) -> Any:
    """The tokenizer of a name or a path, loaded once in a process.

    Raises:
        RewardError: transformers is not installed, or does not find the tokenizer.
    """
    try:
        from transformers import AutoTokenizer
    except ImportError as error:
        raise RewardError(
            f"tokenizer={name!r} needs transformers, which is not installed: pip install transformers."
        ) from error
    try:
        return AutoTokenizer.from_pretrained(name)
    except Exception as error:  # transformers raises what the files or the hub make it raise
        raise RewardError(
            f"tokenizer={name!r} cannot be loaded ({type(error).__name__}). Give a name on the hub that this machine "
            "can reach, or a folder that tokenizer.save_pretrained(…) wrote."
        ) from error


def written_by_policy(
    completion: str, messages: Messages, ids: Ids, mask: Ids | None, counting: Counting
) -> Written | None:
    """The tokens and the text that the policy wrote, or ``None`` if they cannot be separated from what others wrote.

    Args:
        completion: the text of the last assistant message.
        messages: the completion as messages.
        ids: its token ids, those of tools and environments among them.
        mask: 1 for each token that the policy wrote and 0 for the others, if the trainer or a rollout says so.
        counting: the options.

    Raises:
        RewardError: the mask is of another length than the ids, or the tokenizer cannot be loaded.
    """
    if mask is not None:
        if len(mask) != len(ids):
            raise RewardError(f"policy_mask has {len(mask)} values for {len(ids)} tokens of a completion.")
        own = list(compress(ids, mask))
        return Written(own, _text(own, messages, counting))
    is_single = len(messages) < 2 and all(one.get("role", "assistant") == "assistant" for one in messages)
    if counting.tokenizer is None:
        return Written(ids, completion) if is_single else None
    tokenizer = load_tokenizer(counting.tokenizer)
    if is_single:  # what follows an end of the turn was written by others, and nothing tells where it ends
        end, padding = tokenizer.eos_token_id, tokenizer.pad_token_id
        at = list(ids).index(end) if end in ids else len(ids)
        runs_on = any(one not in (end, padding) for one in ids[at:])
        return None if runs_on else Written(ids, completion)
    found = _without_others(ids, messages, counting)
    return None if found is None else Written(found, _text(found, messages, counting))


def own_text(completion: str, messages: Messages) -> str:
    """The texts of all assistant messages, where ``completion`` is that of the last."""
    if len(messages) < 2:
        return completion
    own = (completion_text([one]) for one in messages if one.get("role", "assistant") == "assistant")
    return "\n".join(filter(None, own))


def _text(ids: Ids, messages: Messages, counting: Counting) -> str:
    """The text of the policy's tokens; without a tokenizer, that of all assistant messages."""
    if counting.tokenizer is not None:
        return str(load_tokenizer(counting.tokenizer).decode(list(ids), skip_special_tokens=True))
    return own_text(completion_text(messages), messages)


def _without_others(ids: Ids, messages: Messages, counting: Counting) -> list[int] | None:
    """The ids without those of the turns between assistant messages, if each is found where it must be."""
    runs = [(key, list(run)) for key, run in groupby(messages, lambda one: one.get("role", "assistant") == "assistant")]
    if not runs or not runs[0][0] or any(is_own and len(run) > 1 for is_own, run in runs):
        return None
    characters = {one: chr(at) for at, one in enumerate(dict.fromkeys(ids))}
    spelled = "".join(map(characters.__getitem__, ids))
    own: list[int] = []
    at = 0
    for _, run in runs[1::2]:  # those of others
        between = turn_between(run, counting)
        if between is None or any(one not in characters for one in between[0]):
            return None
        wanted = "".join(map(characters.__getitem__, between[0]))
        end = "" if between[1] is None else characters.get(between[1], "")
        start = spelled.find(end + wanted, at)  # what the policy wrote cannot have an end of the turn before it
        start = start + len(end) if start >= 0 else spelled.find(wanted, at)
        if start < 0:
            return None
        own += ids[at:start]
        at = start + len(wanted)
    return [*own, *ids[at:]]


def turn_between(messages: Messages, counting: Counting) -> tuple[list[int], int | None] | None:
    """(the tokens that a trainer puts between two turns of the policy for messages of tools or an environment, the
    token that ended the first of these turns if it is known).

    As TRL does it: a conversation is rendered with the messages and with the generation prompt, and what follows the
    assistant's turn is taken. ``None`` if the template cannot render it, or renders the turn in another way then.
    """
    calls = [
        {"type": "function", "function": {"name": one.get("name"), "arguments": {}}}
        for one in messages[:1]
        if one.get("role") == "tool"
    ]
    turn = {"role": "assistant", "content": "", **({"tool_calls": calls} if calls else {})}
    before = _rendered([USER, turn], counting, prompting=False)
    after = _rendered([USER, turn, *messages], counting, prompting=True)
    if before is None or after is None:
        return None
    end = load_tokenizer(str(counting.tokenizer)).eos_token_id
    ends = before.count(end)
    if not ends:
        return (after[len(before) :], None) if after[: len(before)] == before else None
    # Only the ends of turns are counted: some templates leave out empty reasoning in a turn that is not the last.
    places = [at for at, one in enumerate(after) if one == end]
    return (after[places[ends - 1] + 1 :], end) if len(places) >= ends else None


def _rendered(messages: Messages, counting: Counting, prompting: bool) -> list[int] | None:
    """The token ids of a conversation, or ``None`` if the template cannot render it."""
    try:
        ids = load_tokenizer(str(counting.tokenizer)).apply_chat_template(
            list(messages),
            add_generation_prompt=prompting,
            tokenize=True,
            return_dict=False,
            **(counting.template_options or {}),
        )
    except Exception:  # noqa: BLE001  # a template is a program of its own, and may raise anything
        return None
    return list(ids)
