"""Specs: rewards with options as spelled in YAML and on the command line."""

import contextlib
from pathlib import Path

import contract_rewards
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import each_row, refused, tables_beside

from grpo_rewards import Reward, RewardError, get_reward

TABLES = tables_beside(__file__)


@each_row(
    "spec, options",
    [
        *TABLES["options_of_a_spec_are_python_literals"],
        ("sample_options(maybe=None)", {"maybe": None}),
        ("sample_options(items=(1, 'b', None))", {"items": (1, "b", None)}),
        ("sample_options(table={'a': [1, {2}]})", {"table": {"a": [1, {2}]}}),
    ],
)
def test_options_of_a_spec_are_python_literals(spec: str, options: dict) -> None:
    found = get_reward(spec)
    assert {name: found.options[name] for name in options} == options
    unnamed = set(found.options) - set(options)
    assert all(found.options[name] == contract_rewards.sample_options.options[name] for name in unnamed)


@pytest.mark.parametrize("spec", ["boxed_answer", " boxed_answer ", "boxed_answer()"])
def test_a_spec_without_options_is_the_registered_reward_itself(spec: str) -> None:
    import grpo_rewards

    assert get_reward(spec) is grpo_rewards.boxed_answer


def test_name_in_a_spec_renames_the_reward_and_keeps_its_options() -> None:
    found = get_reward("soft_overlong(max_tokens=10, buffer=5, name='brief')")
    assert found.__name__ == "brief"
    # (5 - 8) / 5: eight tokens are three into a buffer of five
    assert found.score("", completion_ids=range(8)) == -0.6


@each_row(
    "spec, said",
    [
        *TABLES["a_malformed_spec_is_quoted_and_reported_what_is_wrong"],
        (None, "must be a non-empty string, not None"),
        ("pattern(regex='\ud800')", "surrogates"),
    ],
)
def test_a_malformed_spec_is_quoted_and_reported_what_is_wrong(spec: object, said: str) -> None:
    with pytest.raises(RewardError) as error:
        get_reward(spec)
    assert said in str(error.value)
    assert repr(spec) in str(error.value)


def test_a_malformed_spec_shows_how_to_write_one() -> None:
    with pytest.raises(RewardError, match=r'Write a name, or .*: "soft_overlong\(max_tokens=256, buffer=64\)"'):
        get_reward("soft_overlong(256, 64)")
    get_reward("soft_overlong(max_tokens=256, buffer=64)")  # what the message proposes works


DEEP = {
    "a path": "a" + ".b" * 600 + ".c",
    "attributes in an option": "pattern(regex=a" + ".b" * 4000 + ")",
    "calls": "a" + "()" * 3000,
    "sums": "pattern(regex=" + "+".join("1" * 3000) + ")",
    "parentheses": "pattern(regex=" + "(" * 150 + "1" + ")" * 150 + ")",
    "lists": "pattern(regex=" + "[" * 90 + "]" * 90 + ")",
    "signs": "pattern(regex=" + "-" * 9000 + "1)",
}


@each_row("spec", DEEP.values())
def test_a_spec_that_nests_too_deep_is_refused_as_malformed(spec: str) -> None:
    with pytest.raises(RewardError):
        get_reward(spec)


@pytest.mark.parametrize("spec", TABLES["nothing_of_a_spec_is_executed"])
def test_nothing_of_a_spec_is_executed(spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RewardError):
        get_reward(spec)
    assert not list(tmp_path.iterdir())


@each_row("spec, said", TABLES["an_option_that_does_not_fit_is_refused_when_the_spec_is_read"])
def test_an_option_that_does_not_fit_is_refused_when_the_spec_is_read(spec: str, said: str) -> None:
    with refused(said):
        get_reward(spec)


@pytest.mark.filterwarnings("ignore")  # Python warns about odd escapes in a literal
@given(
    st.one_of(
        st.text(max_size=40),
        st.text(alphabet="pattern(regex=')[]{}*,\"\\#:1-", max_size=40),
        st.builds("pattern({})".format, st.text(max_size=30)),
        st.builds("pattern(regex={})".format, st.text(max_size=30)),
    ).filter(lambda text: "." not in text)  # a dotted path would be imported
)
def test_any_text_is_a_reward_or_a_reward_error(text: str) -> None:
    with contextlib.suppress(RewardError):
        assert isinstance(get_reward(text), Reward)


LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text("ab"), inner),
    max_leaves=6,
)


@given(LITERALS)
def test_every_literal_comes_out_of_a_spec_as_it_went_in(value: object) -> None:
    found = get_reward(f"sample_options(anything={value!r})").options["anything"]
    assert found == value
    assert type(found) is type(value)


@given(LITERALS)
def test_the_repr_of_a_reward_is_a_spec_of_it(value: object) -> None:
    bound = contract_rewards.sample_options.bind(anything=value, name="x y")
    assert get_reward(repr(bound)) == bound
