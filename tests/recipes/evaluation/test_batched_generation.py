"""All problems are asked, in batches of one size, and after a stop only what is left."""

from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from threading import Barrier

import pytest

pytest.importorskip("trl", reason="the recipes need trl, which is not installed")

from training.generation import Answer, batched, generate_answers

PROMPTS = [[{"role": "user", "content": "?" * length}] for length in (3, 9, 1, 7, 7, 2, 5)]


class Parrot:
    """Says the prompt's length and the seed, and can be stopped at a batch. Its tokens are the prompt's characters."""

    def __init__(self, stops_at: int = -1, rank: int = 0, processes: int = 1) -> None:
        self.rank, self.processes = rank, processes
        self.asked: list[list[str]] = []
        self.stops_at = stops_at

    def tokens(self, prompts):
        return [[0] * len(prompt[0]["content"]) for prompt in prompts]

    def answers(self, prompts, seed):
        if len(self.asked) == self.stops_at:
            raise KeyboardInterrupt
        self.asked.append([prompt[0]["content"] for prompt in prompts])
        texts = [f"{len(text)} {seed} {at}" for at, text in enumerate(self.asked[-1])]
        return [Answer([1, 2], [{"role": "assistant", "content": text}]) for text in texts]

    def everyones(self, mine):
        return mine

    def firsts(self, value):
        return value


def said(answers: list[list[Answer]]) -> list[list[str]]:
    return [[answer.completion[0]["content"] for answer in several] for several in answers]


def test_every_problem_is_prompted_and_answers_come_in_order(tmp_path):
    policy = Parrot()
    answers = generate_answers(policy, PROMPTS, 3, 4, 0, tmp_path / "answers.jsonl")
    assert [{text.split()[0] for text in several} for several in said(answers)] == [{one} for one in "3917725"]
    assert len({text for several in said(answers) for text in several}) == 21  # each with a seed of its own
    # 21 rows, at most 4 at once: six batches, of four each; the last is filled with its own rows
    assert [len(batch) for batch in policy.asked] == [4] * 6
    lengths = [len(text) for batch in policy.asked for text in batch]
    assert lengths[:21] == sorted(lengths[:21], reverse=True)


def test_no_problems_and_a_single_row():
    assert batched([], 4, 8) == []
    assert batched([5], 1, 8) == [[(0, 0)]]
    assert batched([5, 6, 7], 1, 2) == [[(2, 0), (1, 0)], [(0, 0), (0, 0)]]


def test_a_stopped_evaluation_goes_on_where_it_was(tmp_path):
    whole = said(generate_answers(Parrot(), PROMPTS, 3, 4, 0, tmp_path / "whole.jsonl"))
    stopped, path = Parrot(stops_at=4), tmp_path / "answers.jsonl"
    with pytest.raises(KeyboardInterrupt):
        generate_answers(stopped, PROMPTS, 3, 4, 0, path)
    path.write_text(path.read_text()[:-20])  # killed while it wrote the fourth batch
    again = Parrot()
    assert said(generate_answers(again, PROMPTS, 3, 4, 0, path)) == whole
    assert len(again.asked) == 3
    nothing = Parrot(stops_at=0)
    assert said(generate_answers(nothing, PROMPTS, 3, 4, 0, path)) == whole


class Together:
    """Lets two policies ask in two threads, and brings together what each has, as processes do."""

    def __init__(self) -> None:
        self.policies = [Parrot(rank=rank, processes=2) for rank in (0, 1)]
        self.barrier, self.said = Barrier(2, timeout=30), [None, None]
        for policy in self.policies:
            policy.everyones = lambda mine, rank=policy.rank: list(chain(*self.exchanged(rank, mine)))
            policy.firsts = lambda value, rank=policy.rank: self.exchanged(rank, value)[0]

    def exchanged(self, rank, value):
        self.said[rank] = value
        self.barrier.wait()
        found = list(self.said)
        self.barrier.wait()
        return found

    def run(self, kept: Path) -> list[list[list[str]]]:
        def one(policy: Parrot) -> list[list[str]]:
            return said(generate_answers(policy, PROMPTS, 3, 5, 0, kept))

        with ThreadPoolExecutor(2) as threads:
            return list(threads.map(one, self.policies))


def test_two_processes_ask_as_often_and_get_what_one_gets(tmp_path):
    alone = said(generate_answers(Parrot(), PROMPTS, 3, 5, 0, tmp_path / "alone.jsonl"))
    both = Together()
    assert both.run(tmp_path / "two.jsonl") == [alone, alone]
    assert [len(policy.asked) for policy in both.policies] == [3, 3]  # five batches in three rounds
    assert both.policies[0].asked[-1] == both.policies[1].asked[-1]  # the last one twice, of which one counts
    more = Together()
    assert more.run(tmp_path / "two.jsonl") == [alone, alone]
    assert [policy.asked for policy in more.policies] == [[], []]
