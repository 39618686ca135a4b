"""The readings of prose in German, French, Spanish, Italian, Portuguese and Chinese, and of their look-alikes."""

from __future__ import annotations

import pytest

import grpo_rewards as gr

GIVEN = [
    ("Also verdient Janet jeden Tag 18 Dollar auf dem Markt.", "18"),
    ("Insgesamt kostet die Reise 1.200 Euro.", "1200"),
    ("Somit fährt der Zug in einer Stunde 80 Kilometer.", "80"),
    ("Der Preis pro Stück ist 2,50 Euro.", "2.5"),
    ("Die Antwort ist 15. Moment, das stimmt nicht: Richtig ist 17.", "17"),
    ("Así, cada botella contiene 3,5 litros.", "3.5"),
    ("La respuesta es 12. No, perdón, son 14.", "14"),
    ("La réponse est 24. Non, pardon, c'est 26.", "26"),
    ("On sait que Paul a 8 billes. Donc Marie en a 16.", "16"),
    ("Chaque élève reçoit 4,5 euros.", "4.5"),
    ("La bonne réponse est la réponse A.", "A"),
    ("Die richtige Antwort ist Antwort C.", "C"),
    ("故选：C．", "C"),
    ("因此选B。", "B"),
    ("Quindi la risposta è 40.", "40"),
    ("Portanto, são 36 laranjas.", "36"),
    ("Elle dépense 12,50 € par semaine.", "12.5"),
    ("Daher beträgt die Summe 55.", "55"),
    ("所以小明还剩8元。", "8"),
]
NOT_GIVEN = [
    ("No puedo resolver el problema de las 9 cajas sin más datos.", "9"),
    ("Ich kann die Aufgabe mit den 12 Äpfeln nicht lösen.", "12"),
    ("Je ne peux pas trouver le prix des 5 stylos.", "5"),
    ("Gegeben ist eine Strecke von 15 km. Gesucht ist die Zeit.", "15"),
    ("On sait que Paul a 8 billes. On cherche combien en a Marie.", "8"),
    ("Se sabe que Ana tiene 10 años. Queremos hallar la edad de Luis.", "10"),
    ("Nehmen wir an, dass x = 8 wäre. Dann ergäbe sich ein Widerspruch.", "8"),
    ("Die Antwort ist 15. Moment, das stimmt nicht: Richtig ist 17.", "15"),
    ("La réponse est 24. Non, pardon, c'est 26.", "24"),
    ("A train travels at 60 km/h. We need to find the time it takes.", "60"),
    ("The rope is 24 m long. It remains to determine the area.", "24"),
    ("La respuesta es 12. No, perdón, son 14.", "12"),
    ("选项B是错误的。", "B"),
    ("Forse 33.", "33"),
    ("Étape 4 : on calcule l'aire.", "4"),
    ("Siehe Seite 12.", "12"),
    ("Mehr als 14.", "14"),
]
WORDS = [
    ("So the meeting falls on a Tuesday.", "Tuesday"),
    ("Therefore, Evelyn has the greatest average speed.", "Evelyn"),
    ("So Ben ran the fastest.", "Ben"),
]
NOT_WORDS = [
    ("So it has the greatest area.", "it"),
    ("Perhaps Evelyn has the greatest average speed.", "Evelyn"),
    ("So Evelyn does not have the greatest speed, and Ben has not the least.", "Ben"),
]
BEHIND_AN_ANSWER = [
    ("Therefore he needs 10 boxes to pack all 115 eggs.", "10", "115"),
    ("Thus n = 8. We can verify that 8^2 - 8 = 56, as required.", "8", "56"),
    ("She used 6 bags for packing all 30 apples.", "6", "30"),
]


@pytest.mark.parametrize(("text", "gold"), GIVEN + WORDS)
def test_given(text: str, gold: str) -> None:
    assert gr.final_answer.score(text, answer=gold) == 1.0


@pytest.mark.parametrize(("text", "gold"), NOT_GIVEN + NOT_WORDS)
def test_not_given(text: str, gold: str) -> None:
    assert gr.final_answer.explain(text, answer=gold).reason in ("no_answer", "wrong")


@pytest.mark.parametrize(("text", "gold", "other"), BEHIND_AN_ANSWER)
def test_what_stands_behind_an_answer_is_none(text: str, gold: str, other: str) -> None:
    assert gr.final_answer.score(text, answer=gold) == 1.0
    assert gr.final_answer.score(text, answer=other) == 0.0
