"""How large the report of 50,000 completions is, and how long Chromium takes to load and to filter it.

``python tests/benchmarks/report_in_browser.py FOLDER`` makes up a run there, unless it is there already, writes its
report, and opens it three times. Times are Chromium's own, in milliseconds.
"""

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))

from chromium import choose, opened, started
from reported_runs import Row, leave, row

from grpo_rewards.report import write_report

STEPS, PROMPTS, GENERATIONS = 100, 50, 10
WORDS = """first then there are so each of the has more than in total we add subtract multiply by left price cost per
hour day week apples boxes friends gives buys sells twice half remaining altogether means therefore answer number
""".split()
FILTERS = (
    ("text", "= 42"),
    ("text", "therefore answer"),
    ("reason right", "wrong"),
    ("prompt", "17"),
    ("least", 0.5),
    ("sort", "-advantage"),
    ("sort", "+length"),
)


def completion(rng: random.Random, answer: int) -> str:
    """About 1,000 characters of steps with numbers, and a box."""
    said = []
    for _ in range(rng.randint(40, 220)):
        one, other = rng.randint(1, 99), rng.randint(1, 99)
        said.append(f"{one} + {other} = {one + other}" if rng.random() < 0.2 else rng.choice(WORDS))
    return f"<think>{' '.join(said)}</think>\n\\boxed{{{answer}}}"


def table(step: int) -> list[Row]:
    rng, rows = random.Random(step), []
    for _ in range(PROMPTS):
        gold = rng.randint(1, 500)
        question = f"{' '.join(rng.choices(WORDS, k=30))} {rng.randint(1, 999)}?"
        for _ in range(GENERATIONS):
            right = rng.random() < 0.2 + 0.6 * step / STEPS
            text = completion(rng, gold if right else rng.randint(1, 500))
            reason = "correct" if right else rng.choice(["wrong", "no_box"])
            rows.append(row(question, text, float(right), rng.gauss(0, 1), reason))
    return rows


def main(folder: Path) -> None:
    if not (folder / "completions").is_dir():
        leave(folder, table, STEPS)
    began = time.process_time()
    path = write_report([folder], folder / "report.html")
    print(f"written in {time.process_time() - began:.1f} s of processor time, {path.stat().st_size / 1e6:.1f} MB")
    with started() as browser:
        print(f"Chromium {browser.capabilities['browserVersion']}")
        for _ in range(3):
            opened(browser, path, drawn=True)
            marks = "return performance.getEntriesByType('mark').map(one => [one.name, Math.round(one.startTime)])"
            print("since it was opened:", *(f"{name} {at} ms" for name, at in browser.execute_script(marks)))
        for name, value in FILTERS:
            left = choose(browser, name, value)
            print(f"{name} {value!r}: {browser.execute_script('return document.body.dataset.filtered')} ms, {left}")
            choose(browser, name, "")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
