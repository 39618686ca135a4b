"""A tiny model and a real ``GRPOTrainer`` of it, whose steps are watched, and copies on which TRL's methods are called.

``python -m grpo_rewards.loss.trl_check.tiny FOLDER`` takes such steps as two ranks, and writes what was seen there.
"""

import contextlib
import copy
import io
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch.multiprocessing.spawn import start_processes

from grpo_rewards.loss.trl_check.cases import ScoringCase
from grpo_rewards.loss.trl_check.contract import FORWARD_PASS, HOOKS, Forward
from grpo_rewards.loss.trl_check.watch import LossMismatch, watch_loss

WORDS = ("<pad>", "<end>", *"abcdefgh")  # few, so that many completions have an end
# What a step must show: a policy that moves away from the reference and between two uses of a completion, a window of
# two micro-batches, a quantile of all ranks, and evaluations between logs.
STEP_OPTIONS: dict[str, Any] = {
    "max_steps": 4,
    "gradient_accumulation_steps": 2,
    "steps_per_generation": 2,
    "num_iterations": 2,
    "beta": 0.1,
    "learning_rate": 0.02,
    "top_entropy_quantile": 0.8,
    "mask_truncated_completions": True,
    "eval_strategy": "steps",
    "eval_steps": 2,
    "logging_steps": 2,
}
RANKS_TIMEOUT = 240.0  # in seconds, from when their result is wanted; they need about 15 where nothing else runs
# By which a launcher, of torch, accelerate or MPI, tells a process that it is one of many, and how they compute.
LAUNCHER_PREFIXES = tuple(
    """
    RANK WORLD_SIZE NODE_RANK LOCAL_ GROUP_ ROLE_ MASTER_ TORCHELASTIC_ ACCELERATE_ FSDP_ PARALLELISM_CONFIG_
    OMPI_ PMI_ MPI_ MV2_COMM_
    """.split()
)


def by_letters(completion_ids: list[list[int]], **_: Any) -> list[float]:
    """A reward of where each token stands, other for each completion; exact in float32, not in bfloat16."""
    return [sum((at + 1) * token % 7 for at, token in enumerate(tokens)) / 8 - 2 + 2**-10 for tokens in completion_ids]


def by_length(completions: list[str], row: list[int], **_: Any) -> list[float | None]:
    """A reward of the length, ``None`` for some rows."""
    return [None if at % 5 == 0 else len(text) / 16 for text, at in zip(completions, row, strict=True)]


def tiny_trainer(folder: Path, **options: Any) -> Any:
    """Returns a ``GRPOTrainer`` of a model with two layers, random weights and a word for each letter.

    Args:
        folder: where the model is written, and what the trainer writes.
        options: of ``GRPOConfig``.
    """
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import OPTConfig, OPTForCausalLM, PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    words = Tokenizer(models.WordLevel({word: at for at, word in enumerate(WORDS)}, unk_token=WORDS[0]))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token=WORDS[0], eos_token=WORDS[1], padding_side="left"
    )
    ids = {"vocab_size": len(WORDS), "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1}
    sizes = {"hidden_size": 16, "word_embed_proj_dim": 16, "ffn_dim": 16, "num_hidden_layers": 2}
    config = OPTConfig(**ids, **sizes, num_attention_heads=2, max_position_embeddings=64, dropout=0.0, init_std=0.4)
    torch.manual_seed(11)
    OPTForCausalLM(config).float().save_pretrained(str(folder / "model"))
    rows = [{"prompt": " ".join(WORDS[2 + at % 5 :][: 1 + at % 4]), "row": at} for at in range(16)]
    # as many completions at once as neither an evaluation nor a batch made by hand has
    options = {
        "per_device_train_batch_size": 8,
        "per_device_eval_batch_size": 4,
        "num_generations": 4,
        "output_dir": str(folder),
        "report_to": "none",
        "save_strategy": "no",
        "max_completion_length": 8,
        "bf16": False,
        "use_cpu": True,
        "gradient_checkpointing": False,
        "disable_tqdm": True,
        "max_steps": 1,
        **options,
    }
    return GRPOTrainer(
        model=str(folder / "model"),
        reward_funcs=[by_letters, by_length],
        args=GRPOConfig(**options),
        train_dataset=Dataset.from_list(rows),
        eval_dataset=Dataset.from_list(rows[:4]),
        processing_class=tokenizer,
    )


def watched_steps(trainer: Any) -> dict[str, Any]:
    """Trains, checking every step, and returns what was seen as JSON can hold it."""
    watch, mismatch = watch_loss(trainer, every=1), ""
    try:
        trainer.train()
    except LossMismatch as error:
        mismatch = str(error)
    return {"excess": watch.excess, "losses": watch.counts["losses"], "mismatch": mismatch, "changed": watch.changed}


class _AsOneOf:
    """An accelerator that says that it is one of several, and gathers nothing."""

    sync_gradients = True

    def __init__(self, accelerator: Any, num_processes: int) -> None:
        self.accelerator, self.num_processes = accelerator, num_processes
        self.gather = self.gather_for_metrics = self.reduce = self.pad_across_processes = lambda own, *_, **__: own

    def __getattr__(self, name: str) -> Any:
        return getattr(self.accelerator, name)


def _copy(trainer: Any, training: bool, world_size: int, settings: dict[str, Any]) -> Any:
    """Returns a copy of a trainer with other settings, without what a watch put around its methods."""
    made = copy.copy(trainer)
    made.args, made.accelerator = copy.copy(trainer.args), _AsOneOf(trainer.accelerator, world_size)
    made._metrics = {"train": defaultdict(list), "eval": defaultdict(list)}
    made.model.training = training
    for name in HOOKS:
        vars(made).pop(name, None)
    for name, value in settings.items():
        holders = [one for one in (made, made.args) if hasattr(one, name)]
        if not holders:
            raise AttributeError(f"GRPOConfig has no option '{name}'")
        for one in holders:
            setattr(one, name, value)
    return made


def loss_trainer(trainer: Any, forward: Forward, training: bool, world_size: int, **settings: Any) -> Any:
    """Returns a copy of a trainer on which ``GRPOTrainer._compute_loss`` can be called.

    Args:
        trainer: which has trained.
        forward: what a model would compute.
        training: whether the model is in training mode.
        world_size: the number of ranks that TRL sees.
        settings: by the names that the trainer or its arguments have for them.

    Raises:
        AttributeError: settings that this TRL does not have.
    """
    made = _copy(trainer, training, world_size, settings)
    made._entropy_bonus_enabled = made.entropy_coef != 0 or made.use_adaptive_entropy
    made._last_world_entropy, made._entropy_window_stats, made._buffered_inputs = 0.1, None, None
    plain = forward._replace(auxiliary=None)
    setattr(made, FORWARD_PASS, lambda *_, **wanted: forward if wanted.get("compute_aux_loss") else plain)
    return made


def scoring_trainer(trainer: Any, case: ScoringCase) -> Any:
    """Returns a copy of a trainer on which ``GRPOTrainer._generate_and_score_completions`` can be called for a case."""
    made = _copy(trainer, True, 1, case.settings)
    rows, ids, sampled = len(case.lengths), [[1] * length for length in case.lengths], None
    if case.sampling_logps is not None:
        sampled = [row[:length].tolist() for row, length in zip(case.sampling_logps, case.lengths, strict=True)]
    made._generate = lambda *_, **__: ([[1]] * rows, ids, None, [""] * rows, sampled, {}, None, None)
    made._calculate_rewards = lambda *_, **__: case.rewards
    setattr(made, FORWARD_PASS, lambda *_, **__: (case.logps, None, None))
    made.reward_funcs = made.reward_func_names = [f"reward_{index}" for index in range(case.rewards.shape[1])]
    return made


@contextlib.contextmanager
def two_ranks(folder: Path, module: str = __name__) -> Iterator[Callable[[], list[bytes]]]:
    """Two processes that train together, by gloo, in the background; they end with the block. Call it ``alone()``.

    Args:
        folder: where they write what they saw, to files ``rank0`` and ``rank1``.
        module: that is run with the folder, and calls :func:`as_two_ranks`.

    Yields:
        What returns the contents of both files once both have ended. RuntimeError if they did not, or with an error.
    """
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = str(one.getsockname()[1])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "OMP_NUM_THREADS": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1",
        "WORLD_SIZE": "2",
        "LOCAL_WORLD_SIZE": "2",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": port,
    }
    command, log = [sys.executable, "-m", module, str(folder)], folder / "errors"
    with open(log, "w") as errors:
        process = subprocess.Popen(command, env=environment, stdout=errors, stderr=errors, start_new_session=True)

    def seen() -> list[bytes]:
        try:
            status = process.wait(RANKS_TIMEOUT)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"two ranks did not end within {RANKS_TIMEOUT:.0f} s") from None
        if status:
            raise RuntimeError(f"two ranks ended with status {status}: {log.read_text()[-1500:]}")
        return [(folder / f"rank{rank}").read_bytes() for rank in range(2)]

    try:
        yield seen
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def as_two_ranks(folder: Path, work: Callable[[int], bytes]) -> None:
    """Does some work as two ranks, each a fork of this process, and writes what it returns on each."""
    import trl  # noqa: F401 - once, for both; nothing was computed yet, so that there is no thread

    start_processes(_as_rank, (folder, work), nprocs=2, start_method="fork")  # type: ignore[no-untyped-call]


def _as_rank(rank: int, folder: Path, work: Callable[[int], bytes]) -> None:
    os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank)}
    torch.set_num_threads(1)
    found = work(rank)
    torch.distributed.destroy_process_group()
    (folder / f"rank{rank}").write_bytes(found)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Takes what a launcher says of ranks and precision out of the environment, and puts all back afterwards."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(LAUNCHER_PREFIXES)}
    with patch.dict(os.environ, kept, clear=True):  # which also drops what accelerate writes itself
        yield


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Keeps warnings and progress bars of the libraries to itself; their errors are raised all the same."""
    from transformers.utils import logging as transformers_logging

    bars = transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(action="ignore"), contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(before)
        if bars:
            transformers_logging.enable_progress_bar()


def main(folder: Path) -> None:
    """Takes watched steps as two ranks."""

    def work(rank: int) -> bytes:
        return json.dumps(watched_steps(tiny_trainer(folder / f"of_{rank}", **STEP_OPTIONS))).encode()

    as_two_ranks(folder, work)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
