"""Finds the steps that a text is laid out in, by their marks at the start of a line, in one linear scan."""

import re
from itertools import islice

from grpo_rewards.completion.text import is_blank, visible

STEP_CHARACTERS_READ = 100_000  # at the start of a text; the rest is not read
MOST_STEPS = 1_000  # further ones are not looked at
STEP_CHARACTERS_COMPARED = 500  # two steps that begin with the same characters are the same step
# The word for "step" in several languages, which a number follows.
STEP_WORDS = (
    "step|schritt|étape|etape|paso|passo|passaggio|etapa|stap|steg|krok|adım|bước|langkah|шаг|крок|этап|βήμα|שלב"
    "|الخطوة|خطوة|گام|مرحله|चरण|ধাপ|ขั้นตอนที่|ขั้นที่|ขั้นตอน|步骤|步驟|ステップ|手順|단계"
)
STEP_NUMBERS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|eins|zwei|drei|vier|fünf|un|une|deux|trois|quatre|cinq"
    "|uno|dos|tres|cuatro|cinco|um|dois|três|due|tre|quattro|один|два|три|четыре|пять|الأولى|الثانية|الثالثة|الرابعة|الخامسة"
    "|एक|दो|तीन|चार|पाँच|[ivx]{1,5}|[一二三四五六七八九十]{1,3}|[a-h]"
)
# A word that puts what follows in an order.
ORDER_WORDS = (
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|next|then|final|last)(?:ly)?"
    r"|to (?:begin|start)(?: with)?|after that|afterwards|subsequently"
    r"|the (?:first|second|third|fourth|fifth|next|final|last) step"
    "|erstens|zweitens|drittens|viertens|zuerst|zunächst|dann|danach|anschließend|schließlich|zuletzt"
    "|d['’]abord|premièrement|deuxièmement|troisièmement|ensuite|puis|enfin|finalement"
    "|primero|segundo|tercero|luego|después|finalmente|por último|primeiro|depois|em seguida|por fim"
    "|innanzitutto|in primo luogo|poi|infine|ten eerste|ten tweede|ten slotte|tot slot|vervolgens|eerst"
    "|najpierw|następnie|na koniec|po pierwsze|po drugie|ilk olarak|önce|sonra|son olarak"
    "|đầu tiên|tiếp theo|sau đó|cuối cùng|pertama|kedua|ketiga|kemudian|selanjutnya|terakhir"
    "|во-первых|во-вторых|в-третьих|сначала|затем|потом|далее|наконец|спочатку|потім|нарешті|по-перше|по-друге"
    "|أولا|أولاً|ثانيا|ثانياً|ثالثا|ثالثاً|رابعا|رابعاً|ثم|أخيرا|أخيراً|पहले|सबसे पहले|फिर|अंत में|इसके बाद"
)
# In scripts without spaces, any letter may follow.
ORDER_WORDS_JOINED = (
    "首先|其次|然后|然後|接着|接著|接下来|接下來|最后|最後|再次|第[一二三四五六七八九十](?=[，,、：:])|まず|次に|つぎに|続いて|最後に"
    "|第[一二三四五六七八九十]に|먼저|다음으로|그다음|마지막으로|첫째|둘째|셋째|넷째|다섯째|첫 번째|두 번째|세 번째"
    "|ขั้นแรก|ต่อไป|จากนั้น|สุดท้าย"
)
# What may stand before the mark: a tag, a quotation, a heading, emphasis, a command of LaTeX.
# It is atomic, so that a line without a step is looked at once.
LEAD = (
    r"^(?=[ \t\u3000]{0,8}[^\s])(?>[ \t\u3000]{0,8}(?:</?(?!step>)[A-Za-z_]{1,20}>[ \t]{0,4}){0,2}"
    r"(?:[#>]{1,6}[ \t]{0,2}|[*_]{1,3}(?![ \t])){0,3}"
    r"(?:\\(?:textbf|section|subsection|subsubsection|paragraph)\*?\{)?)"
)
NAMED = (
    rf"(?:{STEP_WORDS})[ \t]{{0,2}}(?:no\.?|number|\#|nr\.?|n°)?[ \t]{{0,2}}[(（]?"
    rf"(?:\d{{1,3}}|{STEP_NUMBERS})(?![^\W_])"
    rf"|(?:{STEP_WORDS})[ \t]{{0,2}}(?:\d{{1,3}}|[一二三四五六七八九十]{{1,3}})(?!\d)"
    r"|第[ \t]?(?:\d{1,3}|[一二三四五六七八九十]{1,3})[ \t]?[步阶階]|\d{1,3}\.?[ \t]?(?:단계|adım)|<step>"
    rf"|(?:{ORDER_WORDS})(?![^\W_])|(?:{ORDER_WORDS_JOINED})"
)
LISTED = (
    r"[(（]?\d{1,3}(?:\\?[.):．）：、])(?!\d)|\d{1,2}[ \t][-–—][ \t](?=[^\W\d_])|[①-⑳❶-❿]"
    r"|[(（]?[一二三四五六七八九十]{1,3}[、.．:：)）]|\(?(?-i:[a-h]\)|[IVX]{1,5}[.)]|[ivx]{1,5}[.)])[ \t]"
    r"|[-*+–][ \t]|[•◦▪‣●○■►➤·・][ \t]?|\\item\b"
)
STEP_MARK = re.compile(rf"{LEAD}(?:(?P<named>{NAMED})|{LISTED})[*_:：.．)），,、 \t}}\]-]{{0,6}}", re.I | re.M)
# Behind the number or bullet of a list, the name of a step says nothing yet: "1. Step 1:".
NAMED_AGAIN = re.compile(rf"[*_]{{0,2}}(?:{NAMED})[*_:：.．)），,、 \t}}\]-]{{0,6}}", re.I)
# Marks of further steps in the line of one say nothing either: "1. 2. 3.", "First, Next, Then", "Step 1 Step 2".
LONE_STEP_NUMBER = re.compile(r"\d{1,3}\.?")  # "1. 12" says a number, "1. 2. 3." does not
MARK_AGAIN = re.compile(
    rf"[*_]{{0,2}}(?:{NAMED}|{LISTED}|\d{{1,3}}[.)]?(?=[ \t]{{0,4}}(?:\d|$))|(?:[A-Z]|[IVX]{{1,5}})[.)](?![^\W_]))"
    r"[*_:：.．)），,;、 \t}\]-]{0,6}",
    re.I,
)
PUNCTUATION_OF_STEPS = re.compile(r"[\s.,;:!?*_`'\"，。；：！？、．…]+")


def step_contents(text: str) -> set[str]:
    """What each step of a text says, in a form for comparing; a step that says nothing is left out.

    A step is a line that begins with a number, a bullet, a word for a step with its number ("Step 2", "Step two",
    "第二步"), or a word of order ("First", "首先"). Before it there may be a tag, the marks of a heading, a quotation
    or emphasis. Where the line ends behind a word, such as in a heading, the next line that says something counts.

    >>> sorted(step_contents("Step one: add\\n**Step 2**\\n\\nDouble it.\\n3."))
    ['add', 'doubleit']
    """
    text = visible(text[:STEP_CHARACTERS_READ])
    marks = [*islice(STEP_MARK.finditer(text), MOST_STEPS)]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return {_content(mark, end) for mark, end in zip(marks, ends, strict=False)} - {""}


def _content(mark: re.Match[str], end: int) -> str:
    """What a step says, without what does not distinguish it from another; ``""`` if it says nothing."""
    text = mark.string[mark.end() : min(end, mark.end() + STEP_CHARACTERS_COMPARED)]
    line, _, below = text.partition("\n")
    again = NAMED_AGAIN.match(line) if mark["named"] is None else None
    line = line[again.end() :] if again else line
    if is_blank(line) and (mark["named"] or again):  # a heading
        line = next((line for line in below.split("\n") if line.startswith("<") or not is_blank(line)), "<")
    return "" if line.startswith("<") or _is_all_marks(line) else PUNCTUATION_OF_STEPS.sub("", line).casefold()


def _is_all_marks(line: str) -> bool:
    """Whether a line holds nothing but the marks of steps, or no letter and no digit; one number is content."""
    at, marks = 0, 0
    while again := MARK_AGAIN.match(line, at):
        at, marks = again.end(), marks + 1
    return is_blank(line[at:]) and (marks != 1 or is_blank(line) or not LONE_STEP_NUMBER.fullmatch(line.strip()))
