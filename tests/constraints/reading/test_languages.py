"""Which language a text is in."""

from __future__ import annotations

import pytest

from grpo_rewards.constraints import judge, read_instructions
from grpo_rewards.constraints.checks.language import response_language
from grpo_rewards.constraints.reading.languages import LANGUAGES, foreign_part, is_in, likeliest

pytest.importorskip("py3langid", reason="py3langid, of the extra [instructions], is not installed")

# the same greeting or sentence in languages that are alike
TEXTS = {
    "en": "The dog runs through the park.",
    "de": "Der Hund läuft durch den Park.",
    "nl": "De hond rent door het park heen.",
    "es": "El perro corre por el parque.",
    "pt": "O cachorro corre pelo parque com as crianças.",
    "it": "Il cane corre attraverso il parco.",
    "ru": "Собака бежит по парку, пока дети играют.",
    "uk": "Собака біжить парком, поки діти граються.",
    "bg": "Кучето тича из парка, докато децата играят.",
    "hi": "कुत्ता पार्क में दौड़ रहा है और बच्चे खेल रहे हैं।",
    "mr": "कुत्रा उद्यानात धावत आहे आणि मुले खेळत आहेत.",
    "ne": "कुकुर पार्कमा दौडिरहेको छ र केटाकेटीहरू खेलिरहेका छन्।",
    "ar": "الكلب يركض في الحديقة بينما يلعب الأطفال.",
    "fa": "سگ در پارک می‌دود در حالی که بچه‌ها بازی می‌کنند.",
    "ur": "کتا پارک میں دوڑ رہا ہے جبکہ بچے کھیل رہے ہیں۔",
    "ja": "犬が公園を走っています。",
    "zh": "狗在公园里跑。",
    "ko": "개가 공원을 달린다.",
    "el": "Ο σκύλος τρέχει στο πάρκο.",
    "th": "สุนัขวิ่งผ่านสวนสาธารณะ",
    "sw": "Mbwa anakimbia kupitia bustani.",
    "fi": "Koira juoksee puiston läpi.",
    "vi": "Con chó chạy trong công viên.",
}


@pytest.mark.parametrize("code", TEXTS)
def test_a_sentence_is_in_its_language_and_in_no_other(code: str) -> None:
    assert [other for other in TEXTS if is_in(TEXTS[code], other)] == [code]


@pytest.mark.parametrize("text", ["Hello.", "Yes.", "OK!", "THE END"])
def test_a_few_words_are_given_the_benefit_of_the_doubt(text: str) -> None:
    assert is_in(text, "en")
    assert not is_in(text, "ko")


OTHER_SCRIPTS = [one for one in TEXTS if not TEXTS[one].isascii() and one not in ("de", "pt", "uk", "vi", "fi")]


@pytest.mark.parametrize("code", [*OTHER_SCRIPTS, "uk", "am", "hy", "ka", "km", "my", "si"])
@pytest.mark.parametrize("text", ["Yes", "No", "OK", "Hello.", "It is four."])
def test_a_language_needs_letters_of_its_script(code: str, text: str) -> None:
    assert not is_in(text, code)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("zh", "好"),
        ("zh", "OK，好"),
        ("ja", "はい"),
        ("ja", "東京"),
        ("ru", "Да"),
        ("ar", "نعم"),
        ("hi", "हाँ"),
        ("en", "Yes"),
        ("ur", "ہاں"),
        ("km", "បាទ"),
    ],
)
def test_one_word_of_its_script_is_enough(code: str, text: str) -> None:
    assert is_in(text, code)


def test_as_published_a_text_is_in_the_likeliest_language_whatever_its_letters() -> None:
    wanted = read_instructions(["language:response_language"], [{"language": "zh"}])
    given = judge("Yes", wanted, as_published=True)[0].followed
    assert given == (likeliest("Yes", LANGUAGES) == "zh")
    assert not judge("Yes", wanted)[0].followed


def test_a_term_in_other_letters_makes_no_other_language() -> None:
    assert is_in("파이썬(Python)에서 리스트(list)를 사용합니다.", "ko")
    assert foreign_part("Der Befehl heißt print und schreibt.\n" * 3, "de") is None


@pytest.mark.parametrize("text", ["\ud800", "\u0301" * 100, "ab\x00cd", "🙂 x"])
def test_any_text_has_an_answer(text: str) -> None:
    assert is_in(text, "en") in (True, False)


GERMAN = "Die Antwort steht in diesem Artikel über die Physik.\n{}\nDort findet man alle weiteren Einzelheiten."
ENGLISH = "The answer is four because two and two are four, and everyone who has ever counted knows that very well."


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", GERMAN.format("https://en.wikipedia.org/wiki/The_Theory_of_Relativity_and_the_History_of_Physics")),
        ("de", GERMAN.format("for name in os.listdir(path): print(os.path.join(path, name), os.stat(name).st_size)")),
        (
            "de",
            GERMAN.format(
                "The Great Gatsby, To Kill a Mockingbird, Lord of the Flies, Pride and Prejudice, Brave New World"
            ),
        ),
        ("de", '```json\n{"antwort": "Die Antwort lautet vier, weil zwei und zwei vier ergibt."}\n```'),
        ("ko", "이 코드를 쓰세요.\n```python\nimport os\ndef main(argument):\n    return os.listdir(argument)\n```"),
        ("zh", "运行 `pip install numpy pandas matplotlib scikit-learn` 即可。"),
    ],
)
def test_code_addresses_and_titles_are_in_no_language(code: str, text: str) -> None:
    assert response_language(text, code).followed


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", f"Ja, gerne.\n```\n{ENGLISH}\n```"),
        ("de", f"Die Antwort ist richtig und gut so.\n{ENGLISH}"),
        ("de", f"Ja.\n`{ENGLISH}`"),
        ("de", "Ja gut.\n" + "; ".join(ENGLISH.split())),
        ("de", "Ja, gerne mache ich das.\n" + ENGLISH.title()),
        ("de", "Ja gern.\nhttp://" + ENGLISH.replace(" ", "/")),
        ("de", "Ja. " + " ".join(f"`{word}`" for word in ENGLISH.split())),
        ("ko", f"네.\n```text\n{ENGLISH}\n```"),
    ],
)
def test_prose_hides_in_none_of_them(code: str, text: str) -> None:
    assert not response_language(text, code).followed
