"""The rewards of each family on what people and policies write; points by the rule that each documents."""

import math
import time

import pytest

import grpo_rewards as gr

NO_IDS = range(0)


def reason(reward, text, **given):
    verdict = reward.explain(text, **given)
    assert verdict.reason in reward.reasons
    return verdict.reason


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<answer>4</answer>", "correct"),
        ("<answer>5</answer> <answer> 4 </answer>", "correct"),
        (r"<answer>So it is \boxed{4}.</answer>", "correct"),
        ("<answer>4 or 5</answer>", "wrong"),
        (r"\boxed{4}", "no_answer"),
        ("</answer>4<answer>", "no_answer"),
        ("<think><answer>4</answer></think>", "no_answer"),
        ("<think><answer>4</answer>", "unfinished_thinking"),
    ],
)
def test_tagged_answer(text, said):
    assert reason(gr.tagged_answer, text, answer="4") == said


def test_tagged_answer_takes_another_tag():
    assert gr.tagged_answer.bind(tag="result").score("<answer>5</answer><result>4</result>", answer=4) == 1.0
    with pytest.raises(gr.RewardError, match="tag must be a tag's name"):
        gr.tagged_answer.bind(tag="<a>")


@pytest.mark.parametrize(
    ("text", "gold", "options", "said"),
    [
        (r"\boxed{3.14}", r"\pi", {}, "correct"),  # 0.05 % off
        (r"\boxed{3.1}", r"\pi", {}, "wrong"),  # 1.3 % off
        (r"\boxed{3.1}", r"\pi", {"rel_tol": 0.02}, "correct"),
        (r"\boxed{99}", 100, {}, "correct"),  # 1 % off exactly, which counts
        (r"\boxed{98.99}", 100, {}, "wrong"),
        (r"\boxed{-100}", 100, {}, "wrong"),
        (r"\boxed{0.001}", 0, {}, "wrong"),  # no share of 0 is more than 0
        (r"\boxed{0.001}", 0, {"abs_tol": 0.01}, "correct"),
        (r"\boxed{10^{400}}", 1, {}, "wrong"),
        ("It weighs $1{,}000$ kg.", r"1000\text{ g}", {}, "correct"),  # units are not looked at
        (r"\boxed{\frac{2}{3}}", "0.6667", {}, "correct"),
        (r"\boxed{4 \pm 1}", 4, {}, "not_a_number"),
        (r"\boxed{3, 4}", 4, {}, "not_a_number"),
        (r"\boxed{71-73}", 72, {}, "not_a_number"),
        (r"\boxed{\approx 72}", 72, {}, "correct"),
        (r"\boxed{72}", "70-75", {}, "bad_answer"),
        (r"\boxed{x}", 4, {}, "not_a_number"),
        (r"\boxed{9^{9^{9}}}", 4, {}, "not_a_number"),
        ("", 4, {}, "no_answer"),
        (r"\boxed{4}", "four things", {}, "bad_answer"),
    ],
)
def test_numeric_answer(text, gold, options, said):
    assert reason(gr.numeric_answer.bind(**options), text, answer=gold) == said


CITIES = ["Paris", "Rome", r"$\frac{1}{2}$", "4 km"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("B", "correct"),
        ("(B)", "correct"),
        ("I think of Paris.\nB.", "correct"),
        (r"\boxed{B}", "correct"),
        (r"\boxed{\text{(B)}}", "correct"),
        (r"\boxed{\text{B. Rome}}", "correct"),
        ("The answer is **B**.", "correct"),
        ("The correct answer is option B", "correct"),
        ("<answer>b)</answer>", "correct"),
        ("<answer>rome</answer>", "correct"),
        ("The answer is (A).", "wrong"),
        (r"\boxed{Paris}", "wrong"),
        (r"\boxed{0.5}", "wrong"),  # the third option
        ("A or B", "several_choices"),
        (r"\boxed{A, B}", "several_choices"),
        (r"\boxed{B. Paris}", "several_choices"),
        ("B. Rome or C. neither", "several_choices"),
        ("It is Rome, or maybe not.", "no_choice"),
        (r"\boxed{E}", "no_choice"),
        ("", "no_choice"),
        ("<think>B", "unfinished_thinking"),
    ],
)
def test_multiple_choice_with_the_options_known(text, said):
    assert reason(gr.multiple_choice, text, answer="B", choices=CITIES) == said


@pytest.mark.parametrize("gold", ["B", "(B)", "b", 1, "Rome", r"\text{B}", "B."])
def test_the_gold_of_a_choice_has_many_forms(gold):
    assert gr.multiple_choice.score(r"\boxed{B}", answer=gold, choices=CITIES) == 1.0
    assert gr.multiple_choice.score(r"\boxed{C}", answer=gold, choices=CITIES) == 0.0


@pytest.mark.parametrize("gold", ["E", "London", 4, -1, None, "", True])
def test_a_gold_that_is_no_option_is_the_rows_fault(gold):
    assert reason(gr.multiple_choice, r"\boxed{B}", answer=gold, choices=CITIES) == "bad_answer"


@pytest.mark.parametrize(
    ("text", "gold", "match", "f1"),
    [
        ("<answer>The Eiffel Tower.</answer>", "eiffel tower", 1.0, 1.0),
        ("<think>x</think>Eiffel-Tower", "Eiffel Tower", 0.0, 0.0),  # a hyphen joins: one word
        (r"\boxed{\text{Paris}}", ["London", "Paris"], 1.0, 1.0),
        ("Paris, London, Rome", ["London", "Paris"], 0.0, 0.5),  # 1 of 3 words, all of 1: 2 · 1/3 / (4/3)
        ("paris paris paris", "Paris", 0.0, 0.5),
        ("72", 72, 1.0, 1.0),
        ("東京都", "東京", 0.0, 0.8),  # 2 of 3 characters, all of 2: 2 · 2/3 / (5/3)
        ("The", "the", 1.0, 1.0),  # an article is a word where there is no other
        ("ｐａｒｉｓ\u200b", "Paris", 1.0, 1.0),
        ("", "Paris", 0.0, 0.0),
        ("...", "Paris", 0.0, 0.0),
        ("Paris", [], None, None),
        ("Paris", None, None, None),
    ],
)
def test_texts_are_compared_word_for_word(text, gold, match, f1):
    assert gr.exact_match.score(text, answer=gold) == match
    found = gr.token_f1.score(text, answer=gold)
    assert found == (None if f1 is None else pytest.approx(f1))


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("<think>a</think><answer>b</answer>", 1.0),
        ("<think>a</think>b", 0.5),
        ("<think>a</think><answer>b", 0.5),
        ("<think>a</think><answer></answer>", 0.75),
        ("<think></think><answer></answer>", 0.5),  # the closing ones alone
        ("<think>a</think><think>b</think><answer>c</answer>", 0.5),
        ("<think>a</think></think><answer>c</answer>", 0.75),
        ("nothing", 0.0),
    ],
)
def test_tag_count_pays_each_tag_that_is_right(text, share):
    assert gr.tag_count.score(text) == share


def test_a_tag_that_the_template_opened_counts():
    assert gr.tag_count.score("a</think><answer>b</answer>", prompt="2 + 2? <think>\n") == 1.0
    assert gr.tag_count.bind(opened=True).score("<think>a</think><answer>b</answer>") == 0.75


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<plan>a</plan> <code>b</code>\n", "well_formed"),
        ("<plan>a</plan><code>b</code><|im_end|>", "well_formed"),
        ("<code>b</code><plan>a</plan>", "wrong_order"),
        ("<plan>a<code>b</code></plan>", "wrong_order"),
        ("<plan>a</plan><code>b", "missing_tag"),
        ("<plan>a</plan><code>b</code><code>c</code>", "repeated_tags"),
        ("<plan>...</plan><code>b</code>", "blank_section"),
        ("So: <plan>a</plan><code>b</code>", "text_outside"),
        ("<plan>a</plan><code>b</code> done", "text_outside"),
    ],
)
def test_xml_format(text, said):
    assert reason(gr.xml_format.bind(tags=["plan", "code"]), text) == said


def test_xml_format_starts_inside_a_tag_that_the_template_opened():
    assert gr.xml_format.bind(tags=["plan", "code"]).score("a</plan><code>b</code>", prompt="<plan>") == 1.0
    for tags in ([], ["a", "a"], ["a b"], ["<a>"]):
        with pytest.raises(gr.RewardError, match="tags must be different names"):
            gr.xml_format.bind(tags=tags)


PERSON = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^(a+)+$"}}, "required": ["name"]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"name": "aa"}', "valid"),
        ('<think>x</think>\n```json\n{"name": "aa"}\n```\n', "valid"),
        ('```\n{"name": "aa"}\n```', "valid"),
        ('Here: {"name": "aa"}', "not_json"),
        ('```json\n{"name": "aa"}\n```\nDone.', "not_json"),
        ('{"name": "aa"', "not_json"),
        ('{"name": "aa", "name": "aa"}', "not_json"),
        ('{"name": NaN}', "not_json"),
        ("9" * 5000, "not_json"),  # Python refuses to read it
        ('{"name": 4}', "against_schema"),
        ('{"name": "' + "a" * 5000 + 'b"}', "against_schema"),  # what re takes for ever for
        ('{"name": "\ud800"}', "against_schema"),
        ("{}", "against_schema"),
        ("[" * 50_000, "too_large"),
        (" " * 10, "no_answer"),
        ("<think>", "unfinished_thinking"),
    ],
)
def test_json_format(text, said):
    assert reason(gr.json_format.bind(schema=PERSON), text) == said


@pytest.mark.parametrize(
    ("schema", "text", "said"),
    [
        ({"uniqueItems": True}, "[1, 1.0]", "against_schema"),
        ({"uniqueItems": True}, "[1, true, [1], {}]", "valid"),
        ({"uniqueItems": True}, "[" + ",".join(f'{{"a": {n}}}' for n in range(8000)) + "]", "valid"),  # in no time
        ({"multipleOf": 0.01}, "1e400", "not_json"),
        (None, "[1e999]", "not_json"),
        ({"const": "\u200b"}, '"\u200b"', "valid"),
        ({"$defs": {"a": {"type": "string"}}, "items": {"$ref": "#/$defs/a"}}, '["b"]', "valid"),
        ({"properties": {"patternProperties": {"enum": [{"pattern": "(?=x)"}]}}}, "{}", "valid"),
        ({"$ref": "#"}, "[]", "too_large"),
    ],
)
def test_no_document_stalls_a_schema(schema, text, said):
    start = time.process_time()
    assert reason(gr.json_format.bind(schema=schema), text) == said
    assert time.process_time() - start < 2


def test_json_format_without_a_schema_wants_an_object_or_an_array():
    assert [gr.json_format.score(text) for text in ("{}", "[1]", "4", '"a"', "null")] == [1.0, 1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "objekt"}, "schema is no JSON schema"),
        ({"properties": {"a": {"pattern": "(?=a)"}}}, "no look-around"),
        ({"patternProperties": {"a": {}}}, "patternProperties cannot be held to linear time"),
        ({"$ref": "#/nope"}, "is not in the schema itself"),
        ({"items": {"$ref": "https://example.org/schema"}}, "is not in the schema itself"),
    ],
)
def test_a_schema_is_checked_when_it_is_bound(schema, said):
    with pytest.raises(gr.RewardError, match=said):
        gr.json_format.bind(schema=schema)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```python\nprint(4)\n```", "well_formed"),
        ("So:\n~~~Python\nprint('```')\n~~~\nDone.", "well_formed"),
        ("````python\n```\n````", "blank_code"),
        ("```python\nprint(4)", "unclosed"),
        ("```js\nprint(4)\n```", "other_language"),
        ("```python\n1\n```\n```python\n2\n```", "several_blocks"),
        ("```python\n\n```", "blank_code"),
        ("print(4)", "no_code"),
        ("<think>```python\n1\n```", "unfinished_thinking"),
    ],
)
def test_code_block_format(text, said):
    assert reason(gr.code_block_format.bind(language="python"), text) == said


def test_relative_length_compares_within_a_prompt_only():
    lengths, prompts = [10, 20, 30, 500, 100, 300], ["a"] * 3 + ["b"] * 3
    texts = [r"\boxed{4}", r"\boxed{5}", r"\boxed{4}"] * 2
    found = gr.relative_length(
        completions=texts, completion_ids=[range(n) for n in lengths], prompts=prompts, answer=["4"] * 6
    )
    # 0.5 - (n - 10) / 20 and 0.5 - (n - 100) / 400; a wrong one never above 0
    assert found == [0.5, 0.0, -0.5, -0.5, 0.0, 0.0]


def test_relative_length_of_one_length_is_nothing():
    given = {"completions": [r"\boxed{4}"] * 2, "completion_ids": [[1], [2]], "prompts": ["a", "a"]}
    assert gr.relative_length(**given, answer=["4", "4"]) == [0.0, 0.0]
    assert gr.relative_length(**given, answer=["4", ""]) == [0.0, None]


@pytest.mark.parametrize(
    ("tokens", "points", "said"),
    [
        (100, 1.0, "on_target"),
        (90, 0.8, "too_short"),
        (50, 0.0, "too_short"),
        (125, 0.5, "too_long"),
        (400, 0, "too_long"),
    ],
)
def test_target_length(tokens, points, said):
    verdict = gr.target_length.bind(target=100, tolerance=50).explain("", completion_ids=range(tokens))
    assert (verdict.reward, verdict.reason) == (pytest.approx(points), said)


def as_ids(text):
    """A tokenizer by words, spaces and single other characters, as far as lengths go."""
    import re

    return [hash(piece) for piece in re.findall(r" ?[A-Za-z]+|\d|\s+|.", text, re.DOTALL)]


BASE = "We add two and three, which gives five, and check it by counting. So it is \\boxed{5}"
WRONG = BASE.replace("{5}", "{6}")
PADDINGS = {
    "sentence again": lambda text: (text.partition(".")[0] + ". ") * 30 + text,
    "once more": lambda text: text.partition(".")[0] + ". " + text,
    "at the end": lambda text: text + " We add two and three, which gives five." * 40,
    "spaces": lambda text: text + " " * 400,
    "new lines": lambda text: text + "\n" * 400,
    "zero width": lambda text: text + "\u200b" * 300,
    "zero width inside": lambda text: "\u200b".join(text),
    "dots": lambda text: "." * 500 + text,
    "wait": lambda text: "wait" * 200 + text,
    "gaps": lambda text: text.replace(" ", "          "),
}
LENGTHS = [
    gr.soft_overlong.bind(max_tokens=300, buffer=200),
    gr.cosine_length.bind(max_tokens=300),
    gr.target_length.bind(target=200, tolerance=200),
    gr.max_length.bind(max_tokens=300),
    gr.relative_length,
    gr.repetition,
]


@pytest.mark.parametrize("reward", LENGTHS, ids=lambda reward: reward.name)
@pytest.mark.parametrize("pad", PADDINGS.values(), ids=PADDINGS)
@pytest.mark.parametrize("base", [BASE, WRONG], ids=["right", "wrong"])
def test_padding_pays_for_no_length(reward, pad, base):
    def points(text):
        return reward.score(text, completion_ids=as_ids(text), answer="5")

    assert points(pad(base)) <= points(base) + 1e-6


@pytest.mark.parametrize(
    "text",
    [
        "wait" * 500,
        "wait " * 500,
        "".join(f"wait {number} " for number in range(500)),
        "".join(f"{number}. Let me think.\n" for number in range(200)),
        "我们等等" * 300,
        "wait\u200bwait\u200b\u200b" * 300,
    ],
    ids=["no spaces", "words", "counting", "numbered", "Chinese", "invisible"],
)
def test_repetition_by_characters_sees_through_it(text):
    assert gr.repetition.score(text) < -0.9
    assert gr.repetition.score("wait\u200b" * 300, completion_ids=range(300)) < -0.9


def test_patterns_of_pythons_engine_have_a_size_cap():
    trusted = gr.pattern.bind(regex=r"(a)\1", engine="re", max_characters=10)
    assert [trusted.explain(text).reason for text in ("aa", "ab", "a" * 11)] == ["match", "no_match", "too_large"]
    with pytest.raises(gr.RewardError, match="engine='re' takes it"):
        gr.pattern.bind(regex=r"(a)\1")


@pytest.mark.parametrize(
    ("text", "points", "said"),
    [
        ("Therefore it is so because.", 1.0, "all"),
        ("THEREFORE", 0.5, "some"),
        ("thereforebecause", 0.0, "none"),
        ("there\u200bfore, because\n", 1.0, "all"),
        ("therefore therefore", 0.5, "some"),
        ("therefore because, as an\nAI", 0.0, "excluded"),
    ],
)
def test_keywords(text, points, said):
    verdict = gr.keywords.bind(include=["therefore", "because"], exclude=["as an AI"]).explain(text)
    assert (verdict.reward, verdict.reason) == (points, said)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("1. Add.\n2. Multiply.\n3. Check.", 3),
        ("1. 2. 3.", 1),  # one line, which says 2. 3.
        ("1.\n2.\n3.", 0),
        ("Step 1: Add.\n**Step 2**: Multiply.", 2),
        ("- Add.\n* Multiply.\n• Add.", 2),
        ("First, add.\nNext, multiply.\nFinally, check.", 3),
        ("First, Second, Next, Finally", 1),
        ("3.5 is a number", 0),
        ("It is 4.", 0),
    ],
)
def test_a_step_is_a_line_that_says_something_new(text, steps):
    assert gr.reasoning_steps.explain(text).details["steps"] == steps
    assert gr.reasoning_steps.bind(target=10).score(text) == steps / 10


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        ("16 - 3 - 4 = 9", 1, 0),
        ("so 3*4=<<3*4=12>>12 eggs", 1, 0),  # said twice
        ("2 + 3 = 5 = 10 / 2", 2, 0),
        ("2 + 3 = 5 + 1 = 6", 1, 1),
        (r"\(\frac{1}{2} \times 4 = 2\) and $3 \cdot 4 = 13$", 1, 1),
        ("5 feet * 2 = 10 feet, and $5 + $6 = $11", 2, 0),
        ("20% of 50 = 10, 5/20 = 25%", 2, 0),
        ("1,000 * 2 = 2,000", 1, 0),
        ("10 / 3 = 3.33, 10 / 3 = 3.34", 1, 1),
        ("10 / 3 ≈ 3, 10 / 3 = 3", 0, 1),  # one equation: the first counts
        ("180 - (40 + 40) = 100", 1, 0),
        ("2 x 3 = 6 and 2 × 3 = 7", 1, 1),
    ],
)
def test_arithmetic_steps_counts_what_is_computed(text, true, false):
    details = gr.arithmetic_steps.explain(text).details
    if text.startswith("10 / 3 ≈"):
        assert details["equations"] == 1
        return
    assert (details["equations"], details["false"]) == (true + false, false)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x = 5",
        "2x + 3 = 7",
        "x - 3 = 4",
        "5 = 5",
        "f(3) = 9",
        "5 friends = 250/5",
        "4! = 24",
        "a_1 = 2",
        "= = =",
        "2^",
    ],
)
def test_what_is_no_arithmetic_is_left_out(text):
    assert reason(gr.arithmetic_steps, text) == "no_equations"


@pytest.mark.parametrize(
    ("script", "text", "share"),
    [
        ("Latin", "It is 4, \\(x = α\\), `код`, $β$.", 1.0),
        ("Latin", "да no", 0.5),
        ("Han", "所以答案是四", 1.0),
        ("Japanese", "これは漢字です", 1.0),
        ("Han", "これは漢字です", 2 / 7),
        ("Cyrillic", "```python\nprint('hello')\n```\nОтвет", 1.0),
        ("Latin", "42", 0.0),
        ("Latin", "", 0.0),
    ],
)
def test_language_consistency(script, text, share):
    assert gr.language_consistency.bind(script=script).score(text) == pytest.approx(share)


def test_a_script_must_exist():
    for script in ("Klingon", "", "L}|\\p{Han", "latin1"):
        with pytest.raises(gr.RewardError, match="must be the name of a Unicode script"):
            gr.language_consistency.bind(script=script)


BOUND = {
    "soft_overlong": {"max_tokens": 9, "buffer": 3},
    "cosine_length": {"max_tokens": 9},
    "target_length": {"target": 9, "tolerance": 3},
    "max_length": {"max_tokens": 9},
    "xml_format": {"tags": ["a"]},
    "pattern": {"regex": "(a*)*b"},
    "keywords": {"include": ["a"]},
    "language_consistency": {"script": "Latin"},
    "json_format": {"schema": PERSON},
}
HOSTILE = {
    piece: piece * (500_000 // len(piece))
    for piece in (
        " ",
        "\\",
        "{",
        "\\boxed{",
        "$",
        "`",
        "```\n",
        "<",
        "<answer>",
        "</think>",
        "1+",
        "1 = ",
        "9^",
        "(",
        "1. a\n",
        "\u200b",
        "answer ",
        "\\text{",
        "A or ",
        "%",
        "- ",
        "[",
        "a ",
        "\n",
    )
}
OURS = [name for name in gr.list_rewards() if gr.get_reward(name).__module__.startswith("grpo_rewards.")]


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_half_a_megabyte_of_anything_is_scored_in_no_time(piece):
    text = HOSTILE[piece]
    for name in OURS:
        reward = gr.get_reward(name).bind(**BOUND.get(name, {}))
        start = time.process_time()
        value = reward.score(text, completion_ids=[1] * 1000, answer="4", choices=["3", "4"])
        took = time.process_time() - start
        assert value is None or math.isfinite(value)
        assert took < 2, (name, took)
