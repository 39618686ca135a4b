"""What follows from the run's tokenizer: what its template opens, whose tokens count, whether tools can be called."""

import copy
import inspect
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from grpo_rewards.checks.findings import Finding, Findings, Severity, finding_of
from grpo_rewards.checks.setup.names import SetUp
from grpo_rewards.completion.reasoning.marks import THINK, USUAL_MARKS, Marks, marks_of
from grpo_rewards.completion.sections import opens_thinking
from grpo_rewards.errors import listed, shown
from grpo_rewards.registry import Reward, RewardError
from grpo_rewards.registry.interface import leaves
from grpo_rewards.rewards.building_blocks.policy_tokens import load_tokenizer

SAMPLE_QUESTION = "1 + 1?"
# Templates differ in what they take: some want content blocks.
TURNS: tuple[list[dict[str, Any]], ...] = (
    [{"role": "user", "content": SAMPLE_QUESTION}],
    [{"role": "user", "content": [{"type": "text", "text": SAMPLE_QUESTION}]}],
)
PROMPTS_LOOKED_AT = 1_000
# Reasons of a reward that requires reasoning; others only look behind it.
WANTING = frozenset(("no_thinking", "blank_reasoning"))
# Attributes of a tokenizer with which TRL makes messages of a text.
PARSING = ("response_template", "response_schema")
# Methods of an environment that are no tools.
NO_TOOLS = ("reset", "get_reward")


def opened_reasoning(run: SetUp) -> Findings:
    """Binds ``think_opened`` where the completion starts inside the reasoning, and yields what the template does.

    A trainer applies the template to message lists only, so nothing is bound for prompts that are plain text. Where the
    template opens another delimiter than ``<think>``, rewards that still have the default get the delimiters, too.
    """
    tokenizer, prompts = run.with_template, () if run.prompts is None else run.prompts[:PROMPTS_LOOKED_AT]
    if run.tokenizer is None:
        return
    if any(isinstance(prompt, str) for prompt in prompts):
        yield finding_of("template.not_applied")
        return
    if tokenizer is None:
        if prompts:
            yield finding_of("template.none")
        return
    rendered = _rendered(tokenizer, run.template_options, prompts)
    if isinstance(rendered, Finding):
        yield rendered
        return
    changed, opened = run.bind(partial(_bound, rendered)), _opened_by(rendered)
    kind = "bound_unseen" if changed and run.prompts is None else "bound" if changed or opened else "opens_none"
    yield from _contradicted(run.rewards, rendered)
    yield finding_of(f"template.{kind}", opening=(opened or THINK).opening, changed=changed or "none")
    yield from _reasoning_not_seen(run, rendered, tokenizer.chat_template)
    # a trainer has the template begin another turn behind one of the assistant
    if rows := [row for row, one in enumerate(prompts) if _roles(one)[-1:] == ("assistant",)]:
        yield finding_of("template.begun", rows=rows)


def _rendered(tokenizer: Any, options: Mapping[str, Any], prompts: Sequence[Any]) -> str | Finding:
    """What the template makes of the first prompt, or which prompt it refuses.

    Of the prompts one is tried for each order of roles, and where there are none, turns of our own.
    """
    tried: dict[tuple[Any, ...], tuple[int | None, Any]] = {}  # by the roles a row, and its prompt
    if not hasattr(tokenizer, "tokenizer"):  # for a processor a trainer writes the prompts in another form first
        for row, prompt in enumerate(prompts):
            if all(isinstance(turn, Mapping) and isinstance(turn.get("content"), str) for turn in prompt):
                tried.setdefault(_roles(prompt), (row, prompt))
    rendered = error = ""
    for place, turns in tried.values() or [(None, turns) for turns in TURNS]:
        try:
            made = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **options)
            rendered = rendered or (made if isinstance(made, str) else str(made[0]))
        except Exception as raised:  # noqa: BLE001  # a template is a program of its own, and may raise anything
            error = error or _named(raised)
            if place is not None:
                roles = listed(map(str, _roles(turns)))
                return finding_of("template.refuses", rows=[place], roles=roles, error=error)
    return rendered or finding_of("template.fails", error=error)


def _roles(prompt: Any) -> tuple[Any, ...]:
    turns = prompt if isinstance(prompt, list | tuple) else ()
    return tuple(turn.get("role") for turn in turns if isinstance(turn, Mapping))


def _named(error: Exception) -> str:
    """An exception as a message quotes it: its class, and what it says."""
    return f"{type(error).__name__}: {shown(str(error), 160)}"


def _opened_by(rendered: str) -> Marks | None:
    """The usual delimiters whose opening one ends the rendered prompt."""
    return next((marks for marks in USUAL_MARKS if opens_thinking(rendered, None, marks)), None)


def _looked_for(reward: Reward) -> tuple[str, Marks]:
    """(the option that says whether the prompt opened what a reward looks for first, or ``""``, those delimiters)."""
    options = reward.options
    first = next(iter(options.get("tags") or ()), None)
    if "opened" in options and first is not None:
        return "opened", Marks(f"<{first}>", "") if isinstance(first, str) else marks_of(first)
    return "think_opened" if "think_opened" in options else "", _marks_in(reward)


def _marks_in(reward: Reward) -> Marks:
    return marks_of(reward.options.get("reasoning") or THINK)


def _bound(rendered: str, reward: Reward) -> Reward:
    """The reward with the option found by ``_looked_for`` bound as the template has it, unless bound by hand."""
    option, marks = _looked_for(reward)
    if not option or reward.options[option] is not None:
        return reward
    bound: dict[str, Any] = {option: True}
    if not opens_thinking(rendered, None, marks):
        other = _opened_by(rendered)
        if other is None or option != "think_opened" or marks is not THINK:
            return reward
        bound["reasoning"] = tuple(other)
    return reward.bind(**bound)


def _contradicted(rewards: Sequence[Any], rendered: str) -> Findings:
    """A warning for each reward that was bound by hand to what the template does not do."""
    for reward in leaves(*rewards):
        option, marks = _looked_for(reward)
        bound = reward.options.get(option)
        if bound is not None and bound is not opens_thinking(rendered, None, marks):
            does = f"{'does not open' if bound else 'opens'} {marks.opening}"
            yield finding_of("template.contradicted", reward.name, option=option, bound=bound, does=does)


def _reasoning_not_seen(run: SetUp, rendered: str, template: Any) -> Findings:
    """Findings of what hides the reasoning from rewards: other, closed or undecoded delimiters."""
    reading = {one.name: one for one in leaves(*run.rewards) if "reasoning" in one.options}
    other = next((marks for marks in USUAL_MARKS if marks.opening in str(template)), THINK)
    unaware = [name for name, one in reading.items() if one.options["reasoning"] == THINK.opening]
    if other is not THINK and unaware:
        yield finding_of("template.other_delimiters", other=other, bound=repr(tuple(other)), names=listed(unaware))
    wanting = [name for name, one in reading.items() if WANTING.intersection(one.reasons)]
    closed = [name for name in wanting if _is_closed(rendered, _marks_in(reading[name]))]
    if closed:  # an empty <think></think>, by which templates disable thinking
        yield finding_of("template.closed", names=listed(closed))
    inner = run.inner_tokenizer
    if any(getattr(inner, name, None) for name in PARSING):
        return  # with which messages are made of a text, and the reasoning has a field of its own
    for mark in map(str, getattr(inner, "all_special_tokens", None) or ()):
        if names := [name for name, one in reading.items() if mark in _marks_in(one)]:
            yield finding_of("template.special_token", mark=mark, names=listed(names))


def _is_closed(rendered: str, marks: Marks) -> bool:
    return re.search(rf"{re.escape(marks.opening)}\s*{re.escape(marks.closing)}\s*$", rendered) is not None


def counted_tokens(run: SetUp) -> Findings:
    """Binds the run's tokenizer in rewards that count tokens, if they can load it again by its name.

    A check may not see the run's tools, since they are given to the trainer.
    """

    def counts(reward: Reward) -> bool:
        return "template_options" in reward.options and reward.options.get("tokenizer", "") is None

    names = ", ".join(one.name for one in run.rewards if isinstance(one, Reward) and any(map(counts, leaves(one))))
    severity: Severity = "warning" if run.has_tools else "note"
    name = str(getattr(run.inner_tokenizer, "name_or_path", ""))
    if not names:
        return
    if run.tokenizer is None:
        yield finding_of("tokens.unknown", severity=severity, names=names)
    elif why := _not_loaded(run, name):
        yield finding_of("tokens.not_bound", severity=severity, names=names, why=why)
    else:
        options = run.template_options or None
        run.bind(lambda one: one.bind(tokenizer=name, template_options=options) if counts(one) else one)
        yield finding_of("tokens.counted", names=names, name=shown(name))


def _not_loaded(run: SetUp, name: str) -> str:
    """Why the tokenizer that a name loads is not the run's; ``""`` if it is."""
    if not name:
        return "it has no name or path"
    try:
        loaded = load_tokenizer(name)
    except RewardError as error:
        return str(error)
    is_same = getattr(loaded, "chat_template", None) == getattr(run.with_template, "chat_template", None)
    return "" if is_same else f"under {shown(name)} there is another chat template"


def environments_made(run: SetUp) -> Findings:
    """Makes one environment of each kind. An error for each that cannot be made, or where nothing gives a reward."""
    factory = run.environment_factory
    several = isinstance(factory, Mapping)
    is_made = True
    for name, make in factory.items() if several else [("", factory)] if factory else []:
        try:
            run.environments.append(make())
        except Exception as error:  # noqa: BLE001  # a stranger's code, which may raise anything
            is_made, called = False, f"environment_factory[{name!r}]" if several else "environment_factory"
            yield finding_of("tools.not_made", called=called, error=_named(error))
    gives_reward = any(hasattr(type(one), "get_reward") for one in run.environments)
    if is_made and not gives_reward and not run.rewards and not run.findings:
        yield finding_of("rewards.none")


def tools_called(run: SetUp) -> Findings:
    """Errors for what TRL refuses of a run with tools or environments once a model is loaded, or in its first step."""
    if not run.has_tools:
        return
    from transformers.utils import get_json_schema

    tools = list(run.tools)
    for one in run.environments:
        methods = [name for name, _ in inspect.getmembers(type(one), inspect.isfunction) if not name.startswith("_")]
        tools += [getattr(one, name) for name in methods if name not in NO_TOOLS]
        if "reset" not in methods:
            yield finding_of("tools.no_reset", kind=type(one).__name__)
    for tool in tools:
        try:
            get_json_schema(tool)  # as the model will see it
        except Exception as error:  # noqa: BLE001  # it raises what the parts of a foreign signature raise
            name = getattr(tool, "__name__", shown(tool))
            yield finding_of("tools.not_described", name=name, error=shown(str(error), 160))
    if texts := [row for row, prompt in enumerate(run.prompts or ()) if isinstance(prompt, str)]:
        yield finding_of("tools.texts", rows=texts)
    if run.tokenizer is not None and (why := _refused_for_tools(run.tokenizer, bool(tools))):
        yield finding_of("tools.template", why=why)


def _refused_for_tools(tokenizer: Any, has_tools: bool) -> str:
    """Why TRL refuses a chat template for tools, or for an environment without any; ``""`` if it takes it."""
    try:
        from trl import chat_template_utils as trl_templates
    except ImportError:  # a TRL that trains with no tools
        return ""
    tokenizer = copy.deepcopy(tokenizer)  # on which TRL may set how replies are parsed
    inner = getattr(tokenizer, "tokenizer", tokenizer)
    try:
        if not trl_templates.supports_tool_calling(tokenizer):
            return "cannot render a conversation with calls of tools and their results."
        if has_tools and all(getattr(inner, name, None) is None for name in PARSING):
            tokenizer = trl_templates.add_response_schema(tokenizer)
        if has_tools and not trl_templates.is_chat_template_prefix_preserving(tokenizer):
            trl_templates.get_training_chat_template(tokenizer)
    except Exception as error:  # noqa: BLE001  # a template is a program of its own, and may raise anything
        return f"is refused by TRL: {error}"
    return ""
