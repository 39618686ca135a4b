"""Two tiny reward models of fixed weights, with tokenizers of their own, and what each must say of a completion.

All that TRL decides for a reward model shows in their numbers: their tokens are characters, so that it matters how
prompt and completion are joined; their positions are learned, so that padding on the left shifts them; their tokenizers
add a token to what they are not told to leave as it is; and their configurations name a letter as padding.
"""

from pathlib import Path
from typing import Any, NamedTuple

import torch

from whole_step.tiny import TINY_LETTERS, fix_weights

OPENS_A_TEXT = "^"  # what a tokenizer of a judge puts before a text if it is let


class Judge(NamedTuple):
    """One reward model.

    Attributes:
        name: of its folder, and so of its column.
        family: of transformers: ``Bert`` looks both ways, and judges by its first position; ``GPT2`` by the last one.
        specials: the tokens before the characters: what ends a text, what opens it, and perhaps what fills it up.
        labels: how many logits it has, of which the first is the reward.
        template: of its tokenizer, for conversations.
    """

    name: str
    family: str
    specials: str
    labels: int
    template: str

    @property
    def vocabulary(self) -> str:
        """The token of each character by its place, in another order than the policy's."""
        return f"{self.specials}{TINY_LETTERS[::-1]}: "

    def text(self, prompt: Any, said: str, closing: str) -> str:
        """Returns the text that is judged: prompt and completion as they are, or as the judge's own template says."""
        if isinstance(prompt, str):
            return prompt + said
        asked = prompt[0]["content"]
        return f"u:{asked}{closing}a:{said}{closing}" if self.family == "Bert" else f"{asked}:{said} {closing}"


JUDGES = (
    Judge(
        "a-given-judge",
        "Bert",
        f"|{OPENS_A_TEXT}",  # without padding, so that what ends a text must do
        2,
        "{% for one in messages %}{{ one['role'][0] }}:{{ one['content'] }}{{ closing }}{% endfor %}",
    ),
    Judge(
        "a-named-judge",
        "GPT2",
        f"|{OPENS_A_TEXT}_",
        1,
        "{% for one in messages %}{{ one['content'] }}{{ ' ' if loop.last else ':' }}{% endfor %}{{ closing }}",
    ),
)


def saved_judges(folder: Path) -> None:
    """Writes each judge to a folder of its name, in float32; the one that is named has its tokenizer there, too."""
    import transformers

    sizes = {
        "Bert": {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2},
        "GPT2": {"n_embd": 8, "n_layer": 1, "n_head": 2},
    }
    for seed, judge in enumerate(JUDGES):
        letter = judge.vocabulary.index("e")
        shared = {"vocab_size": len(judge.vocabulary), "num_labels": judge.labels, "pad_token_id": letter}
        within = {"bos_token_id": 1, "eos_token_id": 0, "max_position_embeddings": 64}
        config = getattr(transformers, f"{judge.family}Config")(**shared, **within, **sizes[judge.family])
        model = getattr(transformers, f"{judge.family}ForSequenceClassification")(config)
        fix_weights(model, seed)
        model.float().save_pretrained(str(folder / judge.name))
    tokenizer_of(JUDGES[1]).save_pretrained(str(folder / JUDGES[1].name))


def tokenizer_of(judge: Judge) -> Any:
    """Returns a judge's tokenizer, of characters."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokens = {character: at for at, character in enumerate(judge.vocabulary)}
    characters = Tokenizer(models.WordLevel(tokens, unk_token=judge.specials[0]))
    characters.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    opens = [(OPENS_A_TEXT, tokens[OPENS_A_TEXT])]
    characters.post_processor = processors.TemplateProcessing(single=f"{OPENS_A_TEXT} $A", special_tokens=opens)
    filled = {"pad_token": judge.specials[2]} if len(judge.specials) > 2 else {}
    return PreTrainedTokenizerFast(
        tokenizer_object=characters,
        eos_token=judge.specials[0],
        bos_token=OPENS_A_TEXT,
        model_input_names=["input_ids", "attention_mask"],
        padding_side="left",
        chat_template=judge.template,
        **filled,
    )


def model_of(judge: Judge, folder: Path) -> Any:
    """Returns a judge with the weights that were saved, in float64."""
    from transformers import AutoModelForSequenceClassification

    return AutoModelForSequenceClassification.from_pretrained(str(folder / judge.name), dtype=torch.float64)


class OwnJudge:
    """A copy of a judge that TRL has not touched, asked of one text at a time, so that nothing is filled up.

    Args:
        judge: which one.
        folder: where the judges are saved.
    """

    def __init__(self, judge: Judge, folder: Path) -> None:
        self.judge, self.model = judge, model_of(judge, folder)

    def __call__(self, prompt: Any, said: str, closing: str) -> float:
        """Returns its first logit of a prompt and a completion's text."""
        text = self.judge.text(prompt, said, closing)
        ids = torch.tensor([[self.judge.vocabulary.index(character) for character in text]])
        with torch.no_grad():
            body = self.model.base_model(input_ids=ids)
            if self.judge.family == "Bert":
                return float(self.model.classifier(body.pooler_output)[0, 0])
            return float(self.model.score(body.last_hidden_state)[0, -1, 0])
