"""An option named before it is called the answer ("so that is the answer"), and one named by its label and its text."""

import pytest
from choosing_texts import assert_chosen, assert_unpaid

CITIES = ["Lisbon", "Madrid", "Seville", "Barcelona"]
PEOPLE = ["Marie Curie", "Ada Lovelace", "Grace Hopper", "Emmy Noether"]
ORGANS = ["Heart", "Lungs", "Liver", "Kidney"]
RULINGS = ["Plessy v. Ferguson", "Marbury v. Madison", "Gideon v. Wainwright", "Brown v. Board of Education"]
SHARES = ["1/6", "1/4", "1/3", "1/2"]
PROCESSOS = ["Respiração", "Fotossíntese", "Digestão", "Fermentação"]
PLANETS = ["Saturn", "Uranus", "Neptune", "Pluto"]
CHOOSES = [
    # called the answer behind it
    ("The first program for a machine was written by Ada Lovelace, so she is the correct answer, not Hopper.", "B",
     PEOPLE),
    ("Philip II moved the court to Madrid in 1561. That's the answer.", "B", CITIES),
    ("Die Hauptstadt wurde Madrid, und das ist die richtige Antwort.", "B", CITIES),
    ("La cour s'installa à Madrid, donc c'est la bonne réponse.", "B", CITIES),
    # label and text beside each other
    ("B. Madrid has been the capital since 1561. Barcelona is in Catalonia, Lisbon in Portugal.", "B", CITIES),
    ("(C) Liver breaks down most toxins of the body.", "C", ORGANS),
    ("The correct choice is A: the heart is the organ that pumps blood. B is wrong because the lungs exchange gases.",
     "A", ORGANS),
    ("The ruling of 1954 was **D. Brown v. Board of Education**. It overturned Plessy v. Ferguson (option A).", "D",
     RULINGS),
    ("Three of six faces are even.\n\nLooking at the list, 1/2 is option (D).", "D", SHARES),
    ("O processo é a fotossíntese, ou seja, a letra B.", "B", PROCESSOS),
    ("As plantas o fazem a partir da luz: é a fotossíntese, isto é, a B.", "B", PROCESSOS),
    # marks with a remark behind them
    ("A) Lisbon ❌ Portugal\nB) Madrid ✅ capital\nC) Seville ❌ Andalusia\nD) Barcelona ❌ Catalonia", "B", CITIES),
    ("ok the weight changes on the moon but the mass doesnt. so its b", "B", None),
    ("The author concedes it. That makes A too strong and D too weak. C is off topic.\n\n#### B", "B", None),
    ("All but one are true of it. It has no capital, so D is false, and since we want the false one, D is the answer.",
     "D", None),
    ("What sets it apart from other cities is Madrid's court, so the answer is Madrid.", "B", CITIES),
]  # fmt: skip
DOES_NOT_CHOOSE = [
    ("The court moved to Madrid in 1561, but that's the answer to another question.", "B", CITIES),
    ("Many would say Madrid. That's the answer most people give.", "B", CITIES),
    ("If it were Madrid, that would be the answer.", "B", CITIES),
    ("It isn't Madrid. That is the answer.", "B", CITIES),
    ("Is it Madrid? That is the answer we have to find.", "B", CITIES),
    ("Uranus rolls on its side. Neptune, by contrast, tilts only 28 degrees.", "C", PLANETS),
    ("Uranus rolls on its side. Pluto, for its part, is no planet.", "D", PLANETS),
    ("A. Lisbon has been the capital of Portugal. B. Madrid has been the capital of Spain.", "A", CITIES),
    ("A. Lisbon lies on the Tagus.\nB. Madrid lies on the Manzanares.\nC. Seville", "A", CITIES),
    ("B. Madrid has not been the capital for so long.", "B", CITIES),
    ("A) Lisbon ✅ coast\nB) Madrid ❌ inland\nC) Seville ❌ inland\nD) Barcelona ✅ coast", "A", CITIES),
    ("It overturned the doctrine of separate schools from Plessy v. Ferguson (option A).", "A", RULINGS),
    ("That makes A too strong.", "A", None),
    ("D is false. Many think that D is the answer.", "D", None),
]


@pytest.mark.parametrize(("text", "gold", "choices"), CHOOSES)
def test_a_choice_by_reference_or_by_label_and_text_is_read(text, gold, choices):
    assert_chosen(text, gold, choices)


@pytest.mark.parametrize(("text", "gold", "choices"), DOES_NOT_CHOOSE)
def test_a_reference_that_does_not_choose_is_not_paid(text, gold, choices):
    assert_unpaid(text, gold, choices)
