"""What lengths pay, with the source of every number that is not plain."""

import math

import pytest

import grpo_rewards as gr


@pytest.mark.parametrize(
    ("tokens", "reward"),
    # DAPO, equation 13, with L_max = 100 and L_cache = 20
    [(0, 0.0), (80, 0.0), (81, -0.05), (90, -0.5), (99, -0.95), (100, -1.0), (101, -1.0), (5000, -1.0)],
)
def test_soft_overlong(tokens, reward):
    bound = gr.soft_overlong.bind(max_tokens=100, buffer=20)
    assert bound.score("", completion_ids=range(tokens)) == pytest.approx(reward)


def test_soft_overlong_without_a_buffer_is_a_step():
    bound = gr.soft_overlong.bind(max_tokens=100, buffer=0)
    assert [bound.score("", completion_ids=range(n)) for n in (100, 101)] == [0.0, -1.0]


@pytest.mark.parametrize(
    ("completion", "tokens", "reward"),
    # Yeo et al., appendix C.1, with the default bounds and L_max = 100: halfway cos(π/2) = 0 gives the middle
    [
        (r"\boxed{4}", 0, 1.0),
        (r"\boxed{4}", 50, 0.75),
        (r"\boxed{4}", 25, 0.75 + 0.25 * math.cos(math.pi / 4)),
        (r"\boxed{4}", 100, 0.5),
        (r"\boxed{4}", 150, 0.5),  # clamped: the bare cosine would be back at 0.75
        (r"\boxed{4}", 200, 0.5),
        (r"\boxed{5}", 0, -1.0),
        (r"\boxed{5}", 50, -0.75),
        (r"\boxed{5}", 100, -0.5),
        (r"\boxed{5}", 200, -0.5),
    ],
)
def test_cosine_length(completion, tokens, reward):
    bound = gr.cosine_length.bind(max_tokens=100)
    assert bound.score(completion, completion_ids=range(tokens), answer="4") == pytest.approx(reward)


def test_relative_length_compares_within_a_prompt_only():
    lengths, prompts = [10, 20, 30, 500, 100, 300], ["a"] * 3 + ["b"] * 3
    texts = [r"\boxed{4}", r"\boxed{5}", r"\boxed{4}"] * 2
    found = gr.relative_length(
        completions=texts, completion_ids=[range(n) for n in lengths], prompts=prompts, answer=["4"] * 6
    )
    # 0.5 - (n - 10) / 20 and 0.5 - (n - 100) / 400; a wrong one never above 0
    assert found == [0.5, 0.0, -0.5, -0.5, 0.0, 0.0]


def test_relative_length_of_one_length_is_nothing():
    given = {"completions": [r"\boxed{4}"] * 2, "completion_ids": [[1], [2]], "prompts": ["a", "a"]}
    assert gr.relative_length(**given, answer=["4", "4"]) == [0.0, 0.0]
    assert gr.relative_length(**given, answer=["4", ""]) == [0.0, None]


@pytest.mark.parametrize(
    ("tokens", "points", "said"),
    [
        (100, 1.0, "on_target"),
        (90, 0.8, "too_short"),
        (50, 0.0, "too_short"),
        (125, 0.5, "too_long"),
        (400, 0, "too_long"),
    ],
)
def test_target_length(tokens, points, said):
    verdict = gr.target_length.bind(target=100, tolerance=50).explain("", completion_ids=range(tokens))
    assert (verdict.reward, verdict.reason) == (pytest.approx(points), said)


@pytest.mark.parametrize(
    ("bind", "says"),
    [
        (lambda: gr.soft_overlong.bind(max_tokens=10, buffer=20), "buffer between 0 and max_tokens"),
        (lambda: gr.soft_overlong.bind(max_tokens=0, buffer=0), "at least 1"),
        (lambda: gr.cosine_length.bind(max_tokens=0), "at least 1"),
        (lambda: gr.cosine_length.bind(max_tokens=9, min_correct=2.0), "must not exceed"),
    ],
)
def test_bad_options_are_refused_when_they_are_bound(bind, says):
    with pytest.raises(gr.RewardError, match=says):
        bind()
