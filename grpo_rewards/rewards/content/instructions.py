"""Does the completion follow the instructions of its row?"""

from typing import Any, Literal

from grpo_rewards.completion.reasoning.thinking import Thinking
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.fault_summary import summarize_faults
from grpo_rewards.verdict import Verdict

__all__ = ["instructions"]


def _refuse_published(*, as_published: bool, **others: Any) -> None:
    if as_published:
        raise RewardError(
            "reward 'instructions' decides by what an instruction says: as_published=True was given up. lm-eval's "
            "task ifeval and the repository of IFBench compute figures that compare with published ones."
        )


@reward(
    reasons=(
        "all_followed",
        "some_followed",
        "none_followed",
        "unfinished_thinking",
        "bad_instruction",
        "unknown_instruction",
    ),
    range=(0.0, 1.0),
    table=("answer", "why"),
    check=_refuse_published,
    example={"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]},
)
def instructions(
    completion: str,
    instruction_id_list: Any,
    kwargs: Any = None,
    prompt: Any = None,
    *,
    credit: Literal["fraction", "all"] = "fraction",
    loose: bool = False,
    as_published: bool = False,
    thinking: Thinking,
) -> Verdict:
    """The share of the row's instructions that the completion follows: IFEval's, IFBench's and IFTrain's.

    An instruction is an id with arguments, such as ``length_constraints:number_words`` with ``num_words`` and
    ``relation``. The columns have the names and the form that the published data sets give them. What is judged is the
    response after the reasoning. An instruction is followed if the text does what its description says; the published
    checkers do not always decide that, and docs/rewards/instructions.md lists where they differ.

    Args:
        completion (str): the text of the last assistant message.
        instruction_id_list (list[str] | str): the ids, a dataset column; JSON of a list is read too, and so is
            IFTrain's ``[{"instruction_id": [...], "kwargs": [...]}]``, which holds the arguments as well.
        kwargs (list | str | None): the arguments of each instruction, a dataset column: a list of dictionaries, of JSON
            or of ``None``, or JSON of the list. Arguments that are ``None`` count as missing. ``None``, the default: no
            instruction has arguments.
        prompt (str | list | None): the prompt, as text or messages; only used to see whether it ends inside the
            reasoning.
        credit (str): ``fraction``, the default, gives the share that is followed; ``all`` gives 1 only if all are.
        loose (bool): whether it is enough, for each instruction, that the response follows it without its first line,
            without its last, without both, or without asterisks; ``False`` by default.
        as_published (bool): only ``False``, the default. lm-eval decides as the published checkers do.
        think_opened (bool | None): whether the chat template already opened the reasoning, so that the completion
            starts inside it. ``None``, the default: look at the end of ``prompt``.
        reasoning (str | tuple): the delimiters of the reasoning; ``"<think>"``, the default, stands for itself and
            ``</think>``.

    Returns:
        A float in [0, 1]; ``None`` if the row is at fault. The detail ``instructions`` has for each id whether it is
        followed, and why; ``why`` says it in short of those that are not. Reasons:

        - ``all_followed``: every instruction (1.0).
        - ``some_followed``: at least one, but not all.
        - ``none_followed``: not one (0.0); a blank response follows nothing.
        - ``unfinished_thinking``: the reasoning was never closed (0.0).
        - ``bad_instruction``: there are no instructions or more than 50, they and their arguments differ in number, or
          an argument is missing or makes no sense; the detail ``why`` says which (``None``).
        - ``unknown_instruction``: an id that ``grpo_rewards.constraints.TABLE`` does not have (``None``).

    Raises:
        RewardError: ``as_published`` is true; or an instruction is about a language, and py3langid is not installed.

    Source: Zhou et al. 2023 (arXiv:2311.07911), and Pyatkin et al. 2025 (arXiv:2507.02833).

    A policy would try the least text that does: the bare keywords, "-" three times for three bullet points, one word
    where fewer than a hundred are requested. That earns 1, because the instructions say nothing of the contents. Pair
    this reward with one for the answer, and gate by a length. A blank response, look-alike commas and invisible
    characters in forbidden words earn nothing.

    >>> wanted = {"instruction_id_list": ["punctuation:no_comma", "count:numbers"], "kwargs": [{}, {"N": 2}]}
    >>> instructions.score("2 and 2 make 4", **wanted)
    0.5
    """
    # a hundred checks with their patterns, compiled where they are needed
    from grpo_rewards.constraints import BadInstructionError, MissingDetectorError, judge, read_instructions

    try:
        wanted = read_instructions(instruction_id_list, kwargs)
    except BadInstructionError as error:
        return Verdict(None, error.reason, details={"why": str(error)})
    except MissingDetectorError as error:
        raise RewardError(f"reward 'instructions': {error}") from None
    text = thinking.response(completion, prompt)
    if text is None:
        return Verdict(0.0, "unfinished_thinking")
    if not completion.startswith(text):
        text = text.lstrip("\r\n")  # the line breaks behind the reasoning are the template's
    findings = judge(text, wanted, loose=loose)
    followed = sum(one.followed for one in findings)
    reason = "all_followed" if followed == len(wanted) else "some_followed" if followed else "none_followed"
    points = followed / len(wanted) if credit == "fraction" else float(reason == "all_followed")
    shown = [{"id": one.id, **finding._asdict()} for one, finding in zip(wanted, findings, strict=True)]
    details: dict[str, Any] = {"instructions": shown}
    if followed < len(wanted):
        details["why"] = summarize_faults([(one["id"], one["why"]) for one in shown if not one["followed"]])
    return Verdict(points, reason, f"{followed} of {len(wanted)}", details=details)
