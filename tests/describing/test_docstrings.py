"""Docstrings are taken apart as they are written, and one that is written otherwise stays text."""

from __future__ import annotations

from tables import each_row

import grpo_rewards as gr
from grpo_rewards.describing.docstrings import Docstring, plain, read_docstring

WHOLE = """1 if it is short,
    else 0.

    More of it, with ``code``.

    - one
      thing
    - another

    Args:
        completion (str): the text.
        words (dict[str, int] | None): how many,
            at most.
        low, high: the ends: both.

    Returns:
        1.0 or 0.0. Reasons:

        - ``short``: it is
          short (1.0).
        - ``long``, ``too_long``: it is not.

    Raises:
        RewardError: never.

    Source: a paper (2025),
    page 3.

    A policy would write
    nothing.

    >>> 1 + 1
    2
    """


def test_each_part_is_where_it_belongs() -> None:
    assert read_docstring(WHOLE) == Docstring(
        line="1 if it is short, else 0.",
        body=("More of it, with ``code``.", "- one thing", "- another"),
        arguments={
            "completion": "the text.",
            "words": "how many, at most.",
            "low": "the ends: both.",
            "high": "the ends: both.",
        },
        returns="1.0 or 0.0.",
        reasons={"short": "it is short (1.0).", "long": "it is not.", "too_long": "it is not."},
        source="a paper (2025), page 3.",
        would_try="A policy would write nothing.",
        example=(">>> 1 + 1", "2"),
    )


def test_reasons_are_also_read_in_brackets() -> None:
    found = read_docstring("One.\n\n    Returns:\n        Reasons: ``a``, ``b`` (it is\n        so), ``c``.")
    assert found.reasons == {"b": "it is so"}


@each_row(
    "text, line",
    [
        (None, ""),
        (3, ""),
        ("", ""),
        ("   \n\n", ""),
        ("Args:\n    x: y", ""),
        ("One line", "One line"),
        ("Numpy's\n\nParameters\n----------\nx : int", "Numpy's"),
        ("x" * 200_000, "x" * 50_000),
    ],
)
def test_what_is_no_docstring_of_ours_is_text_or_nothing(text: object, line: str) -> None:
    assert read_docstring(text).line == line


def test_marks_are_taken_away() -> None:
    text = "``None`` where :class:`~a.b.Weighted` is, see `the page <https://x.y>`__ and `this`"
    assert plain(text) == "None where a.b.Weighted is, see the page (https://x.y) and `this`"


OWN = [name for name in gr.list_rewards() if gr.get_reward(name).__module__.startswith("grpo_rewards.")]


@each_row("name", OWN)
def test_every_reward_of_the_package_says_what_it_does_and_what_a_policy_would_try(name: str) -> None:
    reward = gr.get_reward(name)
    found = read_docstring(reward.__doc__)
    assert found.line.endswith((".", ":"))
    assert found.would_try
    assert found.returns
    assert not set(reward.signature.options) - set(found.arguments)
    text = " ".join((found.line, *found.body, found.returns, found.would_try, *found.arguments.values()))
    assert "``" not in plain(text)
    assert ">>>" not in text
    assert "Args:" not in text
