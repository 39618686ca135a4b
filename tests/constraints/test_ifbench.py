"""The instructions of IFBench and IFTrain: what follows each, and what only looks as if."""

from typing import Any

from tables import each_row, tables_beside

from grpo_rewards.constraints import NOT_BUILT, judge, read_instructions
from grpo_rewards.constraints.table import IFBENCH, IFTRAIN

TABLES = tables_beside(__file__)

AFRICA_BACKWARDS = (
    "Zimbabwe Zambia Uganda Tunisia Togo Tanzania Sudan South_Sudan South_Africa Somalia Sierra_Leone "
    "Seychelles Senegal São_Tomé_and_Príncipe Rwanda Republic_of_the_Congo Nigeria Niger Namibia Mozambique "
    "Morocco Mauritius Mauritania Mali Malawi Madagascar Libya Liberia Lesotho Kenya Ivory_Coast Guinea-Bissau "
    "Guinea Ghana Gambia Gabon Ethiopia Eswatini Eritrea Equatorial_Guinea Egypt Djibouti "
    "Democratic_Republic_of_the_Congo Comoros Chad Central_African_Republic Cape_Verde Cameroon Burundi "
    "Burkina_Faso Botswana Benin Angola Algeria"
)
AFRICA = AFRICA_BACKWARDS.replace(" ", "\n").replace("_", " ")
CAPITALS = (
    "Reykjavik, Helsinki, Oslo, Tallinn, Stockholm, Riga, Moscow, Copenhagen, Vilnius, Minsk, Dublin, Berlin, "
    "Amsterdam, Warsaw, London, Brussels, Prague, Luxembourg, Paris, Vienna, Bratislava, Budapest, Vaduz, "
    "Chișinău, Bern, Ljubljana, Zagreb"
)
PALINDROMES = "level radar rotor civic kayak madam refer tenet solos stats"
OPTIONS = "\nA) a\nB) b\nC) c\nD) d\nE) e\n"
QUESTIONS = "".join(f"Question {number}: {'why ' * number}?{OPTIONS}" for number in range(1, 5))
ALPHABET = " ".join(f"{letter}nd so on." for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
CITIES = "ID,Country,City,Year,Count\n" + "1,France,Paris,2020,5\n" * 7
PRODUCTS = "ProductID,Category,Brand,Price,Stock\n" + "1,a,b,2,3\n" * 13 + '1,a,"b&c",2,3'
STUDENTS = '"StudentID"\t"Subject"\t"Grade"\t"Semester"\t"Score"\n' + '"1"\t"a"\t"b"\t"c"\t"2"\n' * 3
KEYWORDS = dict(zip((f"keyword{n}" for n in range(1, 6)), "ant bee cow dog eel".split(), strict=True))
COUNTED = "ant bee bee cow cow cow dog dog dog dog dog eel eel eel eel eel eel eel"
SPAN = {"prompt_to_repeat": "The quick brown fox", "n_start": 1, "n_end": 2}
COLOR = {"prompt_to_repeat": "Name a color."}

Row = tuple[str, dict[str, Any], str, str]
COUNTS: list[Row] = [
    *TABLES["counts"],
    ("count:keywords_multiple", KEYWORDS, f"{COUNTED} plant", f"{COUNTED} ant"),
]
EACH_WORD: list[Row] = TABLES["each_word"]
EACH_SENTENCE: list[Row] = TABLES["each_sentence"]
FORMATS: list[Row] = TABLES["formats"]
TASKS: list[Row] = [
    ("custom:multiples", {}, "14, 21, 28, 35, 42, 49", "7, 14, 21, 28, 35, 42, 49"),
    ("custom:mcq_count_length", {}, QUESTIONS, QUESTIONS.replace("E) e", "")),
    ("custom:reverse_newline", {}, f"Here:\n{AFRICA}", AFRICA.replace("Zambia\nUganda", "Uganda\nZambia")),
    ("custom:reverse_newline", {}, "1. " + AFRICA.replace("\n", "\n1. "), "Zimbabwe" + "\nA" * 60),
    ("custom:word_reverse", {}, "Eagle bald the is animal The", "The bald eagle"),
    ("custom:character_reverse", {}, "elgae dlab eht", "eagle bald"),
    ("custom:european_capitals_sort", {}, CAPITALS, CAPITALS.replace("Oslo, Tallinn", "Tallinn, Oslo")),
    ("custom:european_capitals_sort", {}, CAPITALS.replace("Prague", "Kyiv, Prague") + ".", "Oslo"),
    ("custom:csv_city", {}, CITIES, CITIES.replace("Paris,", "", 1)),
    ("custom:csv_special_character", {}, PRODUCTS, PRODUCTS.replace('"b&c"', "b&c")),
    ("custom:csv_quotes", {}, STUDENTS, STUDENTS.replace('"2"', "2")),
    ("custom:date_format_list", {}, "1796-04-12, 1815-06-18", "1815-02-30"),
]
COPIES: list[Row] = TABLES["copies"]
TRAINED: list[Row] = TABLES["trained"]
ROWS = COUNTS + EACH_WORD + EACH_SENTENCE + FORMATS + TASKS + COPIES + TRAINED


@each_row("name, arguments, follows, fails", ROWS)
def test_a_text_follows_what_is_described_and_its_near_miss_does_not(
    name: str, arguments: dict[str, Any], follows: str, fails: str
) -> None:
    instruction = read_instructions([name], [arguments])
    [good], [bad] = judge(follows, instruction), judge(fails, instruction)
    assert good.followed, good.why
    assert not bad.followed, bad.why


def test_every_instruction_has_its_rows() -> None:
    assert {name for name, *_ in ROWS} == {*IFBENCH, *IFTRAIN}
    assert len(IFBENCH) + len(NOT_BUILT) == 58
    assert len(IFTRAIN) == 29
