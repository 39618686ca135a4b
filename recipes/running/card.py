"""The card of a trained model: from what, on what, for what and with what result it was trained."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import ModelCard, ModelCardData
from trl import GRPOTrainer, ModelConfig

from running.evaluation.summary import GREEDY_NOTE, title
from running.launch import launch_line
from running.settings import TaskArguments
from running.task import Task

__all__ = ["Card", "Figure", "figures", "launched", "save_card", "tried"]

PACKAGES = ("grpo-rewards", "trl", "transformers", "torch", "peft", "datasets", "accelerate")
# The settings that a reader looks for; of the others, those are listed that were set.
ALWAYS = (
    *("learning_rate", "num_generations", "generation_batch_size", "max_completion_length", "temperature"),
    *("loss_type", "beta", "seed", "dtype", "use_peft"),
)
# Named elsewhere in the card, about where and not what was trained, or derived from others.
NEVER = re.compile(
    "output_dir|model_name_or_path|model_revision|model_init_kwargs|reward_funcs|reward_weights|dataset_.*|system_prompt"
    "|.*_column|eval_s(ize|amples)|overwrite|report_to|logging_.*|log_.*|num_completions_to_print|run_name|hub_.*|save_.*"
    "|push_to_hub|do_.*|debug|use_cpu|dataloader_pin_memory|activation_checkpointing|steps_per_generation|disable_tqdm|.*_config|.*(token|password|secret).*"
)
RECIPES = Path(__file__).resolve().parents[1]
SECRET = re.compile(r"--\S*(token|password|secret|api_key)\S*", re.IGNORECASE)


# A mean over problems, None if none could be scored, and its 95 % interval, None if none is known.
Mean = tuple[float | None, tuple[float, float] | None]


@dataclass(frozen=True)
class Figure:
    """One figure of held-out problems.

    Attributes:
        name: of the figure, such as ``pass@4``, or of a reward and how the problems were answered.
        before: the mean before training.
        after: the mean after it.
        difference: the mean of what changed, problem by problem.
    """

    name: str
    before: Mean
    after: Mean
    difference: Mean


@dataclass(frozen=True)
class Card:
    """The content of a card.

    Attributes:
        name: of the model.
        base_model: what was trained: an id on the hub, or a folder.
        data: the problems, in words.
        dataset: their id on the hub, if they are from there.
        rewards: the weight of each reward, by its spec.
        settings: those that matter, by name.
        figures: of the held-out problems.
        held_out: how many these are, and how often each was sampled, in words.
        steps: how many were taken.
        launched: the command line.
        machine: on what it ran, in words.
        adapter: whether the model is an adapter.
        system_prompt: what was put before every problem.
        tried: a command line that prompts the model, if there is one.
        curve: the file of the reward curve beside the card, if there is one.
    """

    name: str
    base_model: str
    data: str
    dataset: str | None
    rewards: Mapping[str, float]
    settings: Mapping[str, Any]
    figures: Sequence[Figure]
    held_out: str
    steps: int
    launched: str
    machine: str
    adapter: bool
    system_prompt: str | None
    tried: str | None
    curve: str | None

    def written(self) -> ModelCard:
        """The card as the hub has it: metadata, and a page."""
        data = ModelCardData(
            base_model=self.base_model if on_hub(self.base_model) else None,
            datasets=self.dataset,
            library_name="peft" if self.adapter else "transformers",
            model_name=self.name,
            pipeline_tag="text-generation",
            tags=["grpo", "trl", "grpo-rewards", "generated_from_trainer", *(["lora"] if self.adapter else [])],
        )
        return ModelCard(f"---\n{data.to_yaml()}\n---\n\n" + "\n".join(self._page()))

    def _page(self) -> Iterator[str]:
        what = "An adapter of" if self.adapter else "A version of"
        yield f"# {self.name}\n"
        yield f"{what} {linked(self.base_model)}, trained for {self.steps} steps with GRPO on {self.data}.\n"
        yield "## What was rewarded\n"
        yield from table(("reward", "weight"), [(f"`{spec}`", weight) for spec, weight in self.rewards.items()])
        yield "Each is explained in grpo-rewards' `docs/rewards.md`.\n"
        if self.system_prompt:
            yield f"Before every problem stood:\n\n> {' '.join(self.system_prompt.split())}\n"
        yield "## Held-out problems\n"
        yield from self._results()
        if self.curve:
            yield f"![the rewards by step]({self.curve})\n"
        yield "## How it was trained\n"
        yield f"```shell\n{self.launched}\n```\n"
        yield f"It ran on {self.machine}.\n"
        yield from table(("setting", "value"), [(f"`{name}`", f"`{value}`") for name, value in self.settings.items()])
        if self.tried:
            yield f"## Try it\n\n```shell\n{self.tried}\n```\n"
        yield "## Versions\n"
        yield ", ".join(f"{package} {version(package)}" for package in PACKAGES) + "\n"

    def _results(self) -> Iterator[str]:
        if not self.figures:
            yield "None were evaluated.\n"
            return
        yield f"{self.held_out}\n"
        if all(one.before[0] is None for one in self.figures):  # an evaluation that was not run
            yield from table(("mean", "after"), [(one.name, shown(one.after)) for one in self.figures])
        else:
            rows = [(one.name, shown(one.before), shown(one.after), shown(one.difference, "+")) for one in self.figures]
            yield from table(("mean", "before", "after", "difference"), rows)
        if any(one.after[1] or one.difference[1] for one in self.figures):
            yield "In brackets: 95 % intervals over problems; of the difference, paired by problem.\n"


def save_card(
    folder: Path,
    task: Task,
    trainer: GRPOTrainer,
    results: Mapping[str, Any],
    script: TaskArguments,
    model: ModelConfig,
) -> None:
    """Writes the card of a run that ended into its output folder."""
    training = trainer.args
    weights = training.reward_weights or [1.0] * len(script.reward_funcs or ())
    device = f" of {trainer.accelerator.num_processes} processes" if trainer.accelerator.num_processes > 1 else ""
    Card(
        name=folder.absolute().name,
        base_model=model.model_name_or_path,
        data=data_in_words(task, script),
        dataset=script.dataset_name if script.dataset_name and on_hub(script.dataset_name) else None,
        rewards=dict(zip(script.reward_funcs or (), weights, strict=True)),
        settings={**card_settings(training), **card_settings(model), **card_settings(script)},
        figures=figures(results),
        held_out=f"{results['problems']} problems; sampled is the mean of {results['samples']} samples of each."
        + f" {GREEDY_NOTE}" * ("greedy" in results["after"]),
        steps=trainer.state.global_step,
        launched=launched(launch_line(), sys.argv),
        machine=f"{hardware(trainer)}{device}",
        adapter=model.use_peft,
        system_prompt=script.system_prompt,
        tried=tried(task, trainer),
        curve="reward_curve.png" if (folder / "reward_curve.png").is_file() else None,
    ).written().save(folder / "README.md")


def figures(results: Mapping[str, Any]) -> list[Figure]:
    """The figures in what the evaluations found, in the order of their table: what was sampled first."""
    return [
        Figure(
            f"`{title(what, name)}`" if "@" in what else f"`{name}`, {what}",
            *(mean_of(results[when].get(what, {}).get(name)) for when in ("before", "after", "difference")),
        )
        for what in ("sampled", "greedy", "pass@k", "maj@k")
        for name in results["after"].get(what, {})
    ]


def mean_of(found: Mapping[str, Any] | None) -> Mean:
    """The mean in one figure of an evaluation, and its interval."""
    if not found:
        return None, None
    interval = found.get("interval")
    return found["mean"], (interval[0], interval[1]) if interval else None


def tried(task: Task, trainer: GRPOTrainer) -> str | None:
    """A command line that prompts the model: on the hub, or in its folder. ``None`` for a task of no recipe.

    A script may train on another one's task, so its own name need not be that of a task.
    """
    known = (vars(module) for module in list(sys.modules.values()) if hasattr(module, "__dict__"))
    named = (Path(one["__file__"]).resolve() for one in known if one.get("TASK") is task and one.get("__file__"))
    recipe = next((path for path in named if path.parent == RECIPES and "\nTASK = " in path.read_text()), None)
    if recipe is None:
        return None
    ask, hub = Path(sys.argv[0]).parent / "ask.py", getattr(trainer, "hub_model_id", None)
    model = hub if trainer.args.push_to_hub and hub else trainer.args.output_dir
    question = ["a question"]
    if task.ask is not None:  # the question is made of several columns, so they are shown
        problem = trainer.train_dataset[0]
        question = ["--row", json.dumps({column: problem.get(column, "?") for column in task.columns})]
    return shlex.join(["python", str(ask), model, "--task", recipe.stem, *question])


def data_in_words(task: Task, script: TaskArguments) -> str:
    """The problems of a run, as a sentence about it ends."""
    if script.dataset_path is not None:
        return f"the problems of `{Path(script.dataset_path).name}`"
    if script.dataset_name is not None:
        return linked(script.dataset_name, "datasets/") + f" (split `{script.dataset_train_split}`)"
    return f"generated problems ({task.name})"


def card_settings(settings: Any) -> dict[str, Any]:
    """The settings that a reader looks for, and those that are not as they are by default."""
    shown_settings = {}
    for field in fields(settings):
        value = getattr(settings, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if field.name in ALWAYS or (value != default and value is not None and not NEVER.fullmatch(field.name)):
            shown_settings[field.name] = getattr(value, "value", value)  # of an enum, what was given
    return shown_settings


def launched(parent: Sequence[str], own: Sequence[str]) -> str:
    """The command line as it can be given again, without what is secret: the launcher's, if one started the script."""
    at = next((i for i, word in enumerate(parent[:3]) if Path(word).name in ("accelerate", "torchrun")), None)
    words = ["python", *own] if at is None else [Path(parent[at]).name, *parent[at + 1 :]]
    for i, word in enumerate(words):
        if SECRET.fullmatch(word.partition("=")[0]):
            if "=" in word:
                words[i] = word.partition("=")[0] + "=HIDDEN"
            elif i + 1 < len(words):
                words[i + 1] = "HIDDEN"
    return shlex.join(words)


def hardware(trainer: GRPOTrainer) -> str:
    """The device's name, or that it is a CPU."""

    device = trainer.accelerator.device
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type.upper()


def on_hub(name: str) -> bool:
    """Whether a name is an id of the hub, and no folder here."""
    return re.fullmatch(r"\w[\w.-]*/[\w.-]+", name) is not None and not Path(name).exists()


def linked(name: str, kind: str = "") -> str:
    """A link to what is on the hub; of a folder its name, for where it is means nothing elsewhere."""
    return f"[{name}](https://huggingface.co/{kind}{name})" if on_hub(name) else f"`{Path(name).name}`"


def shown(found: Mean, sign: str = "") -> str:
    mean, interval = found
    if mean is None:
        return "none scored"
    return f"{mean:{sign}.3f}" + (f" [{interval[0]:{sign}.3f}, {interval[1]:{sign}.3f}]" if interval else "")


def table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """A table of markdown, and a blank line."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(str(cell).replace('|', '&#124;') for cell in row)} |"
    yield ""
