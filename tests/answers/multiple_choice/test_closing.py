"""Texts that speak of several options and end with what was asked for, and those that come to no end."""

import pytest
from choosing_texts import assert_chosen, assert_unpaid

WORLDS = ["Mars", "Jupiter", "Venus", "Saturn"]
PLANETS = ["Mercury", "Mars", "Jupiter", "Pluto"]
OCEANS = ["Atlantic", "Indian", "Arctic", "Pacific"]
WRITERS = ["Voltaire", "Diderot", "Rousseau", "Montesquieu"]
MIASTA = ["Kraków", "Gdańsk", "Poznań", "Warszawa"]
PLACES = ["bank", "mailbox", "theater", "hospital"]
MINERALS = ["calcium", "iron", "potassium", "sodium"]
DRUGS = ["Lisinopril", "Metformin", "Atorvastatin", "Hydrochlorothiazide"]
RATES = ["72 km/h", "90 km/h", "108 km/h", "120 km/h"]
METALS = ["aluminum", "gold", "sodium", "lithium"]
STATES = ["Denmark", "Portugal", "Greece", "Austria"]
SPEEDS = ["5 m/s", "10 m/s", "20 m/s", "40 m/s"]
YEARS = ["1492", "1789", "1815", "1848"]
VORGAENGE = ["Photosynthese", "Gärung", "Osmose", "Zellatmung"]
CITIES = ["Lisbon", "Madrid", "Seville", "Barcelona"]
CLOSES = [
    ("Lithium has about 0.53 g/cm³, sodium 0.97, and gold 19.3. Gold is by far the densest of the four.", "B", METALS),
    ("Portugal joined in 1986, Greece in 1981.\n\nDenmark is the country that joined in 1973.", "A", STATES),
    ("v = u + at with u = 0, a = 10 m/s² and t = 2 s.\n\nThe speed of the stone is 20 m/s.", "C", SPEEDS),
    ("Photosynthese ist der Weg zurück, und Gärung braucht keine Luft. Es handelt sich um die Zellatmung.",
     "D", VORGAENGE),
    ("Osmose braucht eine Membran, Gärung nicht. Das ist die Osmose.", "C", VORGAENGE),
    ("La prise de la Bastille a eu lieu le 14 juillet 1789. Ni 1492, ni 1815, ni 1848 ne conviennent.", "B", YEARS),
    ("- **Denmark**: 1973 ✔\n- **Portugal**: 1986 ✘\n- **Greece**: 1981 ✘\n- **Austria**: 1995 ✘", "A", STATES),
    ("The correct answer is A. Denmark joined the EEC in 1973. Option B is wrong because Portugal joined later.", "A",
     STATES),
    ("gonna go w/ madrid, the others are no capitals", "B", CITIES),
    ("i think its b cuz he was tired", "B", None),
    ("Pluto is a dwarf planet. The only gas giant on the list is the third option.", "C",
     PLANETS),
    ("| Ocean | Area |\n|---|---|\n| Atlantic | 85 |\n| Pacific | 155 |\n\n**The largest is the Pacific Ocean.**", "D",
     OCEANS),
    ("On pense souvent à Montesquieu. Du contrat social, c'est bien Rousseau.", "C", WRITERS),
    ("Kraków był stolicą do XVI wieku, ale dzisiejszą stolicą Polski jest oczywiście Warszawa.", "D", MIASTA),
    ("If you broke your leg you'd need X-rays and a cast, so you'd head to the hospital.", "D", PLACES),
    ("Bananas are a good source of potassium, so that's the mineral being asked about.", "C", MINERALS),
    ("Lisinopril does not raise it, nor does metformin. By exclusion, hydrochlorothiazide is the culprit.",
     "D", DRUGS),
    ("25 m/s times 3.6 gives 90 km/h, so the car is travelling at 90 km/h.", "B", RATES),
    ("Correct choice: D — Warszawa has been the capital since 1596.", "D", MIASTA),
    ("The stages that span the whole life are not Freud's — choose D.", "D", None),
    ("The capital of Portugal is Lisbon. Seville is a larger city, but not the capital.", "A", CITIES),
    ("She should document the incident and report it; walking out would leave it unsolved.", "B",
     ["Quit without notice", "Document the incident and report it", "Ignore it"]),
    ("A 25% discount on 108 km/h takes off 18, which leaves a speed of 90 km/h.", "B", RATES),
    ("A) Incorrect – it lowers it.\nB) Correct – it is released in fasting.\nC) Incorrect – too slow.", "B", None),
    ("Final answer -> b", "B", None),
    ("C'est Rousseau qui l'a écrit, et non Voltaire comme on le croit parfois.", "C", WRITERS),
    ("Gold är den enda av de fyra som inte rostar.", "B", METALS),
    ("Students often mark A as they forget the word EXCEPT. We want what does not apply, and that makes D the answer.",
     "D", None),
    ("The only one that does not rust is gold.", "B", METALS),
    ("Sodium reacts with water. Gold is the only metal that does not react with it.", "B", METALS),
    ("D) is correct.\n\nA: too narrow.\nB: contradicts line 14.\nC: never mentioned.", "D", None),
    ("A. Lisbon\nB. Madrid\nC. Seville\nD. Barcelona\n\nThe court moved to Madrid, so: B", "B", CITIES),
    ("Light comes from gold (B) and not from sodium (C), which only burns.", "B", METALS),
    ("teh anwser is C i think lol", "C", None),
    ("Ich schwanke zwischen A und D, entscheide mich aber für D.", "D", None),
    ("Jag är inte helt säker, men jag väljer E.", "E", None),
    ('{"resposta": "C", "justificativa": "A opção A inverte a ordem dos fatos."}', "C", None),
    # a denial of something else, before a comma
    ("Thoạt nhìn có thể chọn D, nhưng đề hỏi vận tốc chứ không phải gia tốc. Vậy ta chọn B.", "B", None),
    ("Сначала кажется, что правильный ответ D. В условии сказано «не является», поэтому выбираю вариант A.", "A", None),
    ("很多同学会误选C，原因是忽略了阻力。本题不计阻力，机械能守恒，正确选项为A。", "A", None),
    ("乍一看答案是A，但题目问的是“不正确的一项”。逐项核对后，错误的是D项，故选D。", "D", None),
    ("처음에는 A라고 생각했지만 '옳지 않은 것'을 묻고 있으므로 D가 정답입니다.", "D", None),
    ("You suggested that the answer is B, but I disagree: it runs exactly n times, so my choice is D.", "D", None),
    ("La A confunde masa y peso. Nos quedamos con la tercera opción.", "C", CITIES),
    ("On retiendra donc la proposition C.", "C", None),
    ("Два в третьей степени равно восьми, значит верен последний вариант.", "D", ["2", "4", "6", "8"]),
    ("Die Präposition verlangt den Genitiv.", "B", ["der Dativ", "der Genitiv", "der Akkusativ"]),
    ("It is one of longing. I'd describe it as \"wistful\" rather than \"hostile\".", "B", ["hostile", "wistful"]),
    ("Q17 = B\n(the enzyme is inhibited, Vmax unchanged)", "B", None),
    ("Your neighbour says C, but your neighbour is mistaken; the correct option is B.", "B", None),
    ("I can't give medical advice, but as an exam question the expected answer is C.", "C", None),
    ("Zaznaczam B.", "B", None),
    ("Vou de B.", "B", None),
    ("With maybe 60% confidence: C.", "C", None),
    ("The penguin is a bird, so the exception is D.", "D", ["whale", "bat", "dolphin", "penguin"]),
    ("prolly gold imo, it does not rust", "B", METALS),
    ("I'd go with B. My final answer, however, is C.", "C", None),
    ("| Option | Correct? |\n|---|---|\n| A | No |\n| B | Yes |\n| C | No |", "B", None),
    ("La respuesta no es A sino B.", "B", None),
    ("B项正确，其余错误。", "B", None),
    ("3x + 5 = 50\n3x = 45\nx = 15", "B", ["12", "15", "18"]),
    ("That makes 15 in total.", "B", ["12", "15", "18"]),
    ("The second statement is correct.", "B", CITIES),
    ("James Clerk Maxwell", "B", ["Newton", "Maxwell", "Faraday", "Ampère"]),
    ("D is out, so is C and so is B.\n\nA", "A", None),
    ("The sentence should continue with Gdańsk, given what was said.", "B", MIASTA),
    ("Most of the light in this alloy comes from gold.", "B", METALS),
]  # fmt: skip
DOES_NOT_CLOSE = [
    ("Lithium is the lightest of these. Gold is the densest of the four.", "B", METALS),
    ("Sodium is the metal that reacts with water. Gold is the metal that does not.", "B", METALS),
    ("Lisbon is the capital of Portugal. Madrid is the capital of Spain.", "B", CITIES),
    ("Lisbon lies on the Tagus. Madrid lies inland. Seville is hot in summer.", "C", CITIES),
    ("Gold is 19.3 g/cm³. Is it the densest? Lithium is 0.53 g/cm³.", "D", METALS),
    ("Some say it was Greece. It isn't Denmark.", "A", STATES),
    ("The first speed is 5 m/s.\n\nThe second speed is 10 m/s.", "B", SPEEDS),
    ("Nach drei Minuten könnte es Gärung sein. Es handelt sich nicht um die Zellatmung.", "D", VORGAENGE),
    ("Допустим, верен вариант B. Тогда у планеты есть кольца, но их нет.", "B", None),
    ("Załóżmy, że poprawna jest C.", "C", None),
    ("If gold were lighter, it would be gold.", "B", METALS),
    ("If you pick gold, you'd have to explain the price of gold.", "B", METALS),
    ("The most expensive is perhaps gold.", "B", METALS),
    ("The lightest is lithium. The heaviest is gold.", "B", METALS),
    ("It is close to gold.", "B", METALS),
    ("قد يظن البعض أن الجواب هو (ب)، لكن الصحيح هو (د).", "ب", None),
    ("By elimination, gold is not the one.", "B", METALS),
    ("A is true but irrelevant: it doesn't address what the question asks. B has the same flaw.", "A", None),
    ("The capital of Portugal is Lisbon. Seville is the capital of Andalusia.", "C", CITIES),
    ("C'est Voltaire que beaucoup citent à tort.", "A", WRITERS),
    ("A) Correct – it is a metal.\nB) Correct – so is this.\nC) Incorrect.", "A", None),
    (
        "She should not document the incident and report it.",
        "B",
        ["Quit without notice", "Document the incident and report it", "Ignore it"],
    ),
    ("Gold is the only one that many students wrongly pick.", "B", METALS),
    ("The only one that fails is gold.", "B", METALS),
    ("A. Lisbon\nB. Madrid\nC. Seville\nD. Barcelona", "A", CITIES),
    ("A: one\nB: two\nC: three", "A", None),
    ("B\nC\nA", "A", None),
    ("Jag är inte helt säker, men många väljer E.", "E", None),
    ("It is not true, that the answer is B.", "B", None),
    ("有人认为，正确答案是B。", "B", None),
    ("如果不计阻力，正确选项为A。", "A", None),
    ("Both B and D are correct here: B because of pressure and D because of mass.", "B", None),
    ("처음에는 A라고 생각했습니다.", "A", None),
    ("Auf den ersten Blick ist die Antwort B.", "B", None),
    ("Note that had the soil been dry, the answer is C.", "C", None),
    ("According to my friend, the answer is B.", "B", None),
    ("At first glance, the answer is B.", "B", None),
    ("Most of them say, the answer is B.", "B", None),
    ("I can't say, but maybe B.", "B", None),
    # set aside, told by somebody else, supposed
    ("Jupiter is the planet that was eliminated.", "B", WORLDS),
    ("Mars is cold. Jupiter is the option that everyone falls for.", "B", WORLDS),
    ("By elimination, B is gone.", "B", None),
    ("We call this B.", "B", None),
    ("B is what you would think.", "B", None),
    ("B. Jupiter is far too cold.", "B", WORLDS),
    ("B. Jupiter has 95 moons. Let us go on to the next one.", "B", WORLDS),
    ("Mars is red. The capital of France lies on the Seine, so that's the answer.", "A", WORLDS),
    ("He says: 'I considered A, but the answer is B.'", "B", None),
    ("Your friend says C; the forum's answer is B.", "B", None),
    ("Tom says A, but not even B is correct.", "B", None),
    ("Mein Lehrer meint, die Antwort ist B.", "B", None),
    ("Mi profesor dice que la respuesta es B.", "B", None),
    ("老师说答案是B。", "B", None),
    ("As long as the membrane lets the solute pass, the answer is B.", "B", None),
    ("要是没有摩擦力，答案是B。", "B", None),
    ("Only B uses the past tense, so it is out.", "B", None),
    ("**Lower bound: 15**", "B", ["12", "15", "18"]),
    ("The patient is allergic to insulin.", "B", ["Metformin", "Insulin", "Aspirin"]),
    ("Option B, Jupiter, has been debunked.", "B", WORLDS),
    ("나는 잘 모르겠습니다.", "나", None),
    ("- Denmark: 1973 ✔\n- Portugal: 1986 ✔\n- Greece: 1981 ✘", "A", STATES),
    ("Ni 1789 ni 1815 ne conviennent.", "B", YEARS),
    ("Option A. Lisbon lies on the Tagus. Option B. Madrid lies on the", "A", CITIES),
]


@pytest.mark.parametrize(("text", "gold", "choices"), CLOSES)
def test_what_a_text_calls_by_what_was_asked_is_chosen(text, gold, choices):
    assert_chosen(text, gold, choices)


@pytest.mark.parametrize(("text", "gold", "choices"), DOES_NOT_CLOSE)
def test_going_through_the_options_chooses_none(text, gold, choices):
    assert_unpaid(text, gold, choices)
