"""Statements of which every word is known, in many languages and orders: they say yes, or by two denials yes, or no."""

import pytest
from choosing_texts import assert_chosen, assert_unpaid

from grpo_rewards.answers.multiple_choice.vocabulary import folded_words, meaning_of

CHOOSES_B = [
    # what is left
    "Por descarte, nos quedamos con la opción B.",
    "A und C fallen weg; übrig bleibt B.",
    "A et C sont trop larges, D est hors sujet. Il ne reste que la B.",
    "Eliminando A, C e D, sobra a alternativa B.",
    "Escludendo A, C e D, rimane la B.",
    "Варианты A и C противоречат условию. Остаётся вариант B.",
    "Відкидаємо A, C і D, тож залишається B.",
    "Odpadają A, C i D, więc zostaje B.",
    "A, C en D vallen af. Dan blijft B over.",
    "A, C och D stämmer inte. Kvar blir B.",
    "A, C ve D elendiğinde geriye B kalır.",
    "Loại A, C và D, chỉ còn lại B.",
    "Setelah A, C, dan D dieliminasi, yang tersisa adalah B.",
    "نستبعد A وC وD، فيبقى الخيار B.",
    "با حذف A و C و D، گزینه B باقی می‌ماند.",
    "A, C और D को हटाने पर केवल B बचता है।",
    "A, C ও D বাদ দিলে বাকি থাকে B।",
    "ตัด A, C และ D ออก จึงเหลือข้อ B",
    "Απορρίπτουμε τα A, C και D, άρα μένει το B.",
    "A, C, D를 제외하면 B만 남는다.",
    "A、C、Dはいずれも本文と矛盾する。よってBが残る。",
    "Not A, not C, not D: B.",
    "Die anderen Antworten sind falsch, also B.",
    # two denials
    "The only option that isn't wrong is B.",
    "Every option except B is wrong.",
    "All but B can be ruled out.",
    "Nothing but B fits.",
    "The only choice that doesn't contradict the data is B.",
    # another order, mood or script
    "Die richtige Antwort müsste B sein.",
    "Det är B som är rätt.",
    "گزینه‌های A و C با متن هم‌خوانی ندارند؛ بنابراین گزینهٔ B درست است.",
    "সঠিক উত্তর হল B।",
    "الخيار B هو الصحيح.",
    "Doğru seçenek B'dir.",
    "Sin duda, la B.",
    "Cevap B olmalıdır, çünkü diğer seçenekler paragrafla çelişiyor.",
    "Aucune réponse sauf B n'est juste.",
    "Από το κείμενο προκύπτει ότι σωστό είναι το B.",
    "지문과 일치하는 것은 B이다.",
    "| B | **correct** |",
]
DOES_NOT_CHOOSE_B = [
    "Es bleiben A und B übrig.",
    "On élimine A et C. Restent B et D.",
    "Si restasse solo la B, la scelta sarebbe facile.",
    "Loại B, chỉ còn lại D.",
    "B বাদ দিলে বাকি থাকে A।",
    "Απορρίπτουμε το B, άρα μένει το D.",
    "C와 B만 남는다.",
    "剩下B还没有分析。",
    "Reste à examiner B.",
    "B remains to be checked.",
    "After eliminating A, both B and C remain.",
    "Not B, not C, not D: A.",
    "Die anderen Antworten sind richtig, also ist B falsch.",
    "The only option that isn't right is B.",
    "The only one that fails is B.",
    "Every option except B is right.",
    "Everything but B is correct.",
    "Nothing speaks for B.",
    "The only choice that contradicts the data is B.",
    "Nehmen wir an, das Gas sei ideal. Dann wäre B richtig.",
    "A opção correta seria a B, se não fosse a data.",
    "گزینهٔ B صحیح نیست.",
    "সঠিক উত্তর B নয়।",
    "Η σωστή απάντηση δεν είναι η B.",
    "Poprawną odpowiedzią nie jest B.",
    "Analiza wskazuje, że błędna jest odpowiedź B.",
    "只有B选项与原文不一致。",
    "以上のことから、Bを選ぶのは妥当ではない。",
    "Doğru seçenek B değildir.",
    "Dudo que la B sea correcta.",
    "答えはBだとは考えられない。",
    "남은 것은 A와 B이다.",
    "Z tekstu nie wynika, że poprawna odpowiedź to B.",
    "Alla fine non resta in piedi neanche la B.",
    "지문과 일치하지 않는 것은 B이다.",
    "วันนี้ข้อ B ไม่ถูกต้อง",
    "Wielu uczniów uważa, że poprawna jest B.",
    "Final choice: none of them; B is wrong as well.",
]


@pytest.mark.parametrize("text", CHOOSES_B)
def test_b_is_chosen(text):
    assert_chosen(text, "B")
    assert_unpaid(text, "A")


@pytest.mark.parametrize("text", DOES_NOT_CHOOSE_B)
def test_b_is_not_chosen(text):
    assert_unpaid(text, "B")


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("Übrig", "remains"),
        ("richtiger", "right"),
        ("неправильным", "wrong"),
        ("صحيحة", "right"),
        ("ruled out", "wrong"),
        ("xylophone", None),
    ],
)
def test_a_word_is_known_without_accents_and_by_its_stem(word, meaning):
    assert meaning_of(folded_words(word)) == meaning
