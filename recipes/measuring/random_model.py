"""A model of a known shape with random weights, and a tokenizer that knows all of its words: nothing is downloaded."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from embedded import TINY_WORD_PROBLEMS
from embedded.warm_up import INSTRUCTION_WORDS
from on_paper.shapes import Shape
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedTokenizerBase, Qwen2Config

__all__ = ["HEAD", "long_system_prompt", "write_random_model"]

HEAD = 64  # the width of a head, as Qwen2.5-0.5B has it


def write_random_model(folder: Path, shape: Shape, head: int = HEAD) -> PreTrainedTokenizerBase:
    """Writes a Qwen2 of that shape, in bfloat16, and its tokenizer into a folder. Returns the tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder, shape.words)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    config = Qwen2Config(
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.queries // head,
        num_key_value_heads=shape.keys // head,
        intermediate_size=shape.inner,
        vocab_size=shape.words,
        tie_word_embeddings=shape.tied,
        max_position_embeddings=32768,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    torch.manual_seed(0)
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.save_pretrained(folder)
    del model
    if torch.cuda.is_available():
        torch.cuda.empty_cache()  # it is another process that is going to need the memory
    return tokenizer


def write_tokenizer(folder: Path, words: int) -> None:
    """The tiny model's tokenizer with made-up words up to a number, which a model can generate and no text has."""
    tokenizer = AutoTokenizer.from_pretrained(TINY_WORD_PROBLEMS)
    tokenizer.save_pretrained(folder)
    path = folder / "tokenizer.json"
    tokenizer_file = json.loads(path.read_text(encoding="utf-8"))
    vocabulary = tokenizer.get_vocab()
    tokenizer_file["model"]["vocab"] = vocabulary | {f"Ġw{word}": word for word in range(len(vocabulary), words)}
    path.write_text(json.dumps(tokenizer_file, ensure_ascii=False), encoding="utf-8")


def long_system_prompt(tokenizer: PreTrainedTokenizerBase, tokens: int) -> str:
    """A text of that many tokens, or nearly."""
    ids = tokenizer(" ".join(INSTRUCTION_WORDS * (tokens // len(INSTRUCTION_WORDS) + 1)))["input_ids"]
    return str(tokenizer.decode(ids[:tokens], skip_special_tokens=True))
