"""The policy that is evaluated: that of a trainer, which answers exactly as it does in training."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import torch
from accelerate.utils import broadcast_object_list, gather_object
from trl import GRPOTrainer

__all__ = ["Answer", "Policy", "TrainersPolicy"]

Messages = list[dict[str, Any]]


class Answer(NamedTuple):
    """What a policy generated: its token ids, and the messages that a reward reads."""

    ids: list[int]
    completion: Messages


class Policy(Protocol):
    """Generates answers. Several processes generate together: each calls ``answers`` as often, with as many prompts."""

    rank: int
    processes: int

    @property
    def settings(self) -> dict[str, Any]:
        """All that decides the answers, but for the weights: two that are equal give the same answers."""

    def tokens(self, prompts: Sequence[Messages]) -> list[list[int]]:
        """The token ids of each prompt, as the template renders it."""

    def answers(self, prompts: Sequence[Messages], seeds: Sequence[int], *, greedy: bool) -> list[Answer]:
        """One answer to each prompt."""

    def everyones(self, mine: list[Any]) -> list[Any]:
        """What all processes have, in the order of their ranks."""

    def firsts(self, value: Any) -> Any:
        """What the first process has."""


class TrainersPolicy:
    """The policy that a trainer trains, which the trainer itself lets generate.

    So the chat template and its arguments, the sampling settings, the tokens that end an answer, vLLM where it is used,
    and sharded weights are those of training. Two things are not: the model is in evaluation mode, without dropout, and
    a greedy answer takes the likeliest token after the same penalties.

    Seeds are those of rows, but a batch has one generator, which begins with the seed of its first row; vLLM has its
    own generator, which no seed of ours reaches.
    """

    def __init__(self, trainer: GRPOTrainer) -> None:
        self.trainer = trainer
        self.rank: int = trainer.accelerator.process_index
        self.processes: int = trainer.accelerator.num_processes

    @property
    def settings(self) -> dict[str, Any]:
        trainer = self.trainer
        engine = getattr(trainer, "vllm_generation", None)
        options = trainer.generation_kwargs if engine is None else sampling_of(engine)
        return {
            "template": trainer.chat_template_kwargs,
            "generation": {name: options[name] for name in sorted(options)},
        }

    def tokens(self, prompts: Sequence[Messages]) -> list[list[int]]:
        ids: list[list[int]] = self.trainer._tokenize_prompts(list(prompts))[0]
        return ids

    def answers(self, prompts: Sequence[Messages], seeds: Sequence[int], *, greedy: bool) -> list[Answer]:
        with evaluating(self.trainer), answering(self.trainer, greedy), seeded(seeds[0], self.trainer.args.device):
            # in this order TRL returns them: the prompts' ids, the completions', the mask of tools, the completions
            _, ids, _, completions, *_ = self.trainer._generate(list(prompts))
        return [Answer(list(one), messages) for one, messages in zip(ids, completions, strict=True)]

    def everyones(self, mine: list[Any]) -> list[Any]:
        found: list[Any] = gather_object(mine)
        return found

    def firsts(self, value: Any) -> Any:
        return broadcast_object_list([value])[0] if self.processes > 1 else value


@contextmanager
def evaluating(trainer: GRPOTrainer) -> Iterator[None]:
    """Puts the model in evaluation mode, and keeps what TRL logs about these answers out of the run's log."""
    was_training, logged = trainer.model.training, trainer._metrics["eval"]
    trainer._metrics["eval"] = defaultdict(list)
    trainer.model.eval()
    try:
        yield
    finally:
        trainer.model.train(was_training)
        trainer._metrics["eval"] = logged


@contextmanager
def answering(trainer: GRPOTrainer, greedy: bool) -> Iterator[None]:
    """Has the trainer generate one answer to each prompt it is given, sampled as in training or greedy."""
    engine = getattr(trainer, "vllm_generation", None)
    changed: list[tuple[Any, str, Any]] = [(trainer, "num_generations_eval", 1)]
    if greedy and engine is not None:
        # behind the other settings, which a temperature among the generation_kwargs would overrule
        changed += [(engine, "temperature", 0.0), (engine, "generation_kwargs", greedily(engine.generation_kwargs))]
    elif greedy:
        changed.append((trainer, "generation_config", without_sampling(trainer.generation_config)))
    before = [(thing, name, getattr(thing, name)) for thing, name, _ in changed]
    try:
        for thing, name, value in changed:
            setattr(thing, name, value)
        yield
    finally:
        for thing, name, value in before:
            setattr(thing, name, value)


def greedily(options: dict[str, Any]) -> dict[str, Any]:
    """The user's own options for vLLM, of which a temperature does not hold for a greedy answer."""
    return {name: value for name, value in options.items() if name != "temperature"}


def without_sampling(config: Any) -> Any:
    """The same generation config with the likeliest token in place of a sampled one; it keeps the penalties."""
    config = copy.deepcopy(config)
    config.do_sample = False
    # what only sampling reads, at the values at which transformers does not warn that it is not read
    config.temperature, config.top_p, config.top_k, config.min_p = 1.0, 1.0, 50, None
    return config


def sampling_of(engine: Any) -> dict[str, Any]:
    """What TRL's vLLM engine samples with."""
    names = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", "max_completion_length")
    return {name: getattr(engine, name) for name in names} | {"more": engine.generation_kwargs}


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Draws from a generator with this seed, and leaves training's own where it was: no later step changes."""
    others = [] if device.type == "cpu" else [device]
    with torch.random.fork_rng(others, device_type="cuda" if device.type == "cpu" else device.type):
        torch.manual_seed(seed)
        yield
