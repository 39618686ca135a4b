"""What count_informative_tokens takes from windows of files that Python and its packages bring, honest all through.

    python tests/benchmarks/file_windows.py [FOLDER …] [--most 200]

By default the files of the running Python's standard library and of its packages. A window is 450 to 8,000 characters
that begin with a line; of each file there is one, of a long file two. Characters stand for tokens.
"""

import argparse
import random
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

from grpo_rewards.completion.padding import count_informative_tokens

KINDS = (".py", ".pyi", ".json", ".csv", ".h", ".c", ".js", ".html", ".md", ".rst", ".txt", ".toml", ".yaml", ".sh")
SHORTEST, LONGEST = 450, 8_000
LONG_FILE, LONGEST_FILE, LONGEST_LINE = 20_000, 2_000_000, 1_500
LOST = 0.05  # of a window's tokens


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    installed = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
    parser.add_argument("folders", nargs="*", type=Path, default=installed, metavar="FOLDER")
    parser.add_argument("--most", type=int, default=200, help="windows of a kind")
    options = parser.parse_args(arguments)
    print("| files | windows | discounted on average | lose more than 5 % |\n|---|---|---|---|")
    every: list[float] = []
    for kind in KINDS:
        lost = [
            1 - count_informative_tokens([*map(ord, one)], one) / len(one)
            for one in windows(options.folders, kind, options.most)
        ]
        every += lost
        print(row(f"`*{kind}`", lost))
    print(row("all", every))


def row(name: str, lost: Sequence[float]) -> str:
    size = max(len(lost), 1)
    above = sum(one > LOST for one in lost)
    return f"| {name} | {len(lost):,} | {100 * sum(lost) / size:.2f} % | {100 * above / size:.1f} % |"


def windows(folders: Sequence[Path], kind: str, most: int) -> list[str]:
    """Windows of the files of a kind, the same ones in each run on the same files."""
    chance = random.Random(kind)
    paths = sorted({path for folder in folders for path in folder.rglob(f"*{kind}") if path.is_file()})
    chance.shuffle(paths)
    found: dict[str, None] = {}
    for path in paths:
        found.update(dict.fromkeys(of_file(path, chance)))
        if len(found) >= most:
            break
    return list(found)[:most]


def of_file(path: Path, chance: random.Random) -> Iterator[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    if not SHORTEST <= len(text) <= LONGEST_FILE or "\0" in text:
        return
    for _ in range(2 if len(text) > LONG_FILE else 1):
        size = min(chance.randint(SHORTEST, LONGEST), len(text))
        start = text.rfind("\n", 0, chance.randint(0, len(text) - size)) + 1
        window = text[start : start + size]
        if len(window) >= SHORTEST and max(map(len, window.split("\n"))) < LONGEST_LINE:
            yield window


if __name__ == "__main__":
    main()
