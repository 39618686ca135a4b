"""A completion that leads to one option in words that nobody listed, and texts that only speak of one."""

import pytest
from choosing_texts import assert_chosen, assert_unpaid

GASES = ["Oxygen", "Nitrogen", "Argon", "Helium"]
CITIES = ["Paris", "Lyon", "Nice", "Lille"]
DRUGS = ["Amoxicillin", "Ciprofloxacin", "Doxycycline", "Metronidazole"]
LENGTHS = ["3 m", "6 m", "9 m", "12 m"]
DYNASTIES = ["唐朝", "宋朝", "元朝", "明朝"]
ARABIC = {"text": ["القاهرة", "بغداد", "الرباط", "تونس"], "label": ["أ", "ب", "ج", "د"]}
HEBREW = {"text": ["חיפה", "ירושלים", "באר שבע", "אילת"], "label": ["א", "ב", "ג", "ד"]}
THAI = {"text": ["เชียงใหม่", "ภูเก็ต", "กรุงเทพมหานคร", "ขอนแก่น"], "label": ["ก", "ข", "ค", "ง"]}
KANA = {"text": ["一", "二", "三", "四"], "label": ["ア", "イ", "ウ", "エ"]}
RESTS = [
    ("Since there is a fever, you'd give doxycycline. 😊 Hope that helps!", "C", DRUGS),
    ("The patient should be treated with doxycycline, given the tick bite.", "C", DRUGS),
    ("Here first-line therapy consists of **Metronidazole**, because anaerobes are suspected.", "D", DRUGS),
    ("Paris is the capital, Nice is by the sea. So we need the city in the north: Lille.", "D", CITIES),
    ("Fourvière stands above **Lyon** (option B).\n\nShall I explain why Nice (C) is not meant?", "B", CITIES),
    ("Let's compute: 3 × 4 = 12, so the rope is 12 m long.", "D", LENGTHS),
    ("Die Stadt an der Rhône heißt Lyon.", "B", CITIES),
    ("郑和下西洋发生在**明朝**。", "D", DYNASTIES),
    # labels in the language's own letters are no parts of words
    ("الإجابة الصحيحة هي (ج) الرباط، فهي عاصمة المغرب.", "ج", ARABIC),
    ("התשובה הנכונה היא ב'. הכנסת נמצאת בירושלים.", "ב", HEBREW),
    ("คำตอบที่ถูกต้องคือข้อ ค. กรุงเทพมหานคร", "ค", THAI),
    ("答えは「イ」です。", "イ", KANA),
    # lists with check boxes, arrows
    ("- [ ] A – Paris\n- [x] B – Lyon\n- [ ] C – Nice\n- [ ] D – Lille", "B", CITIES),
    ("(a) Paris\n(b) Lyon\n(c) Nice  ← this one\n(d) Lille", "C", CITIES),
    ("A) Paris – on the Seine. ✗\nB) Lyon – on the Rhône. ✓\nC) Nice – by the sea. ✗", "B", CITIES),
    ("La respuesta correcta es la **c)**: Nice fue italiana.", "C", CITIES),
    ("Answer: C\n\n**Correction:** I miscounted. The right letter is D, please disregard the C above.", "D", CITIES),
]
DOES_NOT_REST = [
    ("Paris is lovely in spring.", "A", CITIES),
    ("Air contains nitrogen and oxygen.", "B", GASES),
    ("The passage mentions nitrogen.", "B", GASES),
    ("I was thinking of nitrogen.", "B", GASES),
    ("Students usually pick nitrogen.", "B", GASES),
    ("Suppose we fill it with helium.", "D", GASES),
    ("So, is it Nice?", "C", CITIES),
    ("So let us look at Lille next.", "D", CITIES),
    ("Therefore it can't be Paris.", "A", CITIES),
    ("So the one to avoid is Ciprofloxacin.", "B", DRUGS),
    ("We must not give doxycycline to this child.", "C", DRUGS),
    ("In total there are 12 m, of which a quarter is used.", "D", LENGTHS),
    ("Half of the rope is 6 m, so the whole is twice as long.", "B", LENGTHS),
    ("The capital is Paris. The question asks for the second city.", "A", CITIES),
    ("如果加入氦气会怎样", "D", ["氧气", "氮气", "氩气", "氦气"]),
    ("- [x] A – Paris\n- [x] B – Lyon\n- [ ] C – Nice", "B", CITIES),
    ("المغرب جميل", "ب", ARABIC),
    ("アメリカ", "ア", KANA),
]


# golds that are no Latin letters, of data without options
LABELLED = [
    ("الخيار الصحيح هو (ج)، لأن الخيارين (أ) و(ب) غير مناسبين.", "ج"),
    ("Σωστή απάντηση είναι η Γ, διότι το άθροισμα είναι 180°.", "Γ"),
    ("ข้อที่ถูกต้องคือ ข. เพราะน้ำเดือดที่ 100 องศา", "ข"),
    ("Тарас Шевченко народився 1814 року, отже, відповідь — В.", "В"),
    ("Правильный вариант — Б. Остальные не подходят: в А перепутаны причина и следствие.", "Б"),
    ("התשובה הנכונה היא ד.", "ד"),
    ("アは主語が異なり、イは時制が合わない。よって答えはウ。", "(ウ)"),
    ("সঠিক উত্তর: গ", "গ"),
    ("با توجه به متن، گزینهٔ ۲ درست است.", "2"),
    ("Option 3.", "3"),
    ("The correct choice is IV.", "IV"),
]
OTHER_LABEL = [
    ("الخيار الصحيح هو (ج).", "ب"),
    ("Правильный вариант — Б.", "В"),
    ("よって答えはウ。", "ア"),
    ("Option 3.", "2"),
    ("There are 2 flags.", "2"),
    ("The correct choice is IV.", "III"),
]


@pytest.mark.parametrize(("text", "gold"), LABELLED)
def test_a_gold_in_another_script_needs_no_options(text, gold):
    assert_chosen(text, gold)


@pytest.mark.parametrize(("text", "gold"), OTHER_LABEL)
def test_another_label_of_such_a_series_is_not_paid(text, gold):
    assert_unpaid(text, gold)


@pytest.mark.parametrize(("text", "gold", "choices"), RESTS)
def test_a_text_chooses_the_option_to_which_it_leads(text, gold, choices):
    assert_chosen(text, gold, choices)


@pytest.mark.parametrize(("text", "gold", "choices"), DOES_NOT_REST)
def test_a_text_that_only_speaks_of_an_option_chooses_none(text, gold, choices):
    assert_unpaid(text, gold, choices)
