"""What the usual rewards of a run cost on long completions, beside TRL's penalty for repetition on the same tokens.

    python tests/benchmarks/usual_rewards.py [--data DIR] [--tokens 4000] [--ngram 20]

Two batches: real reasoning, and solutions of GSM8K joined; every answer is wrong, which is what costs most. A
completion is whole lines of at least so many tokens of a BPE of 8,000 pieces, and none is there twice. Seconds of
processor time for 2,048 of them: the least of six runs, in turn, each with other completions than the one before.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from labelled import DATA, rows
from padding import Encode, trained
from trl.rewards import get_repetition_penalty_reward

import grpo_rewards as gr

COMPLETIONS, RUNS = 2_048, 6
STEP_SECONDS = 20.0
SOLUTIONS = 2_000  # of GSM8K
Batch = tuple[list[str], list[list[int]]]  # texts and their tokens


def batch_of(text: str, encode: Encode, tokens: int) -> Batch:
    """Completions of whole lines of a text, each of ``tokens`` tokens or a line more."""
    batch: Batch = [], []
    lines: list[str] = []
    ids: list[int] = []
    for line in text.splitlines(keepends=True):
        lines.append(line)
        ids += encode(line)
        if len(ids) >= tokens:
            batch[0].append("".join(lines))
            batch[1].append(ids)
            lines, ids = [], []
    return batch


def seconds(reward: Callable[..., Any], batch: Batch) -> float:
    """Processor time of one call, as a trainer makes it, for ``COMPLETIONS`` completions."""
    texts, ids = batch
    given = {
        "prompts": [[{"role": "user", "content": "What is it?"}]] * len(ids),
        "completions": [[{"role": "assistant", "content": text}] for text in texts],
        "completion_ids": ids,
        "answer": ["-1234567"] * len(ids),
        "trainer_state": None,
        "log_extra": lambda *_: None,
        "log_metric": lambda *_: None,
    }
    start = time.process_time()
    reward(**given)
    return (time.process_time() - start) * COMPLETIONS / len(ids)


def report(name: str, batches: Sequence[Batch], ngram: int, tokens: int) -> Iterator[str]:
    """The lines of the table of a corpus."""
    ours = [gr.repetition.bind(ngram=ngram), gr.cosine_length.bind(max_tokens=tokens), gr.think_format, gr.boxed_answer]
    theirs = get_repetition_penalty_reward(ngram_size=ngram)
    for reward in ours:  # what is imported and compiled once is no part of it
        seconds(reward, (["4"], [[1]]))
    runs = [[seconds(reward, batch) for reward in (*ours, theirs)] for batch in batches]
    *took, of_theirs = map(min, zip(*runs, strict=True))
    texts, ids = batches[0]
    size, length = sum(map(len, texts)) / len(texts), sum(map(len, ids)) / len(ids)
    yield f"{name}: {len(texts)} completions of {length:,.0f} tokens, {size:,.0f} characters, as {COMPLETIONS:,}"
    named = dict(zip(map(repr, ours), took, strict=True))
    for what, one in (named | {"the four together": sum(took), "TRL's penalty": of_theirs}).items():
        shares = f"{one / STEP_SECONDS:6.1%} of a step of {STEP_SECONDS:.0f} s  {one / of_theirs:5.2f} of TRL's"
        yield f"  {what:32} {one:6.2f} s  {shares}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds gsm8k and answers")
    parser.add_argument("--tokens", type=int, default=4_000, help="of a completion")
    parser.add_argument("--ngram", type=int, default=20, help="of both penalties for repetition")
    chosen = parser.parse_args(arguments)
    solutions = [row["answer"] for row in rows(chosen.data, "gsm8k/train")]
    encode = next(encode for name, encode in trained(solutions[::2]).items() if name.startswith("BPE"))
    corpora = {
        "long reasoning": [row["completion"] for row in rows(chosen.data, "answers/long_real")],
        "GSM8K joined": solutions[1 : 2 * SOLUTIONS : 2],
    }
    for name, texts in corpora.items():
        batches = [batch_of("\n\n".join(texts[run:]), encode, chosen.tokens) for run in range(RUNS)]
        print(*report(name, batches, chosen.ngram, chosen.tokens), sep="\n")


if __name__ == "__main__":
    main()
