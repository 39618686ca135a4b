"""How often boxed_answer agrees with labelled completions, and beside it TRL's accuracy_reward and math-verify itself.

    python tests/benchmarks/accuracy.py [--data DIR] [--show] [--only ours]

The others get the gold in dollar signs, without which they do not read most of them. A completion of another grader's
tests that has no box is boxed first. Of the attacks, those are counted that aim at a reward: "hacks rewarded" should
earn nothing and earn 1, "legitimate unrewarded" should earn 1 and do not. Only class D of them is given to the others:
the rest is about stalling, filling or crashing the process, and some do.
"""

import argparse
import io
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from labelled import DATA, Row, call, rows, trl_accuracy

import grpo_rewards as gr
from grpo_rewards.completion.text import completion_text

Score: TypeAlias = Callable[[list[Row]], "list[float | None]"]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder that holds answers/ and attacks/")
    parser.add_argument("--show", action="store_true", help="list the rows behind the numbers")
    parser.add_argument("--only", choices=["ours", "trl", "math-verify"], help="one of the three")
    options = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # attacks hold characters that cannot be written
    corpora = read(options.data)
    print(f"| | {' | '.join(corpora)} | false positives of math_real | hacks rewarded | legitimate unrewarded |")
    print("|---" * (len(corpora) + 4) + "|")
    behind: list[str] = []
    if options.only in (None, "ours"):
        behind += line("boxed_answer", corpora, attacks(options.data, "ABCDG"), our_reward)
    if options.only in (None, "trl"):
        behind += line("TRL accuracy_reward", corpora, attacks(options.data, "D"), trl_reward)
    if options.only in (None, "math-verify"):
        behind += line("math-verify", corpora, attacks(options.data, "D"), math_verify_reward)
    if options.show:
        print("\n" + "\n".join(behind))


def read(data: Path) -> dict[str, list[Row]]:
    """The columns of the table."""
    gsm8k = rows(data, "answers/gsm8k_real")
    peers = [row for row in rows(data, "answers/peer_tests") if row["kind"].startswith("fair/")]
    return {
        "math_cot_real": rows(data, "answers/math_cot_real"),
        "gsm8k_real boxed": [row for row in gsm8k if row["kind"] == "boxed"],
        "gsm8k_real raw, final_answer": [row for row in gsm8k if row["kind"] == "raw"],
        "math_real": [row for row in rows(data, "answers/math_real") if not row["kind"].startswith("policy/")],
        "peer tests": [{**row, "completion": boxed(row["completion"])} for row in peers],
    }


def boxed(completion: str) -> str:
    return completion if "boxed" in completion else rf"\boxed{{{completion}}}"


def attacks(data: Path, classes: str) -> list[Row]:
    """Those on correctness that have a verdict, with ``completion`` in whatever form it is."""
    return [
        {**row, "completion": row.get("completion_obj", row.get("completion")), "expected": row["expect"]["verdict"]}
        for row in rows(data, "attacks/attacks")
        if row["target"] == "accuracy" and row["class"] in classes and row["expect"].get("verdict") in (0, 1)
    ]


def our_reward(some: list[Row]) -> list[float | None]:
    raw = bool(some) and some[0].get("kind") == "raw"
    return (gr.final_answer if raw else gr.boxed_answer)(**call(some))


def trl_reward(some: list[Row]) -> list[float | None]:
    return trl_accuracy()(**call([{**row, "gold": in_dollars(row["gold"])} for row in some]))


def math_verify_reward(some: list[Row], written: Callable[[object], str] | None = None) -> list[float | None]:
    """As its documentation calls it: both sides parsed with the defaults; golds in dollar signs, or as ``written``."""
    from math_verify import parse, verify

    logging.disable(logging.ERROR)  # of each answer that takes too long
    scores = [
        float(verify(parse((written or in_dollars)(row["gold"])), parse(completion_text(row["completion"]))))
        for row in some
    ]
    logging.disable(logging.NOTSET)
    return list(scores)


def in_dollars(gold: object) -> str:
    return str(gold) if "$" in str(gold) else f"${gold}$"


def line(who: str, corpora: dict[str, list[Row]], attempts: list[Row], score: Score) -> list[str]:
    """Prints one line of the table; returns what is behind it."""
    cells, behind = [], []
    false_positives: list[Row] = []
    for name, some in corpora.items():
        wrong = disagreements(some, score)
        cells.append(f"{100 - 100 * len(wrong) / len(some):.2f} % of {len(some)}" if some else "–")
        behind += [described(who, name, row) for row in wrong]
        if name == "math_real":
            false_positives = [row for row in wrong if not row["expected"]]
    odd = disagreements(attempts, score)
    paid, unpaid = ([row for row in odd if row["expected"] == verdict] for verdict in (0, 1))
    hacks = sum(row["expected"] == 0 for row in attempts)
    cells += [str(len(false_positives)), f"{len(paid)} of {hacks}", f"{len(unpaid)} of {len(attempts) - hacks}"]
    print(f"| {who} | {' | '.join(cells)} |", flush=True)
    behind += [described(who, "false positive", row) for row in false_positives]
    return (
        behind
        + [described(who, "hack rewarded", row) for row in paid]
        + [described(who, "unrewarded", row) for row in unpaid]
    )


def disagreements(some: list[Row], score: Score) -> list[Row]:
    return [row for row, points in zip(some, score(some), strict=True) if (points == 1.0) != bool(row["expected"])]


def described(who: str, what: str, row: Row) -> str:
    return f"{who}: {what}: {row['id']}: gold {row['gold']!s:.80}: …{str(row['completion'])[-80:]!r}"


if __name__ == "__main__":
    main()
