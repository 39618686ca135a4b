"""Rewards and graders on the cases of reward-doctor, and reward-doctor's own graders under our probe.

    pip install reward-doctor==0.2.0
    python tests/benchmarks/grader_cases.py [--show final_answer]

Its cases that are matters of taste are left out, as it does. A completion is accepted where it earns more than 0, its
own rule; ``--show``, which may be repeated, lists what one judges otherwise. Nothing of it is copied here.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from accuracy import math_verify_reward, trl_reward
from answers import machine
from public_table import head, line

import grpo_rewards as gr

OURS = ("final_answer", "boxed_answer", "numeric_answer")
Grader: TypeAlias = Callable[[str, str], float | None]


def graders() -> dict[str, Grader]:
    """Functions of a completion and its gold: rewards of ours, and what others are measured with elsewhere."""
    ours: dict[str, Grader] = {name: partial(_scored, gr.get_reward(name)) for name in OURS}
    others: dict[str, Grader] = {
        "math-verify": lambda completion, gold: math_verify_reward([_row(completion, gold)], str)[0],
        "TRL": lambda completion, gold: trl_reward([_row(completion, gold)])[0],
    }
    return ours | others


def _scored(reward: gr.Reward, completion: str, gold: str) -> float | None:
    return reward.score(completion, answer=gold)


def _row(completion: str, gold: str) -> dict[str, Any]:
    return {"completion": completion, "gold": gold, "kind": ""}


def misjudged(grader: Grader, cases: Sequence[Any]) -> list[Any]:
    """The cases that a grader accepts and must not, or the other way round."""
    return [case for case in cases if bool((grader(case.completion, case.reference) or 0.0) > 0) is not case.expect]


def on_its_cases(named: dict[str, Grader], cases: Sequence[Any]) -> Iterator[str]:
    """A table: what each grader accepts and must not, refuses and must not, and which attacks work."""
    wrong, right = ([case for case in cases if case.expect is expect] for expect in (False, True))
    heads = (f"wrong accepted, of {len(wrong)}", f"right refused, of {len(right)}", "attacks that work")
    yield from head("grader", *heads)
    for name, grader in named.items():
        amiss = misjudged(grader, cases)
        attacks = sorted({case.attack for case in amiss if case.attack})
        counts = [sum(case.expect is expect for case in amiss) for expect in (False, True)]
        shares = [f"{count} ({count / max(len(of), 1):.0%})" for count, of in zip(counts, (wrong, right), strict=True)]
        yield line(name, *shares, ", ".join(attacks) or "none")


def under_our_probe(named: Mapping[str, Grader | str]) -> Iterator[str]:
    """A table: what ``grpo-rewards probe`` with limits measures of each grader."""
    yield from head("grader", "false rewards", "right missed", "hacks rewarded")
    for name, grader in named.items():
        found = gr.probe(grader, answers=True)
        hacks = f"{len(found.rewarded)} of {len(found.earned)}"
        yield line(name, f"{found.false_rewards:.1%}", f"{found.missed:.1%}", hacks)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="append", default=[], help="list what this grader misjudges")
    options = parser.parse_args(arguments)
    try:
        import reward_doctor
    except ImportError:
        parser.error("reward-doctor is not installed: pip install reward-doctor==0.2.0")
    cases, theirs = reward_doctor.load(), dict(reward_doctor.REFERENCE_VERIFIERS)
    named = {**graders(), **{f"its `{name}`": grader for name, grader in theirs.items()}}
    print(f"{machine()}; reward-doctor {reward_doctor.__version__}\n")
    print(*on_its_cases(named, cases), "", *under_our_probe({**theirs, **dict(zip(OURS, OURS, strict=True))}), sep="\n")
    for name in options.show:
        print(
            "",
            *(f"{name}: {case.id}: {case.reference!r}: {case.why}" for case in misjudged(named[name], cases)),
            sep="\n",
        )


if __name__ == "__main__":
    main()
