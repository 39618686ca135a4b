"""Letters and digits in circles, pictures and LaTeX around options."""

import pytest
from choosing_texts import assert_chosen, assert_unpaid

KOREAN = {"text": ["설악산", "한라산", "지리산", "북한산"], "label": ["1", "2", "3", "4"]}
CIRCLED = {"text": ["仅盐酸", "仅硫酸", "盐酸和硫酸", "都不是"], "label": ["①", "②", "③", "④"]}
SIGNS = ["Stop and wait", "Turn right only", "Proceed with caution"]
HALVES = ["$\\frac{2}{7}$", "$\\frac{3}{7}$", "$\\frac{5}{14}$", "$\\frac{1}{2}$"]
CHOOSES = [
    ("정답은 ②번입니다.", "2", KOREAN),
    ("정답: ②", "2", KOREAN),
    ("정답은 2번입니다.", "2", KOREAN),
    ("两种酸都能反应，答案是③。", "③", CIRCLED),
    ("答案是3。", "3", KOREAN),
    ("The answer is Ⓑ.", "B", None),
    ("The answer is 🅱️", "B", None),
    ("Answer: 2️⃣", "2", KOREAN),
    ("🛑 means stop, so (A) Stop and wait 👍", "A", SIGNS),
    ("🎉 B 🎉", "B", None),
    ("The probability is 2/7. So 2/7.", "A", HALVES),
    ("\\boxed{\\text{(D) }\\dfrac{1}{2}}", "D", HALVES),
    # letters and digits of other scripts
    ("الإجابة الصحيحة: (ب)", "B", None),
    ("Правильна відповідь — Б.", "B", None),
    ("Σωστό είναι το Γ.", "C", None),
    ("คำตอบคือ ข.", "B", None),
    ("सही उत्तर: (क)", "A", None),
    ("الإجابة الصحيحة هي ٢", "2", KOREAN),
]
DOES_NOT_CHOOSE = [
    ("Ответ: В", "B", None),  # the third letter, which looks like the second of another script
    ("الإجابة ليست ج", "C", None),
    ("Ответ: не Б", "B", None),
    ("ข. ไม่ถูกต้อง", "B", None),
    ("B 👎", "B", None),
    ("정답은 ③번입니다.", "2", KOREAN),
    ("① 먼저 산을 찾는다.", "A", ["설악산", "한라산"]),
    ("答案是13。", "3", KOREAN),
    ("\\boxed{\\text{(A) }\\dfrac{1}{2}}", "D", HALVES),
    ("\\boxed{\\text{(A) }\\dfrac{1}{2}}", "A", HALVES),
]


@pytest.mark.parametrize(("text", "gold", "choices"), CHOOSES)
def test_a_shaped_letter_names_an_option(text, gold, choices):
    assert_chosen(text, gold, choices)


@pytest.mark.parametrize(("text", "gold", "choices"), DOES_NOT_CHOOSE)
def test_what_does_not_choose_is_not_paid(text, gold, choices):
    assert_unpaid(text, gold, choices)
