"""Makes the documentation site in build/book/site, strictly: a link or a heading that is not there ends it.

python docs/make_site.py

The pages are those of docs/ and, so that nothing is written twice, the README as the first page, the changelog and
others of the repository. Their links are those that one follows in the repository; here they are turned to the site's.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "build" / "book"
PAGES = BOOK / "docs"
BORROWED = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CITATION.cff": "CITATION.cff",
    "RELEASING.md": "releasing.md",
    "recipes/README.md": "recipes.md",
}
LEFT_ALONE = re.compile(r"(^```.*?^```|`[^`\n]*`|<!--.*?-->)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(\]\()(?![a-z]+:|#)([^)#\s]+)((?:#[^)\s]*)?\))")
FETCHES = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)")
ENTRY = re.compile(r'= "([^"]+\.md)" \}')


def place(path: Path) -> Path:
    """Where a file of the repository is on the site, relative to its first page."""
    inside = path.relative_to(ROOT).as_posix()
    return Path(BORROWED.get(inside) or path.relative_to(ROOT / "docs"))


def turned(text: str, source: Path) -> str:
    """The text of a page with the links of the site. Code and comments are left alone.

    Raises:
        SystemExit: a link leads to a file that is no page of the site.
    """

    def link(found: re.Match[str]) -> str:
        target = (source.parent / found[2]).resolve()
        try:
            to = os.path.relpath(place(target), place(source).parent)
        except ValueError:
            raise SystemExit(f"{source.relative_to(ROOT)}: {found[2]} is no page of the site.") from None
        return f"{found[1]}{to}{found[3]}"

    pieces = LEFT_ALONE.split(text)
    return "".join(piece if number % 2 else LINK.sub(link, piece) for number, piece in enumerate(pieces))


def gather() -> None:
    """Copies all pages and pictures into build/book/docs."""
    shutil.rmtree(BOOK, ignore_errors=True)
    shutil.copytree(ROOT / "docs", PAGES, ignore=shutil.ignore_patterns("*.py", "*.toml", "__pycache__"))
    sources = [*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in BORROWED)]
    for source in sources:
        text = source.read_text(encoding="utf-8")
        (PAGES / place(source)).write_text(turned(text, source) if source.suffix == ".md" else text, encoding="utf-8")


def configure() -> None:
    """Writes the configuration, without the entries of the navigation whose pages are not there."""
    lines = (ROOT / "docs" / "zensical.toml").read_text(encoding="utf-8").splitlines(keepends=True)
    absent = [line for line in lines for page in ENTRY.findall(line) if not (PAGES / page).exists()]
    for line in absent:
        print(f"not there, and left out of the navigation: {line.strip()}")
    (BOOK / "zensical.toml").write_text("".join(line for line in lines if line not in absent), encoding="utf-8")


def fetched() -> list[str]:
    """What pages of the site would have a browser fetch from elsewhere, each with one such page."""
    found = {}
    for page in sorted((BOOK / "site").rglob("*.html")):
        for tag in FETCHES.findall(page.read_text(encoding="utf-8")):
            found.setdefault(tag, f"{page.relative_to(BOOK / 'site')} fetches {tag}")
    return list(found.values())


def main() -> int:
    """Makes the site; returns the exit status of Zensical, whose words are printed without colours and traceback."""
    gather()
    configure()
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=BOOK, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).partition("Traceback")[0])
    foreign = [] if done.returncode else fetched()
    if foreign:
        print(*foreign, sep="\n")
        return 1
    if not done.returncode:
        print(f"open {BOOK / 'site' / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
