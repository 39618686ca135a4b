"""A completion that leads to one option in words that nobody listed, and texts that only speak of one."""

from choosing_texts import assert_chosen, assert_unpaid
from tables import each_row, tables_beside

TABLES = tables_beside(__file__)

GASES = ["Oxygen", "Nitrogen", "Argon", "Helium"]
CITIES = ["Paris", "Lyon", "Nice", "Lille"]
DRUGS = ["Amoxicillin", "Ciprofloxacin", "Doxycycline", "Metronidazole"]
LENGTHS = ["3 m", "6 m", "9 m", "12 m"]
DYNASTIES = ["唐朝", "宋朝", "元朝", "明朝"]
ARABIC = {"text": ["القاهرة", "بغداد", "الرباط", "تونس"], "label": ["أ", "ب", "ج", "د"]}
HEBREW = {"text": ["חיפה", "ירושלים", "באר שבע", "אילת"], "label": ["א", "ב", "ג", "ד"]}
THAI = {"text": ["เชียงใหม่", "ภูเก็ต", "กรุงเทพมหานคร", "ขอนแก่น"], "label": ["ก", "ข", "ค", "ง"]}
KANA = {"text": ["一", "二", "三", "四"], "label": ["ア", "イ", "ウ", "エ"]}
RESTS = TABLES["rests"]
DOES_NOT_REST = TABLES["does_not_rest"]


# golds that are no Latin letters, of data without options
LABELLED = TABLES["labelled"]
OTHER_LABEL = TABLES["other_label"]


@each_row("text, gold", LABELLED)
def test_a_gold_in_another_script_needs_no_options(text, gold):
    assert_chosen(text, gold)


@each_row("text, gold", OTHER_LABEL)
def test_another_label_of_such_a_series_is_not_paid(text, gold):
    assert_unpaid(text, gold)


@each_row("text, gold, choices", RESTS)
def test_a_text_chooses_the_option_to_which_it_leads(text, gold, choices):
    assert_chosen(text, gold, choices)


@each_row("text, gold, choices", DOES_NOT_REST)
def test_a_text_that_only_speaks_of_an_option_chooses_none(text, gold, choices):
    assert_unpaid(text, gold, choices)
