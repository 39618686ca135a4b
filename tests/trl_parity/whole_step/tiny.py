"""A language model of a few thousand fixed weights, its tokenizer, its prompts, and what it is made to say."""

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

# both END_TOKEN, of the tokenizer, and STOP_TOKEN, of the model alone, end a completion
PAD_TOKEN, END_TOKEN, STOP_TOKEN = 0, 1, 2
TINY_LETTERS = "abcdefghijklmnopqrstuvwxyz"
VOCABULARY = ("<pad>", "<end>", "<stop>", *TINY_LETTERS)
# Of so many completions none has an end, so that there are steps in which all is truncated.
MANY_SAID, NONE_ENDS = 4096, range(16, 24)
# How many prompts an evaluation has. On two ranks it is a multiple of what both take at once, or accelerate, which
# counts prompts where there are completions, would leave some losses of the last batch out of the mean.
EVALUATED_PROMPTS = 8
CHAT_TEMPLATE = (
    "{% for one in messages %}{{ one['content'] }} {% endfor %}{% if add_generation_prompt %}{{ closing }}{% endif %}"
)


def saved_model(folder: Path) -> str:
    """Writes the model to a folder, in float64, with its tokenizer, and returns the folder's name.

    Its positions are learned ones, so that a wrong attention mask of the prompt's padding shows in every number.
    """
    from transformers import OPTConfig, OPTForCausalLM

    config = OPTConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=16,
        word_embed_proj_dim=16,
        ffn_dim=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=64,
        pad_token_id=PAD_TOKEN,
        bos_token_id=END_TOKEN,
        eos_token_id=END_TOKEN,
        tie_word_embeddings=False,
        dropout=0.0,
        attention_dropout=0.0,
        attn_implementation="sdpa",
    )
    model = OPTForCausalLM(config).double()
    fix_weights(model, seed=11)
    model.generation_config.eos_token_id = STOP_TOKEN
    model.save_pretrained(str(folder))
    saved_tokenizer().save_pretrained(str(folder))
    return str(folder)


def fix_weights(model: Any, seed: int, scale: float = 0.4, of_vectors: float = 1.0) -> None:
    """Gives a model weights that are always the same, and so far from 0 that tokens differ in their probability."""
    generator = torch.Generator().manual_seed(seed)
    for weight in model.parameters():
        drawn = torch.randn(weight.shape, generator=generator, dtype=torch.float64) * scale
        weight.data.copy_(drawn + (of_vectors if weight.dim() == 1 else 0.0))


def saved_tokenizer(marks: bool = False) -> Any:
    """Returns a tokenizer that has a token for each letter, and a chat template of its own.

    Args:
        marks: whether it marks where a text begins and where it ends, as most tokenizers do one or the other. Where a
            chat template wrote the text, all marks are the template's.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(
        models.WordLevel({word: at for at, word in enumerate(VOCABULARY)}, unk_token=VOCABULARY[PAD_TOKEN])
    )
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if marks:
        first, last = VOCABULARY[STOP_TOKEN], VOCABULARY[END_TOKEN]
        words.post_processor = processors.TemplateProcessing(
            single=f"{first} $A {last}", special_tokens=[(first, STOP_TOKEN), (last, END_TOKEN)]
        )
    return PreTrainedTokenizerFast(
        tokenizer_object=words,
        pad_token=VOCABULARY[PAD_TOKEN],
        eos_token=VOCABULARY[END_TOKEN],
        additional_special_tokens=[VOCABULARY[STOP_TOKEN]],
        padding_side="left",
        chat_template=CHAT_TEMPLATE,
    )


def questions(count: int, chat: bool = False) -> list[dict[str, Any]]:
    """Returns rows of a dataset: prompts of one to four letters, no two the same, and two columns for the rewards."""
    texts = [" ".join([TINY_LETTERS[at], *TINY_LETTERS[: at % 4]]) for at in range(count)]
    prompts: list[Any] = [[{"role": "user", "content": text}] for text in texts] if chat else list(texts)
    return [{"prompt": prompt, "row": at, "wanted": TINY_LETTERS[at % 3]} for at, prompt in enumerate(prompts)]


def tokens_of(row: dict[str, Any], marks: bool = False) -> list[int]:
    """Returns the tokens that a row's prompt must become; a conversation ends in the letter z by its template.

    Args:
        row: of the dataset.
        marks: whether the tokenizer marks where a text begins and ends, which is not for conversations.
    """
    prompt = row["prompt"]
    if not isinstance(prompt, str):
        return [VOCABULARY.index(word) for word in f"{prompt[0]['content']} z".split()]
    tokens = [VOCABULARY.index(word) for word in prompt.split()]
    return [STOP_TOKEN, *tokens, END_TOKEN] if marks else tokens


def text_of(tokens: list[int]) -> str:
    """Returns the text of a completion, which has no special tokens."""
    return " ".join(VOCABULARY[token] for token in tokens if token > STOP_TOKEN)


class Script:
    """What the model is made to say: completions of all lengths, no two the same, with and without an end.

    Every fourth has none, and nor have eight in a row.
    """

    def __init__(self, rank: int, length: int) -> None:
        self.length, self.said = length, (MANY_SAID + 1) * rank  # so that ranks do not end the same of theirs
        self.generator = torch.Generator().manual_seed(rank)

    def completion(self) -> tuple[list[int], bool]:
        """Returns the next completion, and whether it has an end. Its first three letters number it."""
        letters = len(TINY_LETTERS)
        number, kind = self.said, self.said % 4
        kind = 2 if number % MANY_SAID in NONE_ENDS else kind
        self.said += 1
        start = [number // letters**2 % letters, number // letters % letters, number % letters]
        room = self.length - len(start) - 1
        more = int(torch.randint(0, room + 1, (1,), generator=self.generator))
        more = room + 1 if kind == 2 else more  # without an end, to the greatest length
        drawn = torch.randint(0, letters, (more,), generator=self.generator).tolist()
        tokens = [letter + STOP_TOKEN + 1 for letter in [*start, *drawn]]
        return (tokens, False) if kind == 2 else ([*tokens, STOP_TOKEN if kind == 1 else END_TOKEN], True)

    def generated(self, prompts: Tensor) -> Tensor:
        """Returns what ``generate`` would: prompts and completions, and after an end anything. [B, P] → [B, P + T]"""
        rows = torch.randint(STOP_TOKEN + 1, len(VOCABULARY), (len(prompts), self.length), generator=self.generator)
        rows[:, -1] = END_TOKEN
        for row in rows:
            tokens, _ = self.completion()
            row[: len(tokens)] = torch.tensor(tokens)
        return torch.cat([prompts, rows], dim=1)
