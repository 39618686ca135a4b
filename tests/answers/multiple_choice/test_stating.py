"""A short completion that states the text or value of one option and announces nothing."""

import pytest
from choosing_texts import assert_chosen, assert_unpaid

GASES = ["Oxygen", "Nitrogen", "Argon", "Helium"]
ROOTS = ["$\\sqrt{2}$", "$\\sqrt{3}$", "$2\\sqrt{2}$", "$\\sqrt{6}$"]
RENTS = ["$1,200", "$1,325", "$1,450", "$1,580"]
HEPATITIS = ["Hepatitis E", "Hepatitis D", "Hepatitis C", "Hepatitis B", "Hepatitis A"]
SHARES = ["12%", "15%", "18%", "20%"]
HEATS = ["2.4 kJ", "4.8 kJ", "9.6 kJ"]
SPEEDS_UP = ["2 m/s²", "4 m/s²", "6 m/s²"]
PRICES = ["A price floor", "A price ceiling", "A subsidy"]
DRUGS = ["Glipizide", "Metformin", "Insulin glargine"]
STATED = [
    # the last line, shown as a result
    ("From 50 to 59 is 9, and 9/50 = 0.18.\n\n→ **18 %**", "C", SHARES),
    ("3/20 = 0.15.\n\n⇒ 15 percent", "B", SHARES),
    ("Heat released = 4 × 2.4 kJ.\n\n**Heat released: 9.6 kJ**", "C", HEATS),
    ("The force is 12 N.\n\n$$a = \\frac{12}{3} = 4\\ \\text{m/s}^2$$", "B", SPEEDS_UP),
    ("P = 2/4\n\n**P = 1/2**", "B", ["0.25", "0.5", "0.75"]),
    ("Two years at 600.\n\nTotal: **$1,200**", "A", RENTS),
    ("It took two hours.\n\n**Arrival: 6:15 a.m.**", "A", ["6:15 a.m.", "6:45 a.m."]),
    ("الناتج هو ١٥", "B", ["١٢", "١٥", "١٨"]),
    # the one option in bold to which the text leads
    (
        "- **A) A price floor:** a minimum.\n- **B) A price ceiling:** a maximum.\n\nSo rent control is an example of "
        "**B) A price ceiling**.\n\nDo you want to try another question?",
        "B",
        PRICES,
    ),
    ("It holds rents down. This is called **B) A price ceiling**. Want another one?", "B", PRICES),
    ("**B – Metformin** is the recommended first-line agent.", "B", DRUGS),
    ("The most abundant gas in air is nitrogen.", "B", GASES),
    ("The distance is √2.", "A", ROOTS),
    ("She pays $1,450 per month.", "C", RENTS),
    ("It is spread by food and gives lifelong immunity: Hepatitis A.", "E", HEPATITIS),
    ("The rent is $1,325.", "B", RENTS),
]
NOT_STATED = [
    ("**Starting rate: 12 %**\n\nIt then rises by half.", "A", SHARES),
    ("**Rate of the first year: 12 %**\n**Rate of the second year: 15 %**", "B", SHARES),
    ("**Given: 4 m/s²**", "B", SPEEDS_UP),
    ("Is it **18 %**?", "C", SHARES),
    ("Total: **$1,200.50**", "A", RENTS),
    ("x ≠ **18 %**", "C", SHARES),
    ("**Contraindicated: Metformin**", "B", DRUGS),
    ("**B – Metformin** is contraindicated here.", "B", DRUGS),
    ("Rent control is not an example of **B) A price ceiling**.", "B", PRICES),
    (
        "A wage law is an example of **A) A price floor**. Rent control is an example of **B) A price ceiling**.",
        "B",
        PRICES,
    ),
    ("One such law is the **price ceiling**. The question asks for the opposite.", "B", PRICES),
    ("**Metformin**?", "B", DRUGS),
    ("The gas is not nitrogen.", "B", GASES),
    ("Let me look at what nitrogen is: nitrogen.", "B", GASES),
    ("I was thinking of nitrogen.", "B", GASES),
    ("Nitrogen is a gas.", "B", GASES),
    ("The gas could be nitrogen.", "B", GASES),
    ("Is the gas nitrogen?", "B", GASES),
    ("The first option is nitrogen.", "B", GASES),
    ("The gases are oxygen and nitrogen.", "B", GASES),
    ("Many people think the gas is nitrogen.", "B", GASES),
    ("The gas is nitrogen. No, that is wrong.", "B", GASES),
    ("The distance is 2√2.", "A", ROOTS),
    ("The rent is $1,325 or so.", "B", RENTS),
    ("It is close to nitrogen.", "B", GASES),
]


@pytest.mark.parametrize(("text", "gold", "choices"), STATED)
def test_a_stated_option_is_chosen(text, gold, choices):
    assert_chosen(text, gold, choices)


@pytest.mark.parametrize(("text", "gold", "choices"), NOT_STATED)
def test_speaking_of_an_option_does_not_choose_it(text, gold, choices):
    assert_unpaid(text, gold, choices)
