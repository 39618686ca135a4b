"""What count_informative_tokens takes from honest texts and leaves of padding, with three tokenizers, and how fast.

    python tests/benchmarks/padding.py [--data DIR] [--every N]

The tokenizers are byte-level BPE and unigram of 8,000 pieces, trained on every other solution of GSM8K, and plain
characters; the solutions that are measured are the others.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from labelled import DATA, rows
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from grpo_rewards.completion.padding import count_informative_tokens

PIECES = 8_000
JOINED = 20  # solutions in one text
TIMED, RUNS = 100_000, 5  # characters of a text, and runs, of which the fastest counts
LOST, EARNED = 0.05, 0.1  # of an honest text's tokens, and of the tokens of padding
Encode = Callable[[str], list[int]]
Row = tuple[str, str, float]  # a kind, a text, and the share of its characters that is honest


def trained(texts: Iterable[str]) -> dict[str, Encode]:
    """The tokenizers by name."""
    texts = list(texts)
    bpe, unigram = Tokenizer(models.BPE()), Tokenizer(models.Unigram())
    bpe.pre_tokenizer, unigram.pre_tokenizer = (
        pre_tokenizers.ByteLevel(add_prefix_space=False),
        pre_tokenizers.Metaspace(),
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=PIECES, min_frequency=1, initial_alphabet=alphabet, show_progress=False)
    )
    unigram.train_from_iterator(
        texts,
        trainers.UnigramTrainer(vocab_size=PIECES, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False),
    )
    return {
        f"BPE {bpe.get_vocab_size():,}": lambda text: bpe.encode(text).ids,
        f"unigram {unigram.get_vocab_size():,}": lambda text: unigram.encode(text).ids,
        "characters": lambda text: [*map(ord, text)],
    }


def corpora(data: Path, solutions: Sequence[str], every: int) -> dict[str, list[Row]]:
    """The texts by corpus; all but the padded ones are honest throughout."""
    measured = solutions[1::2]
    joined = ["\n\n".join(measured[at : at + JOINED]) for at in range(0, len(measured), JOINED)]
    found = {
        "GSM8K, one solution": [("honest", text, 1.0) for text in measured[::every]],
        f"GSM8K, {JOINED} solutions": [("honest", text, 1.0) for text in joined[::every]],
        "long reasoning": [("honest", row["completion"], 1.0) for row in rows(data, "answers/long_real")],
    }
    for row in rows(data, "texts/texts"):
        text = row["text"] or "\n\n".join(solutions[line - 1] for line in row["gsm8k_lines"])
        name = row["kind"].partition("/")[0] + (" (hard)" if row["hard"] else "")
        found.setdefault(name, []).append((row["kind"], text, row["honest_share"]))
    return found


def earned(text: str, kind: str, share: float, encode: Encode) -> float:
    """How much of its tokens the padding of a text earns. It stands at the end, in front, or in the middle."""
    honest = round(len(text) * share)
    if "/front" in kind:
        parts = [text[len(text) - honest :]]
    elif "/middle" in kind:
        parts = [text[: honest // 2], text[len(text) - honest + honest // 2 :]]
    else:
        parts = [text[:honest]]
    own, ids = sum(len(encode(part)) for part in parts), encode(text)
    return (count_informative_tokens(ids, text) - own) / max(len(ids) - own, 1)


def lost(text: str, encode: Encode) -> float:
    """The share of an honest text's tokens that is discounted."""
    ids = encode(text)
    return 1 - count_informative_tokens(ids, text) / max(len(ids), 1)


def report(name: str, texts: Sequence[Row], encode: Encode) -> str:
    """A line of the table, and below it the kinds that are not as they should be."""
    if name.startswith("padded"):
        shares = [earned(text, kind, share, encode) for kind, text, share in texts]
        bad = sorted({kind for (kind, *_), one in zip(texts, shares, strict=True) if one >= EARNED})
        said = f"{sum(one < EARNED for one in shares)} of {len(texts)} earn under {EARNED:.0%} of their padding"
    else:
        shares = [lost(text, encode) for _, text, _ in texts]
        bad = sorted({kind for (kind, *_), one in zip(texts, shares, strict=True) if one > LOST})
        above = sum(one > LOST for one in shares) / len(texts)
        said = (
            f"{sum(shares) / len(texts):.2%} discounted on average, {above:.2%} of {len(texts):,} lose over {LOST:.0%}"
        )
    return f"  {name:22} {said}" + (f"\n{'':25}not: {', '.join(bad)}" if bad else "")


def timed(found: dict[str, list[Row]]) -> Iterable[str]:
    """The lines of a table of CPU seconds per MB, for long texts whose tokens are characters."""
    texts = {name: "\n".join(text for _, text, _ in some) for name, some in found.items() if "padded" not in name}
    texts |= {
        "a sentence in a loop": "I think that this is right. " * TIMED,
        "a word without spaces": "wait" * TIMED,
        "counting": " ".join(map(str, range(TIMED))),
    }
    for name, text in texts.items():
        ids = [*map(ord, text[:TIMED])]
        if len(ids) == TIMED:
            # each run begins elsewhere, for blocks of text are remembered
            runs = [_seconds(ids, text[run : run + TIMED]) for run in range(RUNS)]
            yield f"  {name:22} {min(runs) / len(text[:TIMED].encode()) * 1e6:.2f} s per MB"


def _seconds(ids: Sequence[int], text: str) -> float:
    start = time.process_time()
    count_informative_tokens(ids, text)
    return time.process_time() - start


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds gsm8k, texts and answers")
    parser.add_argument("--every", type=int, default=1, help="measure only every so many of GSM8K's texts")
    chosen = parser.parse_args(arguments)
    solutions = [row["answer"] for row in rows(chosen.data, "gsm8k/train")]
    found = corpora(chosen.data, solutions, chosen.every)
    for tokenizer, encode in trained(solutions[::2]).items():
        print(tokenizer)
        for name, some in found.items():
            print(report(name, some, encode))
    print(f"CPU, of texts of {TIMED:,} characters")
    print(*timed(found), sep="\n")


if __name__ == "__main__":
    main()
