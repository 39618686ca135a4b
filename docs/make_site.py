"""Makes the documentation site in build/book/site, strictly: a link or a heading that is not there ends it.

python docs/make_site.py                                          to be read from a folder, or at a server's root
python docs/make_site.py --at https://example.org/grpo-rewards/   to be served there

The pages are those of docs/ and, so that nothing is written twice, the README as the first page, the changelog and
others of the repository. Their links are those that one follows in the repository; here they are turned to the site's.
The address is for the page that a server shows where there is none: it may be shown for any path, so that its links
must hold the whole path of the site.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "build" / "book"
PAGES = BOOK / "docs"
BORROWED = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "CITATION.cff": "CITATION.cff",
    "RELEASING.md": "releasing.md",
    "recipes/README.md": "recipes.md",
}
LEFT_ALONE = re.compile(r"(^```.*?^```|`[^`\n]*`|<!--.*?-->)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(\]\()(?![a-z]+:|#)([^)#\s]+)((?:#[^)\s]*)?\))")
FETCHES = re.compile(
    r"<(?!link rel=.canonical)(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"'\s>]+)"
)
LEADS = re.compile(r"\b(?:href|src)=[\"'](/[^\"'#?]*)")
ENTRY = re.compile(r'= "([^"]+\.md)" \}')
# What readers of the lessons search for: their authors, their functions, their chapter.
SEARCHED = (
    *("rule_based_reward", "grpo_group_normalize", "sample_groups", "rule_reward", "score_responses", "train_step"),
    *("sequence_logprob", "gather_token_logprobs", "expand_inputs", "generate_samples", "compute_rewards"),
    *("compute_advantages", "compute_log_probs", "compute_grpo_loss", "chapter 12", "Shirin Yamani", "Ebrahim Pichka"),
)
# What users search for, with the page that its search must find first, by a heading.
FOUND_FIRST = {
    "reward is always zero": "why-is-my-reward.html",
    "reward is None": "why-is-my-reward.html",
    "rewards barely move": "monitor.html",
    "my column has another name": "preflight.html",
}


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


def configure(address: str | None) -> None:
    """Writes the configuration with the site's address, and without the entries whose pages are not there."""
    lines = (ROOT / "docs" / "zensical.toml").read_text(encoding="utf-8").splitlines(keepends=True)
    absent = [line for line in lines for page in ENTRY.findall(line) if not (PAGES / page).exists()]
    for line in absent:
        print(f"not there, and left out of the navigation: {line.strip()}")
    kept = "".join(line for line in lines if line not in absent)
    (BOOK / "zensical.toml").write_text(addressed(kept, address), encoding="utf-8")


def addressed(configuration: str, address: str | None) -> str:
    """The configuration with the address at which the site is served; as it is if there is none."""
    return (
        configuration
        if address is None
        else configuration.replace("[project]", f'[project]\nsite_url = "{address}"', 1)
    )


def fetched() -> list[str]:
    """What pages of the site would have a browser fetch from elsewhere, each with one such page."""
    found = {}
    for page in sorted((BOOK / "site").rglob("*.html")):
        for tag in FETCHES.findall(page.read_text(encoding="utf-8")):
            found.setdefault(tag, f"{page.relative_to(BOOK / 'site')} fetches {tag}")
    return list(found.values())


def lost(site: Path, address: str | None) -> list[str]:
    """What the page that is shown for paths that are not there links to, or loads, and is not there either."""
    root = urlsplit(address or "/").path
    leads = sorted({unquote(found) for found in LEADS.findall((site / "404.html").read_text(encoding="utf-8"))})
    return [
        f"404.html: {one} is not there"
        for one in leads
        if not one.startswith(root) or not (site / one.removeprefix(root)).exists()
    ]


def unfound(site: Path) -> list[str]:
    """What the search of the site does not find of ``SEARCHED``."""
    items = json.loads((site / "search.json").read_text(encoding="utf-8"))["items"]
    texts = [re.sub(r"<[^>]*>", "", f"{item['title']} {item['text']}") for item in items]
    return [f"the search finds no {one}" for one in SEARCHED if not any(one in text for text in texts)]


def misplaced(site: Path) -> list[str]:
    """Which searches of ``FOUND_FIRST`` lead elsewhere: headings with all of the words are found before texts."""
    items = json.loads((site / "search.json").read_text(encoding="utf-8"))["items"]
    found = []
    for query, page in FOUND_FIRST.items():
        words = set(query.lower().split())
        headed = [one["location"] for one in items if words <= set(re.findall(r"\w+", one["title"].lower()))]
        if not headed or not headed[0].startswith(page):
            found.append(f"a search for '{query}' finds {headed[:1] or 'no heading'}, not {page}")
    return found


def site_address(words: list[str] | None) -> str | None:
    """The address that the command line gives, with a slash at its end."""
    parser = argparse.ArgumentParser(description="Makes the documentation site in build/book/site.")
    parser.add_argument("--at", metavar="ADDRESS", help="where it will be served, such as https://example.org/docs/")
    address: str | None = parser.parse_args(words).at
    if address is not None and not re.match(r"https?://\w", address):
        parser.error(f"--at is an address, such as https://example.org/docs/, and not {address}.")
    return None if address is None else f"{address.rstrip('/')}/"


def main(words: list[str] | None = None) -> int:
    """Makes the site; returns the exit status of Zensical, whose words are printed without colours and traceback."""
    address = site_address(words)
    gather()
    configure(address)
    command = [sys.executable, "-m", "zensical", "build", "--strict"]
    done = subprocess.run(command, cwd=BOOK, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(re.sub(r"\x1b\[[0-9;]*m", "", done.stdout).partition("Traceback")[0])
    wrong = (
        []
        if done.returncode
        else [*fetched(), *lost(BOOK / "site", address), *unfound(BOOK / "site"), *misplaced(BOOK / "site")]
    )
    if wrong:
        print(*wrong, sep="\n")
        return 1
    if not done.returncode:
        print(f"open {BOOK / 'site' / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
