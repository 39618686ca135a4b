"""Every Python block of the README and the docs runs as it stands, in the order in which a page has them."""

import importlib.util
import re
import warnings
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="trl is not installed")

from places import RECIPES, ROOT

import grpo_rewards as gr

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


RUN_HERE = [page for page in PAGES if page.name != "integrations.md"]  # tests/integrations/test_page.py has that one


@pytest.mark.parametrize("page", RUN_HERE, ids=[str(page.relative_to(ROOT)) for page in RUN_HERE])
def test_the_python_of_a_page_runs(page, monkeypatch, tmp_path):
    """In what looks like the root of a clone, and keeps what the blocks write out of this one."""
    (tmp_path / "recipes").symlink_to(RECIPES)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for number, block in enumerate(BLOCK.findall(page.read_text()), 1):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)  # noqa: S102  # this is the test


# python runs here, console in tests/command_line/test_commands_page.py; text is what was printed
LANGUAGES = {"python", "console", "bash", "text", "toml", "yaml", "mermaid"}
BORROWED = [ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md")]
BORROWED += [RECIPES / "README.md"]


@pytest.mark.parametrize("page", [*PAGES, *BORROWED], ids=lambda page: str(page.relative_to(ROOT)))
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


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
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
    parts = (gr, gr.answers, gr.checkup, gr.describing, gr.loss, gr.monitor, gr.scoring, gr.testing)
    # a constant is told where it is used; a page has no room for tables of names
    names = {name for part in parts for name in part.__all__ if not name.isupper()}
    assert names - described == set(), "name them in a page of docs/api"


def test_the_notebook_is_the_tutorial():
    spec = importlib.util.spec_from_file_location("make_notebook", ROOT / "docs" / "make_notebook.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.notebook() == (ROOT / "docs" / "tutorial.ipynb").read_text(), "run python docs/make_notebook.py"


def test_what_the_page_of_rewards_says_of_a_reward_is_complete():
    page = (ROOT / "docs" / "rewards.md").read_text()
    sections = re.findall(r"^## `(\w+)`\n(.*?)(?=^## )", page, re.DOTALL | re.MULTILINE)
    for name, section in sections:
        reward = gr.get_reward(name)
        for word in (*reward.reasons, *reward.signature.options):
            assert f"`{word}`" in section, (name, word)
        assert f"[`{name}`](#{name})" in page, name
    ours = [name for name in gr.list_rewards() if gr.get_reward(name).__module__.startswith("grpo_rewards.")]
    missing = sorted(set(ours) - {name for name, _ in sections})
    if missing:  # a reward is documented by its docstring; the page has more to say
        warnings.warn(f"docs/rewards.md has no section about {', '.join(missing)}", stacklevel=1)
