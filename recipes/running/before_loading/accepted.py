"""Values that TRL, transformers or torch refuse once they use them: each is handed to what uses it, before a model is
loaded. No range is stated here."""

from __future__ import annotations

import ast
import difflib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy
import torch
from transformers import GenerationConfig, Trainer, get_scheduler
from transformers.generation.logits_process import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)
from trl import GRPOConfig, GRPOTrainer

from running.before_loading.model_files import first_line

__all__ = ["refused"]

REFUSALS = (ValueError, TypeError, ImportError, RuntimeError)
PROCESSORS: dict[str, Callable[[Any], Any]] = {
    "temperature": TemperatureLogitsWarper,
    "top_p": TopPLogitsWarper,
    "top_k": TopKLogitsWarper,
    "min_p": MinPLogitsWarper,
    "repetition_penalty": RepetitionPenaltyLogitsProcessor,
}
NEUTRAL = {"temperature": 1, "top_p": 1, "top_k": 0, "min_p": 0, "repetition_penalty": 1}


def refused(training: GRPOConfig) -> Iterator[str]:
    """A message for each field whose value would end the run once it is used, or would be passed over in silence."""
    yield from unknown_names(training)
    for field, use in USES.items():
        value = getattr(training, field)
        if value is None:
            continue
        try:
            use(training)
        except REFUSALS as error:
            yield f"--{field} {getattr(value, 'value', value)}: {first_line(error)}"


def unknown_names(training: GRPOConfig) -> Iterator[str]:
    """A message for each field whose text the trainer compares with known ones, and is none of them."""
    for field, names in names_compared(GRPOTrainer).items():
        value = getattr(training, field, None)
        if isinstance(value, str) and value not in names:
            near = difflib.get_close_matches(value, sorted(names), n=1)
            proposed = f" Did you mean {near[0]}?" if near else ""
            yield f"--{field} {value} is unknown. Known: {', '.join(sorted(names))}.{proposed}"


@cache
def names_compared(trainer: type) -> Mapping[str, frozenset[str]]:
    """By field the texts with which a trainer's code compares it, where it raises an error for all others.

    That is, in a chain of ``if self.field == "…"`` and ``elif self.field in […]`` whose ``else`` raises.
    """
    found: dict[str, frozenset[str]] = {}
    for node in ast.walk(ast.parse(inspect.getsource(inspect.getmodule(trainer) or trainer))):
        tests: list[tuple[str | None, frozenset[str]]] = []
        rest: Sequence[ast.AST] = [node]
        while len(rest) == 1 and isinstance(one := rest[0], ast.If):
            tests.append(compared(one.test))
            rest = one.orelse
        fields = {field for field, _ in tests}
        if len(tests) > 1 and len(fields) == 1 and rest and isinstance(rest[0], ast.Raise) and None not in fields:
            (field,) = fields
            # chains about one field may each leave out what another one let through
            found[str(field)] = found.get(str(field), frozenset()).union(*(names for _, names in tests))
    return found


def compared(test: ast.expr) -> tuple[str | None, frozenset[str]]:
    """The field and the texts of ``self.field == "…"`` or ``self.field in […]``; ``None`` for another test."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq | ast.In):
        return None, frozenset()
    field, texts = test.left, test.comparators[0]
    if not (isinstance(field, ast.Attribute) and isinstance(field.value, ast.Name) and field.value.id == "self"):
        return None, frozenset()
    try:
        value = ast.literal_eval(texts)
    except ValueError:
        return None, frozenset()
    several = value if isinstance(value, list | tuple) else [value]
    return (field.attr, frozenset(several)) if all(isinstance(one, str) for one in several) else (None, frozenset())


def process(values: Mapping[str, Any]) -> None:
    """Builds what changes the next token's probabilities in transformers, which leaves out what changes nothing."""
    for name, kind in PROCESSORS.items():
        value = values.get(name)
        if value is not None and value != NEUTRAL[name]:
            kind(value)


def processed(field: str) -> Callable[[GRPOConfig], None]:
    return lambda training: process({field: getattr(training, field)})


def generation(training: GRPOConfig) -> None:
    """Builds the generation config; transformers passes over a name that it does not know."""
    more = training.generation_kwargs or {}
    if training.use_vllm:  # which takes other names, and refuses those that it does not know
        return
    known = GenerationConfig().to_dict()
    for name in more:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            raise ValueError(f"generation has no setting '{name}'." + (f" Did you mean '{near[0]}'?" if near else ""))
    GenerationConfig(**{"do_sample": True, "max_new_tokens": training.max_completion_length, **more}).validate()
    process(more)


def optimizer(training: GRPOConfig) -> None:
    if training.optim_target_modules is None:  # else it looks for them in a model
        Trainer.get_optimizer_cls_and_kwargs(training, torch.nn.Linear(1, 1))


def schedule(training: GRPOConfig) -> None:
    get_scheduler(
        training.lr_scheduler_type,
        optimizer=torch.optim.SGD([torch.zeros(1)]),
        num_warmup_steps=1,
        num_training_steps=10,
        scheduler_specific_kwargs=dict(training.lr_scheduler_kwargs or {}),
    )


# Of each field what uses it.
USES: dict[str, Callable[[GRPOConfig], Any]] = {
    "temperature": processed("temperature"),
    "top_p": processed("top_p"),
    "min_p": processed("min_p"),
    "repetition_penalty": processed("repetition_penalty"),
    "top_k": lambda training: None if training.use_vllm else process({"top_k": training.top_k}),
    "max_completion_length": lambda training: GenerationConfig(
        max_new_tokens=training.max_completion_length
    ).validate(),
    "generation_kwargs": generation,
    "seed": lambda training: numpy.random.RandomState(training.seed),
    "optim": optimizer,
    "lr_scheduler_type": schedule,
}
