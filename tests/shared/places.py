"""Where the tests find what is not in them: the repository, and the data beside it, which need not be there."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECIPES = ROOT / "recipes"
TINY = RECIPES / "embedded" / "tiny_word_problems"
DATA = ROOT.parent / "shared" / "data"

labelled = pytest.mark.skipif(not DATA.is_dir(), reason=f"no labelled data in {DATA}")
