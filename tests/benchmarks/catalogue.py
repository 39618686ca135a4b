"""How often rewards give labelled rows what their labels say: transcripts, choices, exact answers, other scripts,
instructions and tool calls.

    python tests/benchmarks/catalogue.py [--data DIR] [--show]

The rows are those of ``tests/data/catalogue``, which anyone has; ``--data`` names another folder laid out like it,
such as ``../shared/data``, and what it lacks is left out. Of choices and exact answers the right rows that are missed
and the wrong ones that are paid are counted each by itself. A second table has, for texts without a box, how many
right ones are missed and how many wrong ones rewarded, by our rewards and by a baseline of thirty lines.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))

import baseline  # after the path to it
from labelled_files import Row, rows_in  # after the path to it
from labelled_rows import (  # after the path to it
    BY_SCRIPT,
    BY_TRANSCRIPT,
    CREDITS,
    calls_are_met,
    instructions_are_met,
    is_paid,
    text_is_met,
    transcript_is_met,
)
from places import ROOT  # likewise

import grpo_rewards as gr  # likewise

MODES = ("strict", "loose")
PUBLIC = ROOT / "tests" / "data" / "catalogue"


@dataclass(frozen=True)
class Line:
    """One line of the table: the rows that were judged, and those that did not get what their labels say."""

    what: str
    judged: list[Row]
    wrong: list[Row]

    def __str__(self) -> str:
        right = len(self.judged) - len(self.wrong)
        return f"| {self.what} | {len(self.judged):,} | {right:,} | {100 * right / len(self.judged):.2f} % |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=PUBLIC, help="folder that holds answers/, texts/ and transcripts/")
    parser.add_argument("--show", action="store_true", help="list the rows behind the numbers")
    options = parser.parse_args(arguments)
    print("| rows | judged | as labelled | share |\n|---|---|---|---|")
    behind: list[str] = []
    for line in table(options.data):
        print(line, flush=True)
        behind += [f"{line.what}: {row['id']}: {row.get('note', '')}" for row in line.wrong]
    print("\n| texts without a box | right ones missed | wrong ones rewarded | by the baseline |\n|---|---|---|---|")
    for line in read_texts(options.data):
        print(line, flush=True)
    if options.show:
        print("\n" + "\n".join(behind))


def table(data: Path) -> Iterator[Line]:
    """Each line of the table that has rows."""
    for line in (*transcripts(data), *choices(data), *scripts(data), *instructions(data), *tools(data)):
        if line.judged:
            yield line


def transcripts(data: Path) -> Iterator[Line]:
    some = rows_in(data, "transcripts/transcripts")
    for delimiters, told in (("the default delimiters", False), ("other delimiters", True)):
        for name in BY_TRANSCRIPT:
            judged = [row for row in some if row["expect"][name] is not None and (row["reasoning"] is not None) is told]
            wrong = [row for row in judged if not transcript_is_met(row, name)]
            yield Line(f"`transcripts`, {delimiters}, `{name}`", judged, wrong)


def choices(data: Path) -> Iterator[Line]:
    for name, reward in (("choices", gr.multiple_choice), ("exact", gr.exact_match)):
        firm = [row for row in rows_in(data, f"answers/{name}") if row["confidence"] == "firm"]
        for label, expected in (("right", True), ("wrong", False)):
            judged = [row for row in firm if row["expected"] is expected]
            wrong = [row for row in judged if is_paid(row, reward) is not expected]
            yield Line(f"`{name}`, {label} ones, `{reward.name}`", judged, wrong)


def read_texts(data: Path) -> Iterator[str]:
    """For each set of texts the right rows that are missed and the wrong ones that are rewarded, and the baseline's."""
    strict = gr.final_answer.bind(last_number=False)
    strict_baseline = partial(baseline.answers, last_number=False)
    choices, finals = ("choices_models", "choices", "t3_choices"), ("finals", "t3_finals")
    for names, column, reward, basic in (
        (choices, "expected", gr.multiple_choice, baseline.chooses),
        (finals, "expected_final", gr.final_answer, baseline.answers),
        (finals, "expected_numeric", gr.numeric_answer, baseline.answers),
        (finals, "expected_final", strict, strict_baseline),
        (("gsm8k_real", "math_cot_real", "solutions"), "expected", gr.final_answer, baseline.answers),
    ):
        what = f"`{reward.name}`" + (", `last_number=False`" if reward is strict else "")
        for name in names:
            rows = solutions(data) if name == "solutions" else rows_in(data, f"answers/{name}")
            rows = [row for row in rows if row.get("confidence", "firm") == "firm" and row.get("kind") != "boxed"]
            right, wrong = ([row for row in rows if row.get(column) is label] for label in (True, False))
            if not rows:
                continue
            ours = _counted(right, wrong, lambda row, by=reward: is_paid(row, by))
            basics = _counted(right, wrong, lambda row, by=basic: by(row["completion"], row["gold"]))
            yield f"| `{name}`, {what} | {ours[0]} | {ours[1]} | {', '.join(basics)} |"


def solutions(data: Path) -> list[Row]:
    """The solutions of GSM8K's test set without their last line, which has the answer: numbers in real prose."""
    parts = [row["answer"].rpartition("\n#### ") for row in rows_in(data, "gsm8k/test")]
    return [{"completion": text, "gold": gold, "expected": True} for text, _, gold in parts]


def _counted(right: list[Row], wrong: list[Row], earns: Callable[[Row], bool]) -> tuple[str, str]:
    """How many right rows do not earn, and how many wrong ones do."""
    missed, rewarded = sum(not earns(row) for row in right), sum(map(earns, wrong))
    return f"{missed} of {len(right)}", f"{rewarded} of {len(wrong)}"


def scripts(data: Path) -> Iterator[Line]:
    some = [row for row in rows_in(data, "texts/scripts") if row["kind"] == "firm"]
    for name in BY_SCRIPT:
        judged = [row for row in some if row["reward"] == name]
        yield Line(f"`scripts`, `{name}`", judged, [row for row in judged if not text_is_met(row)])


def instructions(data: Path) -> Iterator[Line]:
    judged = [row for row in rows_in(data, "texts/instructions") if not row["published_wrong"]]
    for mode in MODES:
        wrong = [row for row in judged if not instructions_are_met(row, mode)]
        yield Line(f"`instructions`, {mode}", judged, wrong)


def tools(data: Path) -> Iterator[Line]:
    judged = [row for row in rows_in(data, "texts/tools") if not row["doubtful"]]
    for credit in CREDITS:
        wrong = [row for row in judged if not calls_are_met(row, credit)]
        yield Line(f"`tools`, `tool_calls` with `credit={credit!r}`", judged, wrong)


if __name__ == "__main__":
    main()
