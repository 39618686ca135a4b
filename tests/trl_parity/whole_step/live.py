"""Trains the tiny model by a real ``GRPOTrainer``, and returns all that happened."""

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import torch
from quiet_training import QUIET
from torch import Tensor

from grpo_rewards.loss.trl_check.contract import Generation, LossCall, Recording, bare
from grpo_rewards.loss.trl_check.expected import BatchSettings, batch_settings
from whole_step.by_type import losses_by_type, other_types
from whole_step.configured import HELD_SETTINGS, random_states
from whole_step.engines import generates_by_script, rollout_of, vllm_of
from whole_step.environment import given_tools
from whole_step.given_rewards import given_rewards, names_of_rewards
from whole_step.runs import CONTEXT_WITH_TOOLS, USUAL_SETTINGS, Run
from whole_step.tiny import EVALUATED_PROMPTS, Script, questions, saved_tokenizer
from whole_step.tools import ToolScript, saved_tokenizer_of_tools
from whole_step.turns import Turns, no_turns

Weights = dict[str, Tensor]


@dataclass(kw_only=True)
class Generated(Generation):
    """What was generated and scored at once on one rank, and what led to it.

    Attributes:
        rows: of the dataset, one for each completion.
        settings: what of the trainer's settings the batch depends on.
        asked: what ``generate`` was given, and what it said, if it was asked; with tools, once a turn.
        random_state: of torch before it, as a digest.
        turns: what must come of what was said; the check fills it in.
    """

    rows: list[dict[str, Any]]
    settings: BatchSettings
    asked: list[dict[str, Any]]
    random_state: str
    turns: Turns = field(default_factory=no_turns)


@dataclass
class Used:
    """One micro-batch on one rank.

    Attributes:
        step, micro_step, training: as of ``Generated``.
        rows: the number of each row that the data loader gave.
        inputs: what the loss was given.
        logps, entropies: by TRL, [B, T].
        loss: TRL's, a scalar; ``by_type``: what it would be by each other loss type.
        accumulation: how many micro-batches its window has.
        control: ``entropy_coef`` and ``_last_world_entropy`` after it.
    """

    step: int
    micro_step: int
    training: bool
    inputs: dict[str, Any]
    logps: Tensor
    entropies: Tensor
    loss: Tensor
    by_type: dict[str, Tensor]
    accumulation: int
    control: tuple[float, float]


@dataclass
class Seen:
    """All that happened in one run on one rank.

    Attributes:
        config: the settings as ``GRPOConfig`` has them; ``held``: as the trainer has them.
        rank, world_size: of this process, and how many there are.
        rewards: the name that each reward must have in the metrics.
        random_states: of a new trainer's process.
        asked_for: the numbers of the rows that the data loader gave, at each micro-batch of training.
        generated, used: in order.
        weights: before each step of the optimiser, and after the last.
        gradients: at each step of the optimiser.
        logs: what the trainer logged.
        table: of completions, the last of them; ``files``: the columns of each file of them, by its name.
        sampler: how many rows the sampler says that it has, and how many it has.
        saved: what a trainer had when it saved a checkpoint; ``restored``: what another one took over from it.
    """

    config: dict[str, Any]
    held: dict[str, Any]
    rank: int
    world_size: int
    rewards: list[str]
    random_states: dict[str, str]
    asked_for: list[list[int]] = field(default_factory=list)
    generated: list[Generated] = field(default_factory=list)
    used: list[Used] = field(default_factory=list)
    weights: list[Weights] = field(default_factory=list)
    gradients: list[Weights] = field(default_factory=list)
    logs: list[dict[str, Any]] = field(default_factory=list)
    table: dict[str, Any] = field(default_factory=dict)
    files: dict[str, dict[str, list[Any]]] = field(default_factory=dict)
    sampler: tuple[int, int] = (0, 0)
    saved: dict[str, Any] = field(default_factory=dict)
    restored: dict[str, Any] = field(default_factory=dict)


def train(run: Run, folder: Path) -> Seen:
    """Returns what happened in a run with the model that is saved in a folder, on this rank."""
    with _vllm_taken_over() as engines, tempfile.TemporaryDirectory(dir=folder) as written:
        asked: list[dict[str, Any]] = []
        trainer = _trainer(run, folder, Path(written), asked)
        seen = _seen(run, trainer)
        script = (ToolScript if run.tools else Script)(seen.rank, trainer.args.max_completion_length)

        def watch() -> None:
            generates_by_script(trainer, None if run.engine == "greedy" else script, asked)
            for engine in engines:
                engine.script, engine.asked = script, asked
            _Watcher(trainer, seen, asked, run.resumes)

        watch()
        trainer.train()
        if run.resumes is not None:
            trainer = _trainer(run, folder, Path(written), asked)
            watch()
            trainer.train(resume_from_checkpoint=str(Path(written) / f"checkpoint-{run.resumes}"))
        seen.logs = list(trainer.state.log_history)
        seen.table = {name: list(trainer._logs[name]) for name in ("prompt", "completion", "advantages")}
        seen.table["extra"] = {name: list(column) for name, column in trainer._logs["extra"].items()}
        if not run.streamed:
            sampler = trainer._get_train_sampler()
            seen.sampler = (len(sampler), len(list(sampler)))
        seen.table["rewards"] = {name: list(column) for name, column in trainer._logs["rewards"].items()}
        seen.files = {path.name: _columns(path) for path in (Path(written) / "completions").glob("*.parquet")}
    return seen


def _columns(path: Path) -> dict[str, list[Any]]:
    from pyarrow.parquet import read_table

    columns: dict[str, list[Any]] = read_table(path).to_pydict()
    return columns


def _trainer(run: Run, folder: Path, written: Path, asked: list[dict[str, Any]]) -> Any:
    from datasets import Dataset
    from transformers import AutoModelForCausalLM
    from trl import GRPOConfig, GRPOTrainer

    model: Any = str(folder)
    if not run.named:
        model = AutoModelForCausalLM.from_pretrained(str(folder), dtype=torch.float64, attn_implementation="sdpa")
    if run.tools:  # TRL asks this whether there is room for a result; the model has places for more
        model.config.max_position_embeddings = CONTEXT_WITH_TOOLS
    adapter = adapter_of(run)
    if run.adapter == "given":
        from peft import get_peft_model

        model = get_peft_model(model, adapter)
        _stirred(model)
    saves = {} if run.resumes is None else {"save_strategy": "steps", "save_steps": run.resumes}
    args = GRPOConfig(str(written), **{**QUIET, **saves, **USUAL_SETTINGS, **run.settings})
    rows = questions(run.prompts, run.chat)

    def dataset(rows: list[dict[str, Any]]) -> Any:
        made = Dataset.from_list(rows)
        return made.to_iterable_dataset() if run.streamed else made

    return GRPOTrainer(
        model=model,
        **given_rewards(run, folder),
        args=args,
        train_dataset=dataset(rows),
        eval_dataset=dataset(rows[:EVALUATED_PROMPTS]) if run.evaluates else None,
        processing_class=None if run.named else _tokenizer(run),
        **given_tools(run),
        peft_config=adapter if run.adapter == "new" else None,
        rollout_func=rollout_of(asked) if run.engine == "rollout" else None,
    )


def _tokenizer(run: Run) -> Any:
    tokenizer = saved_tokenizer(run.marks)
    return saved_tokenizer_of_tools(tokenizer) if run.tools else tokenizer


def adapter_of(run: Run) -> Any:
    """Returns the configuration of a run's adapter, or ``None``."""
    if run.adapter == "none":
        return None
    from peft import LoraConfig

    return LoraConfig(r=2, lora_alpha=4, target_modules=["q_proj", "v_proj", "fc1"], lora_dropout=0.3)


def _stirred(model: Any) -> None:
    """Gives an adapter weights other than 0, as one has that was trained before."""
    generator = torch.Generator().manual_seed(13)
    for name, weight in model.named_parameters():
        if "lora_B" in name:
            weight.data.copy_(0.3 * torch.randn(weight.shape, generator=generator, dtype=weight.dtype))


def _seen(run: Run, trainer: Any) -> Seen:
    config = {one.name: getattr(trainer.args, one.name) for one in fields(trainer.args) if one.init}
    held = {name: getattr(trainer, name, None) for name in HELD_SETTINGS}
    held["reward_weights"] = trainer.reward_weights.tolist()
    reference = trainer.ref_model
    held["policy"] = trainer.model.dtype
    held["reference"] = None if reference is None else (reference.dtype, reference.training)
    ranks = trainer.accelerator
    return Seen(config, held, ranks.process_index, ranks.num_processes, names_of_rewards(run), random_states())


class _Watcher(Recording):
    """Fills in what is seen while a trainer trains."""

    def __init__(self, trainer: Any, seen: Seen, asked: list[dict[str, Any]], stops_after: int | None) -> None:
        self.seen, self.asked = seen, asked
        self.before = sum(one.training for one in seen.used)  # a trainer that goes on counts micro-batches from 0
        self.rows: list[dict[str, Any]] = []
        self.random_state = ""
        super().__init__(trainer)
        prepare = trainer._prepare_inputs

        def prepared(batch: Any) -> Any:
            self.rows, self.random_state = [dict(row) for row in batch], random_states()["torch"]
            if trainer.model.training:
                self.seen.asked_for.append([row["row"] for row in self.rows])
            return prepare(batch)

        trainer._prepare_inputs = prepared
        trainer.add_callback(_steps(trainer, seen, stops_after))

    def on_generation(self, of: Generation) -> None:
        of.micro_step += self.before
        of.batch = {name: one.clone() if isinstance(one, Tensor) else one for name, one in of.batch.items()}
        settings = batch_settings(self.trainer, of.training)
        before = {"rows": self.rows, "asked": list(self.asked), "random_state": self.random_state}
        self.seen.generated.append(Generated(**vars(of), **before, settings=settings))
        self.asked.clear()

    def on_loss(self, call: LossCall) -> None:
        trainer, forward = self.trainer, call.forwards[0]
        if forward.entropies is None or call.loss is None:
            raise RuntimeError("TRL's loss was computed without entropies, or was none.")
        self.seen.used.append(
            Used(
                call.step,
                call.micro_step + self.before,
                call.training,
                call.inputs,
                forward.logps.detach().clone(),
                forward.entropies.detach().clone(),
                call.loss.detach().clone(),
                losses_by_type(trainer, call, other_types(self.seen.config)),
                trainer.current_gradient_accumulation_steps,
                (trainer.entropy_coef, trainer._last_world_entropy),
            )
        )


def _steps(trainer: Any, seen: Seen, stops_after: int | None) -> Any:
    """Returns a callback that copies weights and gradients, and ends the training once a step's checkpoint is there."""
    from transformers import TrainerCallback

    def weights() -> Weights:
        return {name: one.detach().clone() for name, one in bare(trainer, trainer.model).state_dict().items()}

    class Copies(TrainerCallback):  # type: ignore[misc, unused-ignore]
        def on_train_begin(self, *_: Any, **__: Any) -> None:
            if seen.weights:
                seen.restored = _kept(trainer, weights())
            else:
                seen.weights.append(weights())

        def on_save(self, _: Any, state: Any, control: Any, **__: Any) -> None:
            if state.global_step == stops_after:
                seen.saved = _kept(trainer, weights())
                control.should_training_stop = True

        def on_pre_optimizer_step(self, *_: Any, **__: Any) -> None:
            named = bare(trainer, trainer.model).named_parameters()
            seen.gradients.append({name: one.grad.clone() for name, one in named if one.grad is not None})

        def on_step_end(self, *_: Any, **__: Any) -> None:
            seen.weights.append(weights())

    return Copies()


def _kept(trainer: Any, weights: Weights) -> dict[str, Any]:
    """Returns what must be the same where a training goes on from a checkpoint as where it was saved."""
    moments = trainer.optimizer.state_dict()["state"]
    of_optimizer = {f"{at}, {name}": one.clone() for at, some in moments.items() for name, one in some.items()}
    control = {name: getattr(trainer, name) for name in ("entropy_coef", "_last_world_entropy")}
    return {**weights, **of_optimizer, **control, "tokens": trainer.state.num_input_tokens_seen}


@contextlib.contextmanager
def _vllm_taken_over() -> Iterator[list[Any]]:
    """Lets TRL take something of this package for vLLM, and gives what it made of it."""
    from trl.trainer import grpo_trainer

    made: list[Any] = []
    usual = getattr(grpo_trainer, "VLLMGeneration", None)
    grpo_trainer.VLLMGeneration = vllm_of(made)
    try:
        yield made
    finally:
        grpo_trainer.VLLMGeneration = usual
