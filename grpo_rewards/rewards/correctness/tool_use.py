"""Were the right tools called, with the right arguments?"""

from typing import Any, Literal

from grpo_rewards.answers import call_differences, call_similarity, calls_of_gold, without_nulls
from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.completion.tool_calls.calls import MOST_CALLS, ToolCall
from grpo_rewards.completion.tool_calls.reading import calls_in_messages
from grpo_rewards.registry import reward
from grpo_rewards.rewards.building_blocks.fault_summary import summarize_faults
from grpo_rewards.rewards.building_blocks.pairing import best_pairing, best_pairing_in_order
from grpo_rewards.verdict import Verdict

__all__ = ["tool_calls"]


@reward(
    reasons=("correct", "partly", "wrong", "no_call", "too_many_calls", "unfinished_thinking", "bad_answer"),
    range=(0.0, 1.0),
    table=("answer", "why"),
)
def tool_calls(
    messages: list[dict[str, Any]],
    answer: Any,
    prompt: Any = None,
    *,
    credit: Literal["exact", "names", "arguments"] = "exact",
    ordered: bool = False,
    null_is_absent: bool = False,
    thinking: Thinking,
) -> Verdict:
    """1 if the completion calls the tools that the row wants, with the wanted arguments, else 0 or a share.

    Calls are read from the field ``tool_calls`` of all assistant messages, and from the text of those without: what
    Hermes and Qwen, Qwen3-Coder, GLM, Llama, Mistral, DeepSeek, Kimi, gpt-oss, MiniMax, Granite, Phi and some others
    write, and ReAct's ``Action:``. Values are equal as in JSON: 1 is 1.0 and not "1" or true, the order of keys does
    not matter, that of a list does, and ``null`` is a value. Where a format has no types (XML), the text decides. The
    calls of all formats in one text count together.

    Args:
        messages (list): the completion as messages; a text is one assistant message.
        answer (list | dict | str): the gold, a dataset column: a list of ``{"name": …, "arguments": …}``, OpenAI's
            ``{"function": {…}}``, BFCL's lists of possible values, or any of these as JSON. ``[]``: no call is right.
            ``None`` is no gold, and no reward.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside the
            reasoning.
        credit ("exact" | "names" | "arguments"): what is rewarded. ``exact``, the default: 1 if the calls are the
            wanted ones and no others. ``names``: the share of tools that are right. ``arguments``: calls of the same
            tool are paired one to one, so that most is right; each pair earns its equal arguments as a share of those
            that either side names, and the sum is divided by the number of calls wanted or made, whichever is larger.
        ordered (bool): whether calls must come in the order of the gold; pairs out of order earn nothing.
        null_is_absent (bool): whether an argument that is ``null`` counts as left out, also in objects inside it. Data
            sets that hold arguments as columns fill those of other tools with ``null``; better hold them as JSON.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        A float in [0, 1]; ``None`` if the gold cannot be read. The detail ``why`` says which call or argument differs.
        Reasons:

        - ``correct``: all calls, or all names with ``credit="names"``, and no others (1.0).
        - ``partly``: some of the calls.
        - ``wrong``: none of the calls, or with ``exact`` not all; a call where none is wanted.
        - ``no_call``: there is no call, and there should be.
        - ``too_many_calls``: more than 40 (0.0).
        - ``unfinished_thinking``: the reasoning of the last turn was never closed (0.0).
        - ``bad_answer``: the gold is missing, cannot be read, or has more than 40 calls (``None``).

    Source: exact and partial credit as in ToolRL (Qian et al. 2025, arXiv:2504.13958), with one denominator for what is
    missing and what is too much; lists of possible values as in BFCL (Patil et al. 2024).

    A policy would call everything it can, or one tool again and again: each call too many lowers the share, and a call
    serves one gold. A call that cannot be read, or is not closed, counts as one too many. Calls in the reasoning do not
    count. Cheap text: where the gold is ``[]``, a blank completion earns 1, so such rows need a reward for the text
    instead; with ``credit="names"``, a name with any arguments earns all, and with ``credit="arguments"``, constants
    that many golds share earn their share.

    >>> gold = [{"name": "add", "arguments": {"a": 1, "b": 2}}]
    >>> text = '<tool_call>{"name": "add", "arguments": {"a": 1, "b": 3}}</tool_call>'
    >>> tool_calls.score(text, answer=gold), tool_calls.bind(credit="arguments").score(text, answer=gold)
    (0.0, 0.5)
    """
    wanted = calls_of_gold(answer, null_is_absent=null_is_absent)
    if wanted is None:
        return Verdict(None, "bad_answer")
    shown = _shown(wanted)
    made = calls_in_messages(messages, opened=thinking.opened(prompt), marks=thinking.marks)
    if made is None:
        return Verdict(0.0, "unfinished_thinking", None, shown)
    if not made or len(made) > MOST_CALLS:
        points = float(not made and not wanted)
        return Verdict(points, "correct" if points else "too_many_calls" if made else "no_call", None, shown)
    made = [without_nulls(call) for call in made] if null_is_absent else made
    compared, goals = made, wanted
    if credit == "names":
        compared, goals = ([call._replace(arguments={}) for call in calls] for calls in (made, wanted))
    similarities = [[call_similarity(one, other) for other in goals] for one in compared]
    pairing = best_pairing_in_order if ordered else best_pairing
    share = min(pairing(similarities) / max(len(compared), len(goals)), 1.0)
    points = float(share == 1) if credit == "exact" else share
    if points == 1:
        return Verdict(points, "correct", _shown(made), shown)
    differing = call_differences(compared, goals)
    why = summarize_faults(differing or [("the calls", "in another order")])
    return Verdict(points, "partly" if points else "wrong", _shown(made), shown, {"why": why})


def _shown(calls: list[ToolCall]) -> str:
    return "; ".join(call.shown for call in calls)
