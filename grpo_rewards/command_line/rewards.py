"""``grpo-rewards list``, ``show`` and ``explain``: which rewards are there, what does one do, and why that number?"""

import json
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grpo_rewards.command_line.describing import (
    Description,
    Entry,
    Explanation,
    Option,
    described,
    entries,
    explained,
    reads_json,
    reads_of,
)
from grpo_rewards.command_line.printing import (
    FOUND,
    Output,
    Spec,
    Tokenizer,
    command,
    cut,
    pairs,
    print_to_stderr,
    prose,
    refuse,
    text,
    working,
)
from grpo_rewards.errors import NoTokenIds, did_you_mean, listed
from grpo_rewards.registry import Reward, RewardError, get_reward
from grpo_rewards.registry.catalogue import load_plugins
from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer
from grpo_rewards.verdict import Verdict

# What the steps of a comparison of answers do, for who does not know their names.
COMPARED_BY = {
    "gold": "the gold itself",
    "string": "the two texts",
    "limits": "how large it is, before anything computes it",
    "spelling": "the two spellings",
    "value": "the two values",
    "symbolic": "computer algebra",
}
RANGE_SHOWN = "{:g} to {:g}"
SHOWN_APART = frozenset(("step", "prediction_read_as", "answer_read_as", "why"))  # of a verdict's details


@command
def list_all(family: str | None = None) -> Output:
    """Lists the rewards: what each reads, its range, what it does, and the package that it comes from.

    Columns in brackets are read where they are there. Exits 1 if a plug-in cannot be loaded, and warns why.

    Args:
        family: Only this family, such as format or composite.
    """
    found = entries()  # warns of plug-ins that cannot be used
    families = list(dict.fromkeys(one.family for one in found))
    if family is not None and family not in families:
        refuse(f"there is no family {cut(family, 80)!r}{did_you_mean(family, families)} Families: {listed(families)}.")
    chosen = [one for one in found if family in (None, one.family)]
    failed = [one._asdict() for one in load_plugins() if one.why]
    as_json = {"rewards": [one.as_json() for one in chosen], "families": families, "failed_plugins": failed}
    return Output(as_json, _listed(chosen), FOUND if failed or any(one.failure for one in found) else 0)


def _listed(chosen: list[Entry]) -> Iterator[Any]:
    """A table with a heading for each family."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in ("reward", "reads", "range", "what it does"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("reward", "range"))
    for at, one in enumerate(chosen):
        if at == 0 or chosen[at - 1].family != one.family:
            if at:
                table.add_row()
            table.add_row(text(one.family, "bold"), "", "", text(f"from {one.package}", "dim"))
        reads = str(one.reads) or ("what its parts read" if one.family == "composite" else "")
        table.add_row(*map(text, (one.name, reads, RANGE_SHOWN.format(*one.range) if one.range else "", one.line)))
    yield table


@command
def show(spec: Spec) -> Output:
    """Shows what a reward does: its docstring, options, columns, reasons and range, and what a policy would try."""
    found = described(spec)
    return Output(found.as_json(), _shown(found, spec.strip()))


def _shown(found: Description, spec: str) -> Iterator[Any]:
    doc = found.docstring
    yield Text.assemble((cut(found.spec), "bold"), f"  {found.family}, from {found.package}")
    for paragraph in (doc.line or "It has no docstring.", *doc.body):
        yield ""
        yield prose(paragraph)
    yield ""
    yield pairs(_facts(found))
    if found.options:
        yield text("\nOptions", "bold")
        for one in found.options:
            yield Padding(_option(one), (0, 0, 0, 2), expand=False)
            if one.description:
                yield Padding(prose(one.description, "dim"), (0, 0, 0, 6), expand=False)
    if doc.returns:
        yield text("\nReturns", "bold")
        yield prose(doc.returns)
    if found.reasons:
        yield text("\nReasons", "bold")
        yield pairs((text(f"  {reason}"), prose(meaning)) for reason, meaning in found.reasons.items())
    if doc.would_try:
        yield text("\nWhat a policy would try", "bold")
        yield prose(doc.would_try)
    if found.family != "composite" or found.spec.endswith(")"):
        yield f"Measured: grpo-rewards probe {shlex.quote(cut(spec))}"
    if doc.example:
        yield text("\nExample", "bold")
        yield cut("\n".join(doc.example))


def _facts(found: Description) -> Iterator[tuple[str, str]]:
    """What it reads, its range, where it is from and what it is made of."""
    is_composer = found.family == "composite" and not found.parts
    yield "reads", ", ".join(found.reads.given) or ("what its parts read" if is_composer else "")
    yield "columns", ", ".join(found.reads.columns) or ("" if is_composer else "none that it needs")
    yield "if there", ", ".join(found.reads.optional)
    no_range = "depends on its parts" if is_composer else "not stated"
    yield "range", RANGE_SHOWN.format(*found.range) if found.range else no_range
    for part in found.parts:
        yield part.role, f"{'' if part.weight is None else f'{part.weight:g} × '}{part.reward!r}"
    yield "paper", found.docstring.source
    yield "written in", found.place


def _option(option: Option) -> Text:
    """``name = value``, what it takes, and the default where another value is bound."""
    value = "must be given" if option.value is None else f"= {option.value}"
    more = f"{option.default} by default" if option.is_bound else "the default"
    if not option.default:
        more = "it must be given" if option.default is None and option.value is not None else ""
    brackets = "; ".join(filter(None, (option.takes, more)))
    style = "yellow" if option.is_bound or option.value is None else ""
    return Text.assemble(
        (cut(option.name), "bold"), " ", (cut(value, 200), style), f"  ({cut(brackets, 300)})" if brackets else ""
    )


@command
def explain(
    spec: Spec,
    completion: Annotated[str | None, typer.Argument()] = None,
    answer: str | None = None,
    column: Annotated[list[str] | None, typer.Option(metavar="NAME=TEXT")] = None,
    prompt: str | None = None,
    messages: Annotated[str | None, typer.Option(metavar="FILE")] = None,
    tokens: Annotated[int | None, typer.Option(min=0, max=1_000_000)] = None,
    tokenizer: Tokenizer = None,
    step: Annotated[str | None, typer.Option(metavar="N or N/MAX")] = None,
) -> Output:
    """Explains the reward of one completion: the reason, both sides as they were read, and the step that decided.

    A column is text; where the reward's own example of the column is a number, a list or an object, what is JSON is
    read as that. NAME:=JSON is always JSON. Exits 1 if the row cannot be scored.

    Args:
        completion: What the model wrote; - reads standard input. Write -- before a leading -.
        answer: The gold: the column 'answer'.
        column: Another column, as often as needed; NAME:=JSON for what is no text.
        prompt: The prompt.
        messages: A completion as JSON messages, or a row with prompt and completion.
        tokens: How many tokens it has, for rewards that count them.
        step: The step, for weights that change.
    """
    reward = get_reward(spec)
    reward.check_ready()
    if (completion is None) == (messages is None):
        refuse("Give one completion: a text, - for standard input, or --messages FILE.")
    row = {"completion": _typed(str(completion))} if messages is None else _conversation(messages)
    given, prompt_of_file = row["completion"], row.get("prompt")
    if prompt_of_file is not None and prompt is not None:
        refuse("--messages holds a prompt already: leave --prompt out, or the prompt's messages.")
    reads = reads_of(reward)
    columns = {name: row[name] for name in reads.all_columns if name in row}
    columns |= _columns_of(reward, answer, column or [])
    unread = [name for name in columns if name not in reads.all_columns]
    for name in unread:  # it may be misspelled
        near = did_you_mean(name, reads.all_columns)
        print_to_stderr(f"note: the column {cut(name, 80)!r} is not read{near} It reads: {listed(reads.all_columns)}.")
    try:
        with working("explaining the reward"):
            found = explained(
                reward,
                given,
                columns,
                prompt=prompt if prompt_of_file is None else prompt_of_file,
                completion_ids=_token_ids(given, tokens, tokenizer),
                trainer_state=_trainer_state(step),
            )
    except NoTokenIds:
        refuse(f"reward '{reward.name}' counts tokens. Give their number, --tokens N, or --tokenizer NAME.")
    except RewardError as error:
        for name in reads.columns:
            if name not in columns and f"reads column '{name}'" in str(error):
                flag = "--answer TEXT" if name == "answer" else f"--column {name}=…"
                refuse(f"reward '{reward.name}' reads column '{name}'. Give it: {flag}.")
        raise
    status = FOUND if found.verdict is None or found.verdict.reward is None else 0
    return Output({"spec": repr(reward), **_as_json(found), "columns_not_read": unread}, _explained(found), status)


def _explained(found: Explanation) -> Iterator[Any]:
    for depth, one in found.with_depth():
        yield Padding(_title(one), (1 if depth else 0, 0, 0, 4 * depth), expand=False)
        if one.verdict is not None:
            yield Padding(pairs(_sides(one, one.verdict)), (0, 0, 0, 4 * depth + 2), expand=False)


def _title(one: Explanation) -> Text:
    """Which reward it is, as what, its number, and the reason in a word."""
    name = Text(cut(repr(one.reward), 300), style="bold")
    role = Text(f"{cut(one.role)}: " if one.role else "", style="dim")
    if one.verdict is None:
        return Text.assemble(role, name, "  not called on this row")
    number = one.verdict.reward
    style = "yellow" if number is None else "green" if number > 0 else "red"
    shown = "not scored" if number is None else f"{number:g}"
    weight = "" if one.weight is None else f"{one.weight:g} × "
    return Text.assemble(role, name, "  ", weight, (shown, f"bold {style}"), f"  {cut(one.verdict.reason)}")


def _sides(one: Explanation, verdict: Verdict) -> Iterator[tuple[str, Any]]:
    """What was compared, how it was read, what decided and why, and whatever else the verdict has."""
    details = verdict.details
    if meaning := _meaning(one, verdict):
        yield "that is", prose(meaning)
    for side, value in (("prediction", verdict.prediction), ("answer", verdict.answer)):
        read_as = details.get(f"{side}_read_as")
        yield side, "" if value is None else text(value)
        yield "  read as", "" if read_as is None or read_as == value else read_as
    if step := details.get("step"):
        yield "decided by", f"{step}: {COMPARED_BY[step]}" if step in COMPARED_BY else step
    yield "why", details.get("why") or ""
    names_below = {part.reward.name for part in one.parts}
    for name, value in details.items():
        if name not in SHOWN_APART and str(name).removesuffix("/reason") not in names_below:
            yield cut(str(name), 40), f"{value:g}" if isinstance(value, float) else text(value)


def _meaning(one: Explanation, verdict: Verdict) -> str:
    return described(one.reward).reasons.get(verdict.reason, "")


def _as_json(one: Explanation) -> dict[str, Any]:
    verdict = one.verdict
    found: dict[str, Any] = {"name": one.reward.name, "role": one.role, "weight": one.weight}
    if verdict is not None:
        found |= {**verdict._asdict(), "details": dict(verdict.details), "reason_says": _meaning(one, verdict)}
    return {**found, "was_asked": verdict is not None, "parts": [_as_json(part) for part in one.parts]}


def _typed(completion: str) -> str:
    """The completion as it was given, or what is on standard input."""
    if completion != "-":
        return completion
    if sys.stdin is None:
        refuse("there is no standard input to read the completion from.")
    # without the line break that echo adds; what is no UTF-8 is U+FFFD, as tokenizers write it
    return sys.stdin.buffer.read().decode(errors="replace").removesuffix("\n").removesuffix("\r")


def _conversation(file: str) -> dict[str, Any]:
    """The completion and the prompt of a JSON file by name: a list of messages, or a row as TRL has it.

    In a list, what stands before the first message of the assistant is the prompt.
    """
    try:
        found = json.loads(Path(file).read_bytes())
    except (ValueError, RecursionError) as error:
        refuse(f"{file} is not JSON ({cut(str(error), 200)}).")
    if isinstance(found, dict) and "completion" in found:
        return found
    messages = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    first = next((at for at, one in enumerate(messages) if one.get("role") == "assistant"), None)
    if first is None or messages != found:
        refuse(
            f'{file} must hold messages, one of them the assistant\'s, [{{"role": "assistant", "content": "…"}}], or '
            f'{{"prompt": …, "completion": …}}, not {cut(found, 80)}.'
        )
    return {"completion": messages[first:], "prompt": messages[:first] or None}


def _columns_of(reward: Reward, answer: str | None, given: Sequence[str]) -> dict[str, Any]:
    """The columns by name, with values as the reward wants them."""
    columns = {}
    for one in [*([] if answer is None else [f"answer={answer}"]), *given]:
        name, equals, value = one.partition("=")
        bare = name.removesuffix(":")
        if not equals or not bare:
            refuse(f'--column {cut(one, 80)!r} is not NAME=TEXT, such as --column choices=\'["a", "b"]\'.')
        if bare in columns:
            refuse(f"the column {cut(bare, 80)!r} is given twice.")
        columns[bare] = value
        if name != bare or reads_json(reward, bare):
            try:
                columns[bare] = json.loads(value)
            except (ValueError, RecursionError) as error:
                if name != bare:
                    refuse(f"the column {cut(bare, 80)!r} is not JSON ({cut(str(error), 200)}): {cut(value, 80)!r}.")
    return columns


def _token_ids(completion: Any, tokens: int | None, tokenizer: str | None) -> Sequence[int] | None:
    """Token ids to count: those of a tokenizer, or as many as were named, all different."""
    if tokenizer is None:
        return None if tokens is None else range(tokens)
    if tokens is not None:
        refuse("Give --tokens or --tokenizer, not both.")
    if not isinstance(completion, str):
        refuse("--tokenizer counts a text; for messages give --tokens N, or bind the reward's option tokenizer.")
    ids: list[int] = load_tokenizer(tokenizer)(completion, add_special_tokens=False)["input_ids"]
    return ids


def _trainer_state(step: str | None) -> dict[str, int] | None:
    """The step of a training, and of how many, as a trainer gives it."""
    if step is None:
        return None
    if not re.fullmatch(r"[0-9]{1,15}(/[0-9]{1,15})?", step):
        refuse(f"--step {cut(step, 80)!r} is neither a step nor a step of all, such as 50/200.")
    return dict(zip(("global_step", "max_steps"), map(int, step.split("/")), strict=False))
