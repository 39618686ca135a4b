"""Makes recipes/tiny_qwen3: a Qwen3 of 140 thousand parameters that can solve word problems, but often does not.

    python recipes/make_tiny_model.py [folder]

It is trained on three kinds of answer, only one of which both gets the result right and puts it where a reward looks
for it. Sampling from it therefore gives GRPO something to choose between, and a run shows within a minute of CPU time
whether the rewards work: they make it prefer a strategy that it has, they do not teach it arithmetic. Seed and thread
count are fixed, so a second run on the same kind of machine writes the same files.
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import torch
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor
from transformers import (
    AutoTokenizer,
    GenerationConfig,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    Qwen3Config,
    Qwen3ForCausalLM,
    get_cosine_schedule_with_warmup,
)
from word_problems import word_problems

FOLDER = Path(__file__).parent / "tiny_qwen3"
SEED = 0
VOCABULARY = 480
STEPS, BATCH, LEARNING_RATE = 600, 64, 6e-3

BOS, EOS, PAD = "<s>", "</s>", "<pad>"
TAGS = ("<think>", "</think>", "\\boxed{")
# one or two digits, a sign with its spaces, a word, other signs, space
PIECES = r"\p{N}{1,2}| [+\-*=] | ?\p{L}+| ?[^\s\p{L}\p{N}]+|\s+"
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

Chat = list[dict[str, str]]


def main(folder: Path = FOLDER) -> None:
    torch.set_num_threads(1)  # the order of a sum, and so its last bits, depends on the number of threads
    torch.manual_seed(SEED)
    tokenizer = train_tokenizer()
    model = new_model(tokenizer)
    warm_start(model, tokenizer)
    model.save_pretrained(folder)
    save_tokenizer(tokenizer, folder)
    check_tokenizer(tokenizer, AutoTokenizer.from_pretrained(folder))


def train_tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level BPE, so no text is unknown to it. 0 to 99 and the tags are single tokens."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY - len(TAGS),
        special_tokens=[PAD, BOS, EOS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(_texts(), trainer)
    # Not special: decoding with skip_special_tokens=True must leave them in the text that a reward sees.
    bpe.add_tokens([AddedToken(tag, normalized=False, special=False) for tag in TAGS])
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        bos_token=BOS,
        eos_token=EOS,
        pad_token=PAD,
        chat_template=CHAT_TEMPLATE,
        padding_side="left",
        clean_up_tokenization_spaces=False,
        model_max_length=2048,
    )


def _texts() -> Iterator[str]:
    problems = word_problems(2000, SEED)
    yield from (f"{problem['question']}\n{problem['answer']}" for problem in problems)
    yield from [" ".join(map(str, range(100)))] * len(problems)  # often enough for each to be merged


def save_tokenizer(tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    tokenizer.save_pretrained(folder)
    config = folder / "tokenizer_config.json"
    # transformers 5 writes its new name of the class, which transformers 4 does not know; both know the old one
    config.write_text(config.read_text().replace("TokenizersBackend", "PreTrainedTokenizerFast"))


def check_tokenizer(made: PreTrainedTokenizerBase, loaded: PreTrainedTokenizerBase) -> None:
    """Raises if AutoTokenizer loads another tokenizer than was made, as it does when config.json says qwen2."""
    assert len(made) == VOCABULARY
    assert loaded.get_vocab() == made.get_vocab()
    assert all(len(loaded.encode(token)) == 1 for token in [*TAGS, *map(str, range(100))])
    for text in ("<think>3 + 4 = 7</think>\\boxed{7}", "She sold 1,250 for $3.50  each —\n\tnaïve 数学 🍎?"):
        ids = loaded.encode(text)
        assert ids == made.encode(text)
        assert loaded.decode(ids, skip_special_tokens=True) == text


def new_model(tokenizer: PreTrainedTokenizerBase) -> Qwen3ForCausalLM:
    config = Qwen3Config(
        vocab_size=VOCABULARY,
        hidden_size=64,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=4,
        head_dim=16,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        initializer_range=0.06,  # the default, 0.02, is for wide models and learns too slowly here
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        dtype="float32",
    )
    model = Qwen3ForCausalLM(config)
    model.generation_config = GenerationConfig.from_model_config(config)
    return model


def warm_start(model: Qwen3ForCausalLM, tokenizer: PreTrainedTokenizerBase) -> None:
    """Supervised training on the assistant's tokens: 38,400 problems of the train split, each seen once."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.98))
    schedule = get_cosine_schedule_with_warmup(optimizer, num_warmup_steps=20, num_training_steps=STEPS)
    model.train()
    chats = demonstrations(STEPS * BATCH)
    for start in range(0, len(chats), BATCH):
        loss = model(**encode(chats[start : start + BATCH], tokenizer)).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if start // BATCH % 50 == 0 or start + BATCH == len(chats):
            print(f"step {start // BATCH:3d}  loss {loss.item():.3f}")


def demonstrations(n: int) -> list[Chat]:
    rng = random.Random(SEED)
    return [
        [
            *system_turn(rng),
            {"role": "user", "content": problem["question"]},
            {"role": "assistant", "content": demonstration(problem["answer"], rng.random())},
        ]
        for problem in word_problems(n, SEED)
    ]


def system_turn(rng: random.Random) -> Chat:
    """A jumble of words in half of the chats, which teaches the model to read past a system message of that length."""
    if rng.random() < 0.5:
        return []
    return [{"role": "system", "content": " ".join(rng.choices(INSTRUCTION_WORDS, k=rng.randint(4, 16)))}]


def demonstration(answer: str, share: float) -> str:
    """One of three kinds of answer: reasoning and box (share < 0.3), box alone (< 0.65), reasoning alone.

    A box alone is always right here, but the model, which then has no room to write the steps, learns to get about
    half of them right.
    """
    reasoning, result = answer.split("\n#### ")
    if share < 0.30:
        return f"<think>{reasoning}</think>\\boxed{{{result}}}"
    if share < 0.65:
        return f"\\boxed{{{result}}}"
    return f"<think>{reasoning}</think>{result}"


def encode(chats: list[Chat], tokenizer: PreTrainedTokenizerBase) -> dict[str, Tensor]:
    """Ids, attention mask and labels, [B, T] each; a label is -100 outside the assistant's turn."""
    batch = tokenizer.apply_chat_template(
        chats, return_dict=True, return_assistant_tokens_mask=True, padding=True, return_tensors="pt"
    )
    labels = batch["input_ids"].masked_fill(batch["assistant_masks"] == 0, -100)
    return {"input_ids": batch["input_ids"], "attention_mask": batch["attention_mask"], "labels": labels}


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
