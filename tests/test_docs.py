"""Every block of Python and bash of the README and the docs runs as it stands, in the order in which a page has them.

Which commands do not, and why, stands in tests/shared/page_blocks.py.
"""

import json
import os
import re
import runpy
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from tables import each_row

pytest.importorskip("trl", reason="trl is not installed")

from page_blocks import BLOCK as RUNNABLE
from page_blocks import (
    LONG,
    LONG_FROM,
    NOT_RUN,
    PAGES,
    WITH_COMMANDS,
    begins,
    clone,
    commands,
    of_ours,
    run_commands,
    run_quickly,
    runs_long,
    title,
    to_run,
)
from places import RECIPES, ROOT

import grpo_rewards as gr
from grpo_rewards import extraction
from grpo_rewards.checks import find_breaches
from grpo_rewards.registry.function import FunctionReward

BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


# tests/integrations/test_page.py has that one
RUN_HERE = [page for page in PAGES if page.name != "integrations.md" and RUNNABLE.search(page.read_text())]


def is_shortened(page):
    """Whether a part of the page is left out here, or run without the shell in which a reader runs it."""
    blocks = [block for language, block in RUNNABLE.findall(page.read_text()) if language == "bash"]
    return title(page) in {*LONG, *LONG_FROM} or any(of_ours(one) for block in blocks for one in commands(block))


@pytest.fixture
def run_page(monkeypatch, tmp_path):
    """Runs a page in what looks like a clone, and keeps what the blocks write out of this one."""

    def run(page, *, long=False):
        clone(tmp_path)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "path", list(sys.path))
        names: dict[str, object] = {"__name__": "__main__"}
        for number, (language, block) in enumerate(RUNNABLE.findall(page.read_text()), 1):
            if language == "python" and not long and runs_long(page, block):
                return names
            if language == "python":
                exec(compile(block, f"{page.name}, block {number}", "exec"), names)  # noqa: S102  # this is the test
            elif wanted := to_run(page, block, long=long):
                (run_commands if long else run_quickly)(wanted, tmp_path, os.environ)
        return names

    return run


# What stands beside a completion in rows for the rewards that pages define, by column.
COLUMNS = {"source": "Euclid", "city": "Lyon", "question": "2 + 2", "tests": ["add(1, 2) == 3"], "answer": "4"}
# Those that are there to show what breaks the contract, with the clauses that they break.
BROKEN_ON_PURPOSE = {"cites_first": ["hostile", "unscorable"], "contains": ["unscorable"]}
IN_A_MODULE = ["pickled", "spawned"]  # what holds of rewards that are defined in a file alone


def breaches(reward, without=()):
    """The clauses that a reward of a page breaks, on rows with the columns that it reads."""
    golds = {name: COLUMNS[name] for name in reward.columns}
    rows = [{"completion": "As Euclid shows, 4.", **golds}] if golds else None
    unset = {name: reward.example[name] for name in reward.unset}
    return [one.clause for one in find_breaches(reward.bind(**unset), rows, without=[*IN_A_MODULE, *without])]


def defined_in(names):
    return {one.name: one for one in names.values() if isinstance(one, FunctionReward) and one.__module__ == "__main__"}


@pytest.mark.parametrize("page", RUN_HERE, ids=title)
def test_a_page_runs_and_the_rewards_that_it_defines_keep_the_contract(page, run_page):
    own = defined_in(run_page(page))
    assert {name: breaches(one, ["linear"]) for name, one in own.items()} == {
        name: BROKEN_ON_PURPOSE.get(name, []) for name in own
    }
    assert own or "\n@reward" not in page.read_text()


@pytest.mark.full
@pytest.mark.parametrize("page", [*filter(is_shortened, RUN_HERE)], ids=title)
def test_a_page_runs_with_what_takes_long_and_every_command_in_a_shell(page, run_page):
    run_page(page, long=True)


@pytest.mark.full
@pytest.mark.parametrize("page", [page for page in RUN_HERE if "reward\n" in page.read_text()], ids=title)
def test_the_rewards_of_a_page_take_as_long_as_their_texts(page, run_page):
    for one in defined_in(run_page(page)).values():
        assert breaches(one) == BROKEN_ON_PURPOSE.get(one.name, [])


def test_a_command_that_is_not_run_is_there_and_says_why():
    left_out = {(page, one): why for page, entries in NOT_RUN.items() for one, why in entries.items()}
    left_out |= {(page, one): "long" for page, entries in LONG.items() for one in entries}
    found = {
        (title(page), begins(command, [one for where, one in left_out if where == title(page)]))
        for page in WITH_COMMANDS
        for language, block in RUNNABLE.findall(page.read_text())
        if language == "bash"
        for command in commands(block)
    }
    assert {*left_out} <= found, "no command of the page begins so"
    assert all(left_out.values())
    python = [(page, block) for page in RUN_HERE for _, block in RUNNABLE.findall(page.read_text())]
    assert [title(page) for page, block in python if runs_long(page, block)] == [*LONG_FROM]


def test_every_command_beside_the_docs_says_why_it_is_not_run():
    """Those pages are not run, since their blocks of Python are parts of files."""
    for page in WITH_COMMANDS:
        for language, block in RUNNABLE.findall(page.read_text()) if page not in RUN_HERE else ():
            for command in commands(block) if language == "bash" else ():
                assert begins(command, NOT_RUN[title(page)]) is not None, command


# python and bash run here, console in tests/command_line/test_commands_page.py; text is what was printed
LANGUAGES = {"py", "python", "console", "bash", "text", "toml", "yaml", "mermaid", "diff"}
BORROWED = [ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md")]
BORROWED += [RECIPES / "README.md"]


@each_row("page", [*PAGES, *BORROWED])
def test_every_block_says_what_it_is(page):
    fences = re.findall(r"^ *(?:```|~~~)(.*)$", page.read_text(), re.MULTILINE)
    assert len(fences) % 2 == 0
    assert {*fences[::2]} <= LANGUAGES
    assert {*fences[1::2]} <= {""}


def test_what_a_page_shows_of_a_package_is_what_the_package_has():
    package = ROOT / "docs" / "examples" / "plain_speech"
    page = (ROOT / "docs" / "write-a-reward.md").read_text()
    (entry,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (contract,) = re.findall(r"^@pytest.*?(?=^```)", page, re.DOTALL | re.MULTILINE)
    assert entry in (package / "pyproject.toml").read_text()
    assert contract in (package / "tests" / "test_rewards.py").read_text()


def shown(page: Path) -> str:
    """What a reader sees: without comments."""
    return re.sub(r"<!--.*?-->", "", page.read_text(), flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """What a heading is called in a link: in lower case, hyphens for spaces, without the punctuation."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    objects = set(re.findall(r"^::: (\S+)$", text, re.MULTILINE))  # which mkdocstrings makes headings of
    return objects | {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@each_row("page", PAGES)
def test_the_links_of_a_page_lead_somewhere(page):
    for path, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)", shown(page)):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"


LESSON = re.compile(
    r"^## (The (?:course|notebook|lecture|blog|illustrated breakdown))\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE
)


def test_each_item_of_a_lesson_has_a_place_and_runs_or_says_why_not():
    lessons = LESSON.findall((ROOT / "docs" / "grpo-by-hand.md").read_text())
    assert len(lessons) == 5
    for lesson, table in lessons:
        rows = [line.strip("|").split(" | ") for line in table.strip().splitlines()[2:]]
        assert len(rows) > 10, lesson
        for item, where, runs in rows:
            assert "](" in where, item
            assert re.fullmatch(r"yes(,.*)?|(no|in part).*: .*|in part: .*", runs.strip()), (item, runs)


def test_the_readme_promises_what_its_comments_say():
    block = BLOCK.findall((ROOT / "README.md").read_text())[0]
    promised = dict(re.findall(r"^(gr\..*?)  # (.*)$", block, re.MULTILINE))
    assert len(promised) == 2
    for expression, value in promised.items():
        shown = repr(eval(expression, {"gr": gr}))  # noqa: S307  # the README's own lines
        assert shown.startswith(value.partition("…")[0]), expression


def test_every_spec_for_who_comes_from_elsewhere_is_one():
    tables = (ROOT / "docs" / "coming-from.md").read_text().partition("## Measured")[0]
    rows = [
        line.strip("|").split(" | ") for line in tables.splitlines() if line.startswith("| ") and "theirs" not in line
    ]
    specs = [spec for _, ours, _ in rows for spec in re.findall(r"`([^`]+)`", ours)]
    assert len(specs) > 30
    for spec in specs:
        assert gr.get_reward(spec).range is not None, spec


def test_every_public_name_is_described_on_the_site():
    text = "\n".join(page.read_text() for page in (ROOT / "docs" / "api").glob("*.md"))
    described = {line.rpartition(".")[2] for line in text.splitlines() if line.startswith("::: ")}
    parts = (gr, gr.answers, gr.checks, gr.describing, extraction, gr.loss, gr.scoring)
    # a constant is told where it is used; a page has no room for tables of names
    names = {name for part in parts for name in part.__all__ if not name.isupper()}
    assert names - described == set(), "name them in a page of docs/api"


def test_the_notebook_is_the_tutorial():
    notebook = runpy.run_path(str(ROOT / "docs" / "make_notebook.py"))["notebook"]
    assert notebook() == (ROOT / "docs" / "tutorial.ipynb").read_text(), "run python docs/make_notebook.py"


def test_the_pages_of_rewards_are_complete():
    index = (ROOT / "docs" / "rewards.md").read_text()
    shared = (ROOT / "docs" / "rewards" / "correctness.md").read_text().partition("\n## ")[0]
    described = set()
    for page in sorted((ROOT / "docs" / "rewards").glob("*.md")):
        for name, section in re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", page.read_text(), re.DOTALL | re.MULTILINE):
            reward = gr.get_reward(name)
            whole = section + (shared if name in ("boxed_answer", "final_answer", "tagged_answer") else "")
            for word in (*reward.reasons, *reward.signature.options):
                assert f"`{word}`" in whole, (name, word)
            link = f"rewards/{page.name}" + ("" if page.stem == name else f"#{name}")
            assert f"[`{name}`]({link})" in index, name
            described.add(name)
    ours = {name for name in gr.list_rewards() if gr.get_reward(name).__module__.startswith("grpo_rewards.")}
    assert described == ours


LONGEST_SENTENCE = 40  # words
PROSE = [*PAGES, *BORROWED, RECIPES / "README.md", ROOT / "CODE_OF_CONDUCT.md"]


def sentences(page):
    """The sentences of a page's prose, without code, tables, headings and comments."""
    text = re.sub(r"^(```|~~~).*?^\1|<!--.*?-->", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    prose = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith(("|", "#")))
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.)\s)", prose):
        yield from re.split(r"(?<=[.!?:;])\s+(?=[A-Z`\[(\"*\d])|(?<=[.!?])\s", paragraph.replace("\n", " "))


@each_row("page", PROSE)
def test_no_sentence_has_to_be_read_twice_for_its_length(page):
    assert [one for one in sentences(page) if len(one.split()) > LONGEST_SENTENCE] == []


def made_site():
    return SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "make_site.py")))


@pytest.mark.parametrize(
    ("address", "link", "is_lost"),
    [
        (None, "/guides/a.html", False),
        (None, "/grpo-rewards/guides/a.html", True),
        ("https://example.org/grpo-rewards/", "/grpo-rewards/guides/a.html", False),
        ("https://example.org/grpo-rewards/", "/guides/a.html", True),  # what a site without an address has there
    ],
)
def test_the_page_for_what_is_not_there_leads_into_the_site(address, link, is_lost, tmp_path):
    (tmp_path / "guides").mkdir()
    (tmp_path / "guides" / "a.html").touch()
    (tmp_path / "404.html").write_text(f'<a href="{link}#top">a</a>')
    assert bool(made_site().lost(tmp_path, address)) is is_lost


def test_the_search_of_the_site_finds_what_readers_of_the_lessons_look_for(tmp_path):
    site = made_site()
    lessons = [ROOT / "docs" / "grpo-by-hand.md", *(ROOT / "docs" / "lessons").glob("*.md")]
    items = [{"title": page.stem, "text": f"<p>{page.read_text()}</p>"} for page in lessons]
    index = tmp_path / "search.json"
    index.write_text(json.dumps({"items": items}))
    assert site.unfound(tmp_path) == []
    index.write_text(json.dumps({"items": items[1:]}))  # the page that names them is not in the index
    assert "the search finds no grpo_group_normalize" in site.unfound(tmp_path)


def test_the_site_is_made_for_an_address():
    site = made_site()
    address = site.site_address(["--at", "https://example.org/docs"])
    assert address == "https://example.org/docs/"
    written = site.addressed((ROOT / "docs" / "zensical.toml").read_text(), address)
    assert tomllib.loads(written)["project"]["site_url"] == address
    assert not site.FETCHES.search('<link rel="canonical" href="https://example.org/docs/a.html">')
    assert site.FETCHES.search('<link rel="stylesheet" href="https://example.org/docs/a.css">')
