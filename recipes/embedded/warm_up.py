"""Tiny models for the recipes: a tokenizer and a Qwen3 made for one kind of problem, warmed up on demonstrations.

The demonstrations are several kinds of answer, of which one earns what a recipe rewards. Sampling therefore gives GRPO
something to choose between, and a run shows within a minute of CPU time whether the rewards work: they make the model
prefer a strategy that it has, they do not teach it mathematics.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor
from transformers import (
    GenerationConfig,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    Qwen3Config,
    Qwen3ForCausalLM,
    get_cosine_schedule_with_warmup,
)

__all__ = ["Chat", "WarmUp", "chat", "make", "system_turn"]

BOS, EOS, PAD = "<s>", "</s>", "<pad>"
# A turn is opened by <s>, the assistant's by a newline: two tokens a prompt.
CHAT_TEMPLATE = """\
{%- for message in messages -%}
    {%- if message.role == 'assistant' -%}
        {{- '\\n' -}}{%- generation -%}{{- message.content + eos_token -}}{%- endgeneration -%}
    {%- else -%}
        {{- bos_token + message.content -}}
    {%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '\\n' -}}{%- endif -%}
"""

INSTRUCTION_WORDS = (
    "You are a helpful assistant. A user asks the question, and you solve it. First think about the problem step by "
    "step, then give only your final answer: put reasoning between <think> and </think> tags, result in \\boxed{}."
).split()

Chat = list[dict[str, Any]]


@dataclass(frozen=True)
class WarmUp:
    """How one tiny model is made.

    Attributes:
        folder: where it is kept.
        texts: what its tokenizer is trained on.
        demonstrations: as many chats as are requested, each with the assistant's turn.
        tags: texts that are one token each and stay in what a reward sees.
        vocabulary: size of the vocabulary, the tags among it.
        pieces: pattern of what the tokenizer never joins.
        shape: fields of ``Qwen3Config`` that are other than the usual 2 layers of width 64.
        steps, batch, learning_rate: of the supervised training.
        seed: of weights and demonstrations.
        template: of its chats.
        tools: that the chats may call, as JSON schemas.
        response_template: how tool calls are read from what it writes.
    """

    folder: Path
    texts: Callable[[], Iterator[str]]
    demonstrations: Callable[[int], list[Chat]]
    tags: tuple[str, ...]
    vocabulary: int
    # one or two digits, a sign with its spaces, a word, other signs, space
    pieces: str = r"\p{N}{1,2}| [+\-*=] | ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+"
    shape: Mapping[str, Any] = field(default_factory=dict)
    steps: int = 600
    batch: int = 64
    learning_rate: float = 6e-3
    seed: int = 0
    template: str = CHAT_TEMPLATE
    tools: list[dict[str, Any]] | None = None
    response_template: Mapping[str, Any] | None = None


def make(kind: WarmUp, folder: Path | None = None, device: str = "cpu") -> None:
    """Makes a tiny model and writes it to its folder, or to another one.

    Seed and thread count are fixed, so a second run on the same kind of machine writes the same files. On another
    device than a CPU it is trained in bfloat16, with weights in float32.
    """
    torch.set_num_threads(1)  # the order of a sum, and so its last bits, depends on the number of threads
    torch.manual_seed(kind.seed)
    tokenizer = train_tokenizer(kind)
    model = new_model(kind, tokenizer).to(device)
    warm_start(kind, model, tokenizer)
    folder = folder or kind.folder
    model.save_pretrained(folder)
    save_tokenizer(tokenizer, folder)


def train_tokenizer(kind: WarmUp) -> PreTrainedTokenizerFast:
    """Byte-level BPE, so no text is unknown to it."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(kind.pieces), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=kind.vocabulary - len(kind.tags),
        special_tokens=[PAD, BOS, EOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(kind.texts(), trainer)
    # Not special: decoding with skip_special_tokens=True must leave them in the text that a reward sees.
    bpe.add_tokens([AddedToken(tag, normalized=False, special=False) for tag in kind.tags])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        bos_token=BOS,
        eos_token=EOS,
        pad_token=PAD,
        chat_template=kind.template,
        padding_side="left",
        clean_up_tokenization_spaces=False,
        model_max_length=2048,
    )
    tokenizer.response_template = kind.response_template
    return tokenizer


def save_tokenizer(tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    tokenizer.save_pretrained(folder)
    config = folder / "tokenizer_config.json"
    # transformers 5 writes its new name of the class, which transformers 4 does not know; both know the old one
    config.write_text(config.read_text().replace("TokenizersBackend", "PreTrainedTokenizerFast"))


def new_model(kind: WarmUp, tokenizer: PreTrainedTokenizerBase) -> Qwen3ForCausalLM:
    shape = {
        "hidden_size": 64,
        "intermediate_size": 192,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "head_dim": 16,
        "max_position_embeddings": 2048,
        "initializer_range": 0.06,  # the default, 0.02, is for wide models and learns too slowly here
        **kind.shape,
    }
    config = Qwen3Config(
        vocab_size=kind.vocabulary,
        tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        dtype="float32",
        **shape,
    )
    model = Qwen3ForCausalLM(config)
    model.generation_config = GenerationConfig.from_model_config(config)
    return model


def warm_start(kind: WarmUp, model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerBase) -> None:
    """Supervised training on the assistant's tokens, each demonstration seen once."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=kind.learning_rate, betas=(0.9, 0.98))
    schedule = get_cosine_schedule_with_warmup(optimizer, num_warmup_steps=20, num_training_steps=kind.steps)
    model.train()
    chats = kind.demonstrations(kind.steps * kind.batch)
    for start in range(0, len(chats), kind.batch):
        batch = encode(chats[start : start + kind.batch], tokenizer, kind.tools)
        with torch.autocast(model.device.type, torch.bfloat16, enabled=model.device.type != "cpu"):
            loss = model(**{name: tensor.to(model.device) for name, tensor in batch.items()}).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if start // kind.batch % 50 == 0 or start + kind.batch == len(chats):
            print(f"step {start // kind.batch:3d}  loss {loss.item():.3f}")


def encode(
    chats: list[Chat], tokenizer: PreTrainedTokenizerBase, tools: list[dict[str, Any]] | None = None
) -> dict[str, Tensor]:
    """Ids, attention mask and labels, [B, T] each; a label is -100 outside the assistant's turns."""
    options = {"return_dict": True, "return_assistant_tokens_mask": True, "padding": True, "return_tensors": "pt"}
    batch = tokenizer.apply_chat_template(chats, tools=tools, **options)
    labels = batch["input_ids"].masked_fill(batch["assistant_masks"] == 0, -100)
    return {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"], "labels": labels}


def system_turn(rng: random.Random) -> Chat:
    """A jumble of words in half of the chats, which teaches the model to read past a system message of that length."""
    if rng.random() < 0.5:
        return []
    return [{"role": "system", "content": " ".join(rng.choices(INSTRUCTION_WORDS, k=rng.randint(4, 16)))}]


def chat(rng: random.Random, question: str, answer: Callable[[float], str]) -> Chat:
    """A chat with a system turn or without, and the answer to the question that a random share stands for."""
    before = [*system_turn(rng), {"role": "user", "content": question}]
    return [*before, {"role": "assistant", "content": answer(rng.random())}]
