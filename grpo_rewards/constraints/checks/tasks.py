"""IFBench's tasks that are about one subject each: lists of countries and capitals, CSV, dates, questions."""

import csv
import io
import re
from datetime import date
from itertools import dropwhile, pairwise

from grpo_rewards.constraints.finding import Finding, each, found
from grpo_rewards.constraints.reading.words import counted_words, unaccented

MULTIPLES = [str(number) for number in range(14, 51, 7)]
NORTHERN_CAPITALS = (
    "Reykjavik Helsinki Oslo Tallinn Stockholm Riga Moscow Copenhagen Vilnius Minsk Dublin Berlin Amsterdam Warsaw "
    "London Brussels Prague Luxembourg Paris Vienna Bratislava Budapest Vaduz Chisinau Bern Ljubljana Zagreb".split()
)
LATER_CAPITALS = ("Kyiv", "Kiev")  # in the wanted region, but left out by the published list: either way is right
AFRICA = {
    name: number
    for number, names in enumerate(
        "Zimbabwe|Zambia|Uganda|Tunisia|Togo|Tanzania|Sudan|South Sudan|South Africa|Somalia|Sierra Leone|Seychelles|"
        "Senegal|Sao Tome and Principe/Sao Tome & Principe|Rwanda|Nigeria|Niger|Namibia|Mozambique|Morocco|Mauritius|"
        "Mauritania|Mali|Malawi|Madagascar|Libya|Liberia|Lesotho|Kenya|"
        "Ivory Coast/Cote d'Ivoire/Ivory Coast (Cote d'Ivoire)/Cote d'Ivoire (Ivory Coast)|Guinea-Bissau|Guinea|Ghana|"
        "Gambia/The Gambia/Gambia, The|Gabon|Ethiopia|Eswatini/Swaziland/Eswatini (Swaziland)/"
        "Eswatini (formerly Swaziland)|Eritrea|Equatorial Guinea|Egypt|Djibouti|"
        "Democratic Republic of the Congo/Congo, Democratic Republic of the/DR Congo/Congo (Democratic Republic)/"
        "Congo, Democratic Republic/Congo (Kinshasa)/Democratic Republic of Congo/Congo (Democratic Republic of the)|"
        "Republic of the Congo/Congo/Congo, Republic of the/Congo (Republic)/Congo, Republic/Congo (Brazzaville)/"
        "Congo (Congo-Brazzaville)/Republic of Congo/Congo (Republic of the)|Comoros|Chad|Central African Republic|"
        "Cape Verde/Cabo Verde/Cape Verde (Cabo Verde)/Cabo Verde (Cape Verde)|Cameroon|Burundi|Burkina Faso|Botswana|"
        "Benin|Angola|Algeria".split("|")
    )
    for name in names.lower().split("/")
}
FEWEST_COUNTRIES = 52
LIST_MARK = re.compile(r"^\s*(?:\d{1,3}[.)]|[-*•])\s*")
QUESTION = re.compile(r"^[*#\s]{0,9}Question\s*\d*\s*[.|):;]?[*\s]{0,9}", re.MULTILINE)
OPTION_LINE = re.compile(r"\(?[A-Ea-e][.|):]\s*\w")
CITIES = ["ID", "Country", "City", "Year", "Count"]
PRODUCTS = ["ProductID", "Category", "Brand", "Price", "Stock"]
STUDENTS = ["StudentID", "Subject", "Grade", "Semester", "Score"]
SPECIAL_FIELD = re.compile(r'"[^"\n]*[^\w\s"][^"\n]*"')
QUOTED_FIELDS = re.compile(r'\s*"[^"\t]*"\s*(?:\t\s*"[^"\t]*"\s*)*')
BATTLE_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
NAPOLEON = (1769, 1821)


def multiples_of_seven(text: str) -> Finding:
    """The numbers in the text are the multiples of 7 from 10 to 50."""
    numbers = re.findall(r"\d+", text)
    return Finding(numbers == MULTIPLES, f"the numbers {', '.join(numbers[:10])}, wanted {', '.join(MULTIPLES)}")


def choice_questions(text: str) -> Finding:
    """Four questions with the label "Question", each longer than the one before, with five options each."""
    if not QUESTION.match(text.strip()):
        return Finding(False, "it does not begin with 'Question'")
    questions = [one for one in QUESTION.split(text.strip()) if one.strip()]
    lengths = []
    for question in questions:
        rows = [row.strip() for row in question.split("\n")]
        options = [at for at, row in enumerate(rows) if OPTION_LINE.match(row)]
        if len(options) != 5:
            return Finding(False, f"a question with {len(options)} options, wanted 5")
        lengths.append(len(" ".join(rows[: options[0]]).strip()))
    followed = len(questions) == 4 and all(one < after for one, after in pairwise(lengths))
    return Finding(followed, f"{len(questions)} questions of {lengths[:10]} characters, wanted four that grow")


def african_countries(text: str) -> Finding:
    """The countries of Africa from Zimbabwe to Algeria, one on each line; at least 52 of the 54."""
    rows = [unaccented(LIST_MARK.sub("", row)).strip(" .,;*_:") for row in text.split("\n")]
    names = [*dropwhile(lambda row: "Zimbabwe" not in row, filter(None, rows))]
    known = {AFRICA[name.lower()] for name in names if name.lower() in AFRICA}
    is_sorted = names == sorted(names, reverse=True)
    return Finding(
        len(known) >= FEWEST_COUNTRIES and is_sorted,
        f"{len(known)} countries from Zimbabwe on, {'' if is_sorted else 'not '}in reverse order",
    )


def backwards_words(text: str) -> Finding:
    """Read from its last word to its first, the text names the bald eagle."""
    words = counted_words(text.lower())
    return found("bald eagle" in " ".join(reversed(words)), "it names it", "without 'eagle bald'")


def backwards_letters(text: str) -> Finding:
    """Read from its last letter to its first, the text names the bald eagle."""
    return found("elgae dlab" in text.lower(), "it names it", "without 'elgae dlab'")


def european_capitals(text: str) -> Finding:
    """The capitals of Europe north of 45 degrees from north to south, parted by commas."""
    parts = map(str.strip, unaccented(text).strip().removesuffix(".").split(","))
    names = [one for one in parts if one and one not in LATER_CAPITALS]
    wrong = next((one for one, wanted in zip(names, NORTHERN_CAPITALS, strict=False) if one != wanted), None)
    return Finding(
        names == NORTHERN_CAPITALS, f"{len(names)} of {len(NORTHERN_CAPITALS)} names, first wrong: {wrong!r:.40}"
    )


def csv_products(text: str) -> Finding:
    """CSV with the five columns of products and fourteen rows, and a special character in a quoted field."""
    table = csv_table(text, header=PRODUCTS, rows=14)
    if table.followed and SPECIAL_FIELD.search(text.strip().partition("\n")[2]) is None:
        return Finding(False, "no quoted field with a special character")
    return table


def csv_students(text: str) -> Finding:
    """Values parted by tabs with the five columns of students and three rows, each field in double quotes."""
    table = csv_table(text, header=STUDENTS, rows=3, delimiter="\t")
    if table.followed and not all(map(QUOTED_FIELDS.fullmatch, text.strip().split("\n"))):
        return Finding(False, "a field without quotes")
    return table


def csv_table(text: str, *, header: list[str], rows: int, delimiter: str = ",") -> Finding:
    """CSV with these columns and so many rows."""
    try:
        table = list(csv.reader(io.StringIO(text.strip()), delimiter=delimiter, skipinitialspace=True))
    except csv.Error as error:
        return Finding(False, f"no CSV: {error}")
    is_header = [one.strip() for one in table[0]] == header
    is_even = all(len(row) == len(header) for row in table)
    return Finding(
        is_header and is_even and len(table) == rows + 1,
        f"{'the' if is_header else 'another'} header, {len(table) - 1} rows, wanted {rows} of {len(header)}",
    )


def battle_dates(text: str) -> Finding:
    """Dates of Napoleon's life as YYYY-MM-DD, parted by commas."""
    dates = [one.strip() for one in text.strip().removesuffix(".").split(",")]
    return each(dates, _is_date, f"{len(dates)} dates", "is none")


def _is_date(text: str) -> bool:
    if BATTLE_DATE.fullmatch(text) is None:
        return False
    try:
        return NAPOLEON[0] <= date.fromisoformat(text).year <= NAPOLEON[1]
    except ValueError:
        return False
