"""TRL's fused LM head, in tiles and without logits, checked against plain logits on models with all kinds of heads."""

import contextlib
import copy
import tempfile
from collections import ChainMap
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from quiet_training import QUIET
from tables import tables_beside
from torch import Tensor

from grpo_rewards.loss.logps import token_entropies, token_logps
from grpo_rewards.loss.trl_check.report import Report
from grpo_rewards.loss.trl_check.tiny import alone, quietly
from whole_step.comparing import FUSED, FUSED_GRADIENT, Findings
from whole_step.reward_functions import TINY_REWARDS
from whole_step.tiny import fix_weights, questions, saved_tokenizer

FUSED_HEAD = "fused head"
LEAST_OF_HEADS = {FUSED_HEAD: 115}
HEAD_TEMPERATURE = 0.7
TABLES = tables_beside(__file__)
# What a product in bfloat16, of 8 bits, may be off by, of log-probabilities of about 3
NEAR_IN_HALF = 0.05


class HeadCase(NamedTuple):
    """One model whose head is looked at.

    Attributes:
        name: what it is for.
        family: of transformers' configurations, such as ``Llama``.
        settings: of the configuration, on top of the usual ones.
        words: the size of the vocabulary.
        rows, length: of the batch.
        half: whether the weights are bfloat16; if not, they are float64.
        cast: whether a head in float32 is requested of TRL.
        routed: whether it is a mixture of experts whose auxiliary loss is requested.
        by_trainer: whether a ``GRPOTrainer`` gives it its head, by its settings.
        requested: the coefficient of the auxiliary loss in the trainer's settings; ``None``: it is left to the model.
        held: the one that it must take; ``None``: there is no auxiliary loss.
    """

    name: str
    family: str
    settings: dict[str, Any]
    words: int = 11
    rows: int = 2
    length: int = 9
    half: bool = False
    cast: bool = False
    routed: bool = False
    by_trainer: bool = False
    requested: float | None = None
    held: float | None = None


def _case(row: dict[str, Any]) -> HeadCase:
    """A row of the table: the settings that it shares with others, and its own."""
    shared = [TABLES[name] for name in row.pop("with", ())]
    return HeadCase(**{**row, "settings": dict(ChainMap(row.get("settings", {}), *shared))})


HEADS = tuple(map(_case, TABLES["heads"]))


def check_heads(report: Report) -> None:
    """Adds to a report how far TRL's fused heads are off: log-probabilities, entropies, and their gradients."""
    with alone(), quietly():
        for case in HEADS:
            if report.stopped:
                return
            findings = Findings(case.name)
            with report.failing(FUSED_HEAD, case.name):
                check_head(findings, case)
            report.differences += findings.found


def check_head(findings: Findings, case: HeadCase) -> None:
    """Compares what a model with TRL's head returns for a batch with the plain logits of a copy of it."""
    plain = _model(case)
    patched = (_of_trainer if case.by_trainer else _patched)(findings, case, copy.deepcopy(plain))
    ids, mask, labels = _batch(case)
    routed = {"output_router_logits": True} if case.routed else {}
    with _as_in_training(case):
        fused = patched(input_ids=ids, attention_mask=mask, labels=labels, fused_lm_head=True, **routed)
    wanted = labels[:, 1:] != -100
    logps, entropies, auxiliary = _plainly(case, plain, ids, mask, routed)
    near = NEAR_IN_HALF if case.half and not case.cast else FUSED
    findings.near(FUSED_HEAD, "log π", fused.log_probs, logps.detach() * wanted, near)
    findings.near(FUSED_HEAD, "entropy", fused.entropy, entropies.detach() * wanted, near)
    if case.routed:
        findings.near(FUSED_HEAD, "auxiliary loss", fused.aux_loss, auxiliary)
    if case.half:  # whose gradients are rounded to 8 bits after every layer
        return
    theirs, mine = (fused.log_probs, fused.entropy), (logps * wanted, entropies * wanted)
    for what, of in SCALARS.items():
        _compare_gradients(findings, what, _gradients(patched, of(*theirs)), _gradients(plain, of(*mine)))


def _as_in_training(case: HeadCase) -> contextlib.AbstractContextManager[None]:
    """Computes in bfloat16, as a trainer with ``bf16`` does, where TRL must take the head out of it."""
    return torch.autocast("cpu", torch.bfloat16) if case.cast else contextlib.nullcontext()


def _patched(_: Findings, case: HeadCase, model: Any) -> Any:
    from trl.trainer.utils import add_fused_lm_head

    outputs = ("log_probs", "entropy")
    add_fused_lm_head(model, temperature=HEAD_TEMPERATURE, cast_lm_head_to_fp32=case.cast, outputs=outputs)
    return model


def _of_trainer(findings: Findings, case: HeadCase, model: Any) -> Any:
    """Returns the model as a trainer has it, and compares the trainer's settings of the auxiliary loss."""
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    # not even None is passed where it is left to the model, so that the option's default is looked at, too
    requested = {} if case.requested is None else {"router_aux_loss_coef": case.requested}
    with tempfile.TemporaryDirectory() as folder:
        args = GRPOConfig(
            output_dir=folder, **QUIET, temperature=HEAD_TEMPERATURE, cast_lm_head_to_fp32=case.cast, **requested
        )
        trainer = GRPOTrainer(
            model=model,
            reward_funcs=list(TINY_REWARDS),
            args=args,
            train_dataset=Dataset.from_list(questions(8)),
            processing_class=saved_tokenizer(),
        )
    held = trainer.router_aux_loss_coef if trainer.aux_loss_enabled else None
    findings.same(FUSED_HEAD, "the coefficient of the auxiliary loss", held, case.held)
    return trainer.model.eval()


def _weighed(of: Tensor) -> Tensor:
    """Returns a sum in which each position has a weight of its own, so that none can stand for another."""
    return (of * torch.linspace(-1.0, 1.5, of.numel()).view_as(of).to(of)).sum()


SCALARS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "log π": lambda logps, entropies: _weighed(logps),
    "entropy": lambda logps, entropies: _weighed(entropies),
    "both": lambda logps, entropies: _weighed(logps) + 0.3 * _weighed(entropies.flip(0)),
}


def _gradients(model: Any, of: Tensor) -> dict[str, Tensor | None]:
    names, weights = zip(*model.named_parameters(), strict=True)
    return dict(zip(names, torch.autograd.grad(of, weights, retain_graph=True, allow_unused=True), strict=True))


def _compare_gradients(
    findings: Findings, what: str, theirs: dict[str, Tensor | None], mine: dict[str, Tensor | None]
) -> None:
    """Compares the gradients by the head itself, and all others together, relative to the greatest element."""
    for part, is_of_head in (("the head's weights", True), ("the layers below", False)):
        both = []
        for found in (theirs, mine):
            kept = [one.flatten() for name, one in found.items() if one is not None and ("head" in name) == is_of_head]
            both.append(torch.cat(kept) if kept else torch.zeros(0))
        if not any(of.numel() for of in both):  # a head that is the embeddings
            continue
        scale = both[1].abs().max() if both[1].numel() else 1.0
        findings.near(FUSED_HEAD, f"gradient of {what} by {part}", both[0] / scale, both[1] / scale, FUSED_GRADIENT)


def _model(case: HeadCase) -> Any:
    """Returns a model of fixed weights."""
    import transformers

    settings = {**TABLES["usual"], "vocab_size": case.words, **case.settings}
    config = getattr(transformers, f"{case.family}Config")(**settings)
    config._attn_implementation = config._experts_implementation = "eager"  # which have float64 and bounded logits
    model = transformers.AutoModelForCausalLM.from_config(config).double()
    fix_weights(model, seed=17, scale=0.5, of_vectors=0.5)
    return (model.bfloat16() if case.half else model).eval()


def _batch(case: HeadCase) -> tuple[Tensor, Tensor, Tensor]:
    """Returns tokens of the whole vocabulary, a mask with padding at the end, and labels of a part of them."""
    generator = torch.Generator().manual_seed(19)
    ids = torch.randint(1, case.words, (case.rows, case.length), generator=generator)
    ids[0, -3:] = torch.tensor([case.words - 1, 1, case.words // 2])  # of the first tile and of the last
    mask = torch.ones_like(ids)
    mask[1::2, -1:], mask[1::3, -2:] = 0, 0
    labels = ids.masked_fill(mask == 0, -100)
    labels[:, :4] = -100  # the prompt
    return ids, mask, labels


def _plainly(
    case: HeadCase, model: Any, ids: Tensor, mask: Tensor, routed: dict[str, bool]
) -> tuple[Tensor, Tensor, Any]:
    """Returns log-probabilities and entropies of all tokens but the first from the model's own logits, [B, T - 1]."""
    if case.cast:  # the layers in half precision, and a head of the same weights in float32
        head = model.get_output_embeddings()
        with _as_in_training(case):
            hidden = model.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
        logits = torch.nn.functional.linear(hidden.double(), head.weight.double(), head.bias.double())
        auxiliary = None
    else:
        output = model(input_ids=ids, attention_mask=mask, use_cache=False, **routed)
        logits, auxiliary = output.logits.double(), getattr(output, "aux_loss", None)
    logits = logits[:, :-1]
    return (token_logps(logits, ids[:, 1:], HEAD_TEMPERATURE), token_entropies(logits, HEAD_TEMPERATURE), auxiliary)
