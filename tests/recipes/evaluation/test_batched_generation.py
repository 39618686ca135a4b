"""All problems are asked, in batches of one size, and after a stop only what is left."""

from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from threading import Barrier

import pytest
from evaluate import KeptPolicy, read_batches
from training.evaluation import Answer, Policy, batched, generate_answers

PROMPTS = [[{"role": "user", "content": "?" * length}] for length in (3, 9, 1, 7, 7, 2, 5)]


class Parrot(Policy):
    """Says the prompt's length and the seed, and can be stopped at a batch. Its tokens are the prompt's characters."""

    def __init__(self, stops_at: int = -1, rank: int = 0, processes: int = 1, together=None) -> None:
        self.rank, self.processes, self.together = rank, processes, together
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
        return mine if self.together is None else list(chain(*self.together.exchanged(self.rank, mine)))

    def firsts(self, value):
        return value if self.together is None else self.together.exchanged(self.rank, value)[0]


class KeptParrot(KeptPolicy, Parrot):
    def __init__(self, path: Path, **options: object) -> None:
        Parrot.__init__(self, **options)
        self.path, self.kept = path, self.firsts(read_batches(path))


def said(answers: list[list[Answer]]) -> list[list[str]]:
    return [[answer.completion[0]["content"] for answer in several] for several in answers]


def test_every_problem_is_prompted_and_answers_come_in_order():
    policy = Parrot()
    answers = generate_answers(policy, PROMPTS, 3, 4, 0)
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
    whole = said(generate_answers(Parrot(), PROMPTS, 3, 4, 0))
    path = tmp_path / "answers.jsonl"
    with pytest.raises(KeyboardInterrupt):
        generate_answers(KeptParrot(path, stops_at=4), PROMPTS, 3, 4, 0)
    path.write_text(path.read_text()[:-20])  # killed while it wrote the fourth batch
    again = KeptParrot(path)
    assert said(generate_answers(again, PROMPTS, 3, 4, 0)) == whole
    assert len(again.asked) == 3
    assert said(generate_answers(KeptParrot(path, stops_at=0), PROMPTS, 3, 4, 0)) == whole


class Together:
    """Brings together what two policies in two threads have, as processes do."""

    def __init__(self) -> None:
        self.barrier, self.said = Barrier(2, timeout=30), [None, None]

    def exchanged(self, rank, value):
        self.said[rank] = value
        self.barrier.wait()
        found = list(self.said)
        self.barrier.wait()
        return found


def asked_by_two(kept: Path) -> tuple[list[list[list[str]]], list[list[list[str]]]]:
    """What two processes get, and what each of them asked."""
    together, policies = Together(), []

    def one(rank: int) -> list[list[str]]:
        policies.append(KeptParrot(kept, rank=rank, processes=2, together=together))
        return said(generate_answers(policies[-1], PROMPTS, 3, 5, 0))

    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(one, (0, 1)))
    return answers, [policy.asked for policy in policies]


def test_two_processes_ask_as_often_and_get_what_one_gets(tmp_path):
    alone = said(generate_answers(Parrot(), PROMPTS, 3, 5, 0))
    answers, asked = asked_by_two(tmp_path / "two.jsonl")
    assert answers == [alone, alone]
    assert [len(batches) for batches in asked] == [3, 3]  # five batches in three rounds
    assert asked[0][-1] == asked[1][-1]  # the last one twice, of which one counts
    again = asked_by_two(tmp_path / "two.jsonl")
    assert again == ([alone, alone], [[], []])
    path = tmp_path / "one.jsonl"  # what one process kept before it was stopped, two go on with
    with pytest.raises(KeyboardInterrupt):
        generate_answers(KeptParrot(path, stops_at=3), PROMPTS, 3, 5, 0)
    answers, asked = asked_by_two(path)
    assert answers == [alone, alone]
    assert [len(batches) for batches in asked] == [2, 2]  # of the second round one half was there
