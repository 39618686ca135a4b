"""A real trainer takes real steps with the tiny model, and nothing in them is other than it must be."""

import copy
from collections import Counter
from importlib.metadata import version

import pytest
import trl
from step_mutants import MUTANTS, plant
from tiny_copies import base
from whole_step import whole
from whole_step.order import turns_of_run
from whole_step.runs import LEAST_IN_STEPS, RUNS
from whole_step.tiny import saved_model, saved_tokenizer, tokens_of

from grpo_rewards.loss.trl_check.report import Report


@pytest.mark.timeout(600)  # about a minute of processor time, on cores that may be shared
def test_the_whole_step_of_the_installed_trl_is_as_it_must_be():
    """All runs, alone and on two ranks; what is compared is counted, so that nothing drops out unseen."""
    report = Report(trl=version("trl"))
    whole.check_steps(report)
    assert (report.failed, report.lacking, report.mismatch_lines()) == ({}, {}, [])
    found = Counter(one.kind for one in report.differences)
    assert found == LEAST_IN_STEPS


def turns_in(tmp_path, name):
    saved_model(tmp_path)
    run = next(run for run in RUNS if run.name == name)
    with whole.alone(), whole.quietly():
        seen = whole.train(run, tmp_path)
    return run, [(one, turns_of_run(run, seen, one)) for one in seen.generated]


def test_the_tools_are_called_in_all_ways_and_what_comes_of_it_is_as_counted_by_hand(tmp_path):
    """What is compared with TRL is held to numbers here, so that it is not only TRL's own."""
    run, generations = turns_in(tmp_path, "called tools, vLLM")
    length = run.settings["max_completion_length"]
    pairs = [pair for _, turns in generations for pair in zip(turns.messages, turns.tool_masks, strict=True)]
    roles = ["".join(one["role"][0] for one in messages) for messages, _ in pairs]
    # one turn, a result, three of them, a third turn, and a result after which there was no room to go on
    assert {"a", "ata", "attta", "atata", "at"} <= set(roles)
    exact = [mask for (messages, mask), role in zip(pairs, roles, strict=True) if role == "at"]
    assert all(len(mask) == length and sum(mask) == 7 for mask in exact)
    for messages, mask in pairs:
        said = [one for one in messages if one["role"] == "tool"]
        assert mask.count(0) >= 5 * bool(said)
        # a template's n and z for each turn, and t and two names for each result, beside its words
        turns = sum(one == "tool" and other != "tool" for one, other in roles_in_pairs(messages))
        assert mask.count(0) == 2 * turns + sum(3 + len(one["content"].split()) for one in said)
    contents = {one["content"] for messages, _ in pairs for one in messages if one["role"] == "tool"}
    assert {"d d", "e", "{'error': 'g b'}", "{'error': 'a c'}", "{'error': 'Tool u not found.'}"} <= contents
    assert all(0 < turns.failures < turns.calls for _, turns in generations)


def roles_in_pairs(messages):
    roles = [one["role"] for one in messages]
    return zip(roles, [None, *roles], strict=False)


def lost_tokens():
    """Which of two long prompts, a text and a conversation, TRL does not give all tokens to."""
    trainer = copy.copy(base())
    trainer.__class__, trainer.processing_class = trl.GRPOTrainer, saved_tokenizer()
    trainer.chat_template_kwargs = {"closing": "z"}
    text = "a b c " * 1000
    prompts = {"text": text, "conversation": [{"role": "user", "content": text.strip()}]}
    return [
        kind for kind, one in prompts.items() if trainer._tokenize_prompts([one])[0] != [tokens_of({"prompt": one})]
    ]


def test_long_prompts_keep_all_their_tokens(monkeypatch):
    """In no run are they longer than a model's positions, which are few."""
    assert lost_tokens() == []
    for mutant, kind in zip(MUTANTS["of_long_prompts"], ("text", "text", "conversation"), strict=True):
        with monkeypatch.context() as patch:
            plant(mutant, patch)
            assert lost_tokens() == [kind], mutant
