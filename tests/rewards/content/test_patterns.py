"""What a pattern, a keyword and a step are."""

import pytest

import grpo_rewards as gr
from grpo_rewards.testing import assert_linear


@pytest.mark.parametrize(
    ("regex", "text", "reward"),
    [
        (r"x=\d", "so x=4", 1.0),
        (r"^x=\d$", "so x=4", 0.0),
        (r"A.B", "A\nB", 0.0),
        (r"(?s)A.B", "A\nB", 1.0),
        (r"(?m)^B$", "A\nB\nC", 1.0),
        ("é", "caf\u00e9 \ud800", 1.0),  # a lone surrogate cannot be encoded
    ],
)
def test_pattern(regex, text, reward):
    assert gr.pattern.bind(regex=regex).score(text) == reward


@pytest.mark.parametrize(
    ("bind", "says"),
    [
        (lambda: gr.pattern.bind(regex="(?=x)"), "look-around"),
        (lambda: gr.pattern.bind(regex="("), "missing"),
    ],
)
def test_bad_options_are_refused_when_they_are_bound(bind, says):
    with pytest.raises(gr.RewardError, match=says):
        bind()


@pytest.mark.parametrize(
    ("text", "points", "said"),
    [
        ("Therefore it is so because.", 1.0, "all"),
        ("THEREFORE", 0.5, "some"),
        ("thereforebecause", 0.0, "none"),
        ("there\u200bfore, because\n", 1.0, "all"),
        ("therefore therefore", 0.5, "some"),
        ("therefore because, as an\nAI", 0.0, "excluded"),
        ("therefore because, a**s** an AI", 0.0, "excluded"),
    ],
)
def test_keywords(text, points, said):
    verdict = gr.keywords.bind(include=["therefore", "because"], exclude=["as an AI"]).explain(text)
    assert (verdict.reward, verdict.reason) == (points, said)


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("1. Add.\n2. Multiply.\n3. Check.", 3),
        ("1. 2. 3.", 0),
        ("1.\n2.\n3.", 0),
        ("Step 1: Add.\n**Step 2**: Multiply.", 2),
        ("- Add.\n* Multiply.\n• Add.", 2),
        ("First, add.\nNext, multiply.\nFinally, check.", 3),
        ("First, Second, Next, Finally", 0),
        ("Step 1 Step 2 Step 3", 0),
        ("I. II. III.", 0),
        ("首先，其次，最后", 0),
        ("1. 12\n2. 15\n3. 18", 3),
        ("1. First, add 2.\n2. A", 2),
        ("3.5 is a number", 0),
        ("It is 4.", 0),
    ],
)
def test_a_step_is_a_line_that_says_something_new(text, steps):
    assert gr.reasoning_steps.explain(text).details["steps"] == steps
    assert gr.reasoning_steps.bind(target=10).score(text) == steps / 10


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("<think>1. Add.\n2. Double.</think>10", 2),
        ("<think>\nStep 1: add\n</think>\nStep 2: double", 2),
        ("Step one: add.\nSTEP TWO - double\nStep III: check\nStep (4): say\nStep #5: go", 5),
        ("第一步：相加\n第2步：乘二\n第 3 步，检查", 3),
        ("步骤1：相加\n步骤二：乘二\n首先，相减\n最后，说", 4),
        ("一、相加\n（二）乘二\n③ 检查\n4、说", 4),
        ("まず、足す\n次に、倍にする\nステップ3：確認\n手順4 言う", 4),
        ("1단계: 더하기\n둘째, 빼기\n마지막으로 확인", 3),
        ("Schritt 1: addieren\nÉtape 2 : doubler\nPaso 3: sumar\nШаг 4: сложить\nBước 5: cộng", 5),
        ("Zuerst addieren.\nEnsuite, doubler.\nLuego, sumar.\nЗатем сложить.\nثم اجمع", 5),
        ("الخطوة 1: اجمع\nالخطوة الثانية: اضرب\nचरण ३: जोड़ें\nขั้นตอนที่ 4: บวก", 4),
        ("### Step 1\nAdd.\n\n**Step 2**\n\nDouble.\n## 3. Check", 3),
        ("**1. Add**\n**(2)** Double\n> 3. Check\n1\\. Say", 4),
        ("\\item Add\n\\textbf{Step 2:} Double", 2),
        ("a) add\nb) double\n(c) check\nii. say", 4),
        ("Step 1:\nStep 2:\nStep 3:", 0),
        ("Step 1\n</think>\n10", 0),
        ("- Step 1:\n- Step 2:", 0),
        ("1. Step 1: Add\n2. Step 2: Add.", 1),
        ("1. That is 5.\n2. That is 5!\n3.  that IS 5", 1),
        ("1. 2 + 3\n2. 2 - 3", 2),
        ("12:30 is noon\n1,000 is much\n2024 was good\nA man came\n---\nI. e. so", 1),
        ("I took the first step. Then I slept.", 0),
        ("Stepping out, I saw 1.\nFirstborn\nNextdoor", 0),
    ],
)
def test_steps_are_known_in_many_languages_and_layouts(text, steps):
    assert gr.reasoning_steps.explain(text).details["steps"] == steps


@pytest.mark.parametrize(
    ("word", "text", "is_there"),
    [
        ("不知道", "我不知道答案", True),
        ("不知道", "我不 知\n道答案", True),
        ("答え", "その答えは4です", True),
        ("カタカナ", "これはｶﾀｶﾅです", True),
        ("ตอบ", "คำตอบคือสี่", True),
        ("ຂ້ອຍ", "ຂ້ອຍຮັກເຈົ້າ", True),
        ("ចម្លើយ", "នេះជាចម្លើយរបស់ខ្ញុំ", True),
        ("အဖြေ", "ဒါကအဖြေပါ", True),
        ("ก", "กี่", False),  # a vowel sign makes it another syllable
        ("학교", "나는 학교에서 간다", True),
        ("학교", "대학교", False),
        ("사과", "사과나무", False),
        ("42", "共有42个", True),
        ("42", "共有142个", False),
        ("GPU", "使用GPU训练", True),
        ("GPU", "使用GPUs训练", False),
        ("ответ", "ответы", False),
        ("جواب", "الجواب", False),  # what is joined makes another word
        ("नहीं", "मैं नहीं जानता", True),
        ("जान", "मैं नहीं जानता", False),
        ("C", "C++ and C#", False),
        ("C++", "C++11, C++.", True),
        ("C#", "in C#.", True),
        (".NET", "on .NET, so", True),
        ("node.js", "Node.js!", True),
        ("node.js", "nodexjs", False),
        ("5", "3.5 or 5,000", False),
        ("5", "5. Or", True),
        ("can", "can't, can’t", False),
        ("it", "it's", True),
        ("don't", "I don’t", True),
        ("fact", "a matter-of-fact tone", True),
        ("snake", "snake_case", False),
        ("word", "a _word_ **word**", True),
        ("as a result", "as a **result**", True),
        ("istanbul", "İSTANBUL", True),
        ("λόγος", "ΛΌΓΟΣ", True),
        ("STRASSE", "straße", True),
        ("maybe", "m\u0430ybe", False),
    ],
)
def test_whole_words_in_any_script(word, text, is_there):
    assert gr.keywords.bind(include=[word]).score(text) == is_there
    assert (gr.keywords.bind(include=[], exclude=[word]).score(text) == 0.0) >= is_there


def test_look_alikes_hide_no_excluded_word():
    verdict = gr.keywords.bind(include=[], exclude=["maybe"]).explain("m\u0430yb\u0435 \u0434\u0430")
    assert (verdict.reason, verdict.prediction) == ("excluded", "maybe")


def test_a_word_that_cannot_be_seen_is_refused():
    with pytest.raises(gr.RewardError, match="can be seen"):
        gr.keywords.bind(include=["\u200b"])


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("It is a cafe\u0301.", 1.0),
        ("It is a ｃａｆé.", 1.0),
        ("It is.<|im_end|>café", 0.0),
    ],
)
def test_keywords_go_by_what_is_read(text, points):
    assert gr.keywords.bind(include=["café"]).score(text) == points
    assert gr.keywords.bind(include=["cafe\u0301"]).score(text) == points


def test_a_run_of_accents_does_not_stall_keywords():
    keywords = gr.keywords.bind(include=["café"])
    assert_linear(keywords.score, lambda size: "a" + "\u0301\u0323" * size, 50_000)
