"""Does the completion match a pattern, contain keywords, proceed in steps, compute rightly, or repeat itself?"""

import re
from typing import Any, Literal

from grpo_rewards.answers import equations
from grpo_rewards.completion.linear_patterns import compiled, encodable
from grpo_rewards.completion.padding import (
    CHARACTERS_PER_TOKEN,
    hides_repetitions,
    repeated_share,
    repeated_share_of_text,
    until_end_of_turn,
)
from grpo_rewards.completion.steps import step_contents
from grpo_rewards.completion.turns import before_end_of_turn
from grpo_rewards.completion.whole_words import folded, holds, undisguised
from grpo_rewards.registry import RewardError, reward
from grpo_rewards.rewards.building_blocks.policy_tokens import (
    TOKENS_UNKNOWN,
    Counting,
    Messages,
    Written,
    own_text,
    written_by_policy,
)
from grpo_rewards.verdict import Verdict

__all__ = ["arithmetic_steps", "keywords", "pattern", "reasoning_steps", "repetition"]


def _check_pattern(regex: str, engine: str, max_characters: int) -> None:
    import re2

    if max_characters < 1:
        raise RewardError(f"max_characters must be at least 1, not {max_characters}.")
    try:
        re.compile(regex) if engine == "re" else compiled(regex)
    except UnicodeEncodeError:
        raise RewardError(f"regex {regex!a} holds half of a surrogate pair, which is no character.") from None
    except (re.error, OverflowError, RecursionError) as error:
        raise RewardError(f"regex {regex!r} cannot be used: {error}.") from None
    except re2.error as error:
        why = error.args[0].decode() if isinstance(error.args[0], bytes) else error
        raise RewardError(
            f"regex {regex!r} cannot be used: {why}. Patterns run on RE2, in linear time on any text; it has no "
            "look-around and no back-references. Where you trust the expression, engine='re' takes it, on texts up to "
            "max_characters."
        ) from None


@reward(reasons=("match", "no_match", "too_large"), range=(0.0, 1.0), check=_check_pattern, example={"regex": r"\d+"})
def pattern(
    completion: str, *, regex: str, engine: Literal["re2", "re"] = "re2", max_characters: int = 10_000
) -> Verdict:
    """1 if the regular expression matches somewhere in the completion, else 0.

    The whole text is searched, reasoning included. The expression runs on RE2 (google-re2), in time linear in the text;
    look-around and back-references are refused with a RewardError. To match the whole text, write ``^`` and ``$``. No
    flags are set: ``.`` does not match a newline and ``^`` matches only at the start of the text, unless the expression
    begins with ``(?s)``, ``(?m)`` or ``(?i)``.

    Args:
        completion (str): the text of the last assistant message.
        regex (str): the expression.
        engine (str): ``re2``, the default, or ``re``: Python's own, which has look-around and back-references, but
            which some texts can stall. Use it only for an expression that you trust.
        max_characters (int): with ``engine="re"``, the longest completion that is searched; 10,000 by default.

    Returns:
        1.0 or 0.0, never ``None``. Reasons:

        - ``match``: the expression matches (1.0).
        - ``no_match``: it does not.
        - ``too_large``: with ``engine="re"``, more than ``max_characters`` characters; not searched.

    A policy would try to write only what matches, and that earns 1. Pair this reward with one for the answer.

    >>> pattern.bind(regex=r"(?m)^Answer: -?\\d+$").score("I add.\\nAnswer: 4")
    1.0
    """
    if engine == "re" and len(completion) > max_characters:
        return Verdict(0.0, "too_large")
    found = re.search(regex, completion) if engine == "re" else compiled(regex).search(encodable(completion))
    return Verdict(float(found is not None), "no_match" if found is None else "match")


def _check_keywords(include: Any, exclude: Any, **_: Any) -> None:
    words = [*include, *exclude]
    if not words or not all(isinstance(word, str) and folded(word) for word in words):
        raise RewardError(
            "include and exclude must be lists of words, one at least, that can be seen, "
            f"not {include!r} and {exclude!r}."
        )
    twice = set(map(folded, include)) & set(map(folded, exclude))
    if twice:
        raise RewardError(f"{sorted(twice)[0]!r} is both in include and in exclude.")


@reward(
    reasons=("all", "some", "none", "excluded"),
    range=(0.0, 1.0),
    check=_check_keywords,
    table=("missing",),
    example={"include": ["therefore"]},
)
def keywords(
    completion: str,
    *,
    include: list[str] | tuple[str, ...],
    exclude: list[str] | tuple[str, ...] = (),
    case_sensitive: bool = False,
) -> Verdict:
    """The share of the words in ``include`` that the completion contains; 0 if it contains one of ``exclude``.

    Only whole words and phrases are found: "art" is not found in "start", "C" not in "C++", "can" not in "can't", "5"
    not in "3.5". In scripts without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan) a word
    is found anywhere: ``不知道`` in ``我不知道答案``. Korean particles may follow a word. In all other scripts, Arabic
    and Hebrew too, what is joined to a word makes it another one. How often a word occurs does not matter.

    Before the search, both sides are brought into one form: case (unless ``case_sensitive``), white space, the kind of
    quotation marks and hyphens, and the compatibility forms of Unicode (NFKC) do not matter; emphasis (``**``) and
    invisible characters are removed. Text after the end of the turn is ignored. A word of ``exclude`` is also found
    where letters of other alphabets stand for some of its Latin ones, or where emphasis or a tag stands inside it.

    Args:
        completion (str): the text of the last assistant message.
        include (list[str]): words or phrases that earn the reward. With ``[]``, a completion without a word of
            ``exclude`` earns 1.
        exclude (list[str]): words or phrases that forfeit it; none by default.
        case_sensitive (bool): whether upper and lower case differ; ``False`` by default.

    Returns:
        A float in [0, 1], never ``None``. The detail ``missing`` lists the words that were not found. Reasons:

        - ``all``: every word of ``include`` (1.0).
        - ``some``: at least one, but not all.
        - ``none``: not one (0.0).
        - ``excluded``: a word of ``exclude`` (0.0); the verdict's prediction is that word.

    A policy would try to write the bare words, and that earns 1. Writing one of them many times gains nothing. Pair
    this reward with one for the answer.

    >>> keywords.bind(include=["therefore", "because"], exclude=["maybe"]).score("It is 4, therefore even.")
    0.5
    """
    text = folded(before_end_of_turn(completion), case_sensitive)
    ways = {text, undisguised(text)} if exclude else set()
    unwanted = [word for word in exclude if any(holds(way, folded(word, case_sensitive)) for way in ways)]
    if unwanted:
        return Verdict(0.0, "excluded", prediction=unwanted[0])
    missing = [word for word in include if not holds(text, folded(word, case_sensitive))]
    share = 1 - len(missing) / len(include) if include else 1.0
    reason = "all" if share == 1 else "some" if share else "none"
    return Verdict(share, reason, details={"missing": missing})


def _check_steps(target: int) -> None:
    if target < 1:
        raise RewardError(f"target must be at least 1 step, not {target}.")


@reward(reasons=("enough", "too_few", "none"), range=(0.0, 1.0), check=_check_steps)
def reasoning_steps(completion: str, *, target: int = 3) -> Verdict:
    """``min(1, steps / target)``: the more steps the completion is laid out in, the more it earns.

    A step is a line that begins with a number, a letter or a bullet of a list, "Step 2", "Step two", "第三步", or a
    word such as "First", "Next" or "首先"; some twenty languages are known. A tag such as ``<think>``, the marks of a
    heading and emphasis may stand before it. After the mark it must say something, a letter or a digit, that no other
    step says; behind a heading such as "**Step 1**", the next line may say it. Only the first 100,000 characters
    are read.

    Args:
        completion (str): the text of the last assistant message.
        target (int): how many steps earn 1; 3 by default.

    Returns:
        A float in [0, 1], never ``None``. The detail ``steps`` is the number of steps. Reasons:

        - ``enough``: ``target`` steps or more (1.0).
        - ``too_few``: at least one step.
        - ``none``: no step (0.0).

    Source: after open-r1, where "First, Second, Next," in one line are three steps.

    A policy would try "1. 2. 3.", or the same step again and again. Empty steps earn nothing, and repeated ones count
    once. But the layout alone is rewarded, not the reasoning, so give this reward little weight.

    >>> reasoning_steps.score("1. Add 2 and 3.\\n2. That is 5.\\n3.\\n4. That is 5.")
    0.6666666666666666
    """
    steps = len(step_contents(before_end_of_turn(completion)))
    reason = "enough" if steps >= target else "too_few" if steps else "none"
    return Verdict(min(1.0, steps / target), reason, details={"steps": steps})


@reward(reasons=("all_true", "some_false", "all_false", "no_equations"), range=(0.0, 1.0))
def arithmetic_steps(completion: str) -> Verdict:
    """The share of the arithmetic equations in the completion that are true, from 0 to 1; no model is needed.

    Equations are looked for everywhere, reasoning included: ``16 - 3 - 4 = 9``, GSM8K's ``<<16-3-4=9>>9``, chains
    (``2 + 3 = 5 = 10 / 2``), decimals, fractions, percentages and LaTeX, with or without units. These do not count:

    - an equation with a variable, or one that computes nothing, such as ``5 = 5``, ``7 + 0 = 7`` or ``3 - 3 + 5 = 5``:
      it would be true of any other numbers;
    - one that may be part of something longer, such as ``log 2 + 1 = 3``;
    - the second and every later copy of an equation.

    In a chain that computes something, a later link counts if it computes as well or is false: ``2 + 2 = 4 = 5`` is one
    true and one false equation. A decimal is true if it is a correct rounding (``2 / 3 = 0.67``), a whole number only
    after ``≈``. A percentage is a share: ``100 * 20% = 20%`` is false, ``5/20 * 100 = 25%`` is true.
    Only the first 100,000 characters and 500 equations are looked at.

    Args:
        completion (str): the text of the last assistant message.

    Returns:
        A float in [0, 1]; ``None`` if there are no equations, because a text without arithmetic is neither right nor
        wrong about it. The verdict's prediction is the first false equation. Reasons:

        - ``all_true``: every equation is true (1.0).
        - ``some_false``: some are true, some false.
        - ``all_false``: every equation is false (0.0).
        - ``no_equations``: there are none (``None``).

    A policy would try ``5 = 5``, or one true equation many times; neither counts. Many different easy ones
    (``1 + 1 = 2``, ``1 + 2 = 3``) do count, so use ``gated(arithmetic_steps, by=boxed_answer)`` or give this reward
    little weight.

    >>> arithmetic_steps.score("She has 16 - 3 - 4 = 9 eggs left, so 9 * $2 = $20.")
    0.5
    """
    found = equations(before_end_of_turn(completion))
    if not found:
        return Verdict(None, "no_equations")
    false = [str(one) for one in found if not one.is_true]
    share = 1 - len(false) / len(found)
    reason = "some_false" if 0 < share < 1 else "all_true" if share else "all_false"
    return Verdict(share, reason, false[0] if false else None, details={"equations": len(found), "false": len(false)})


MAX_NGRAM_TOKENS = 20  # longer ones would take much memory on long texts and find nothing more


def _check_repetition(ngram: int, max_penalty: float, **_: Any) -> None:
    if not 1 <= ngram <= MAX_NGRAM_TOKENS or max_penalty > 0:
        raise RewardError(
            f"ngram must be 1 to {MAX_NGRAM_TOKENS} and max_penalty at most 0, not {ngram} and {max_penalty}."
        )


@reward(
    reasons=("distinct", "repeated", "too_short", "tokens_unknown"),
    range=lambda max_penalty, **_: (max_penalty, 0.0),
    check=_check_repetition,
)
def repetition(
    completion: str,
    messages: Messages,
    completion_ids: list[int] | None = None,
    policy_mask: list[int] | None = None,
    *,
    ngram: int = 3,
    max_penalty: float = -1.0,
    counting: Counting,
) -> Verdict:
    """A penalty for repeated n-grams: ``max_penalty * (1 - distinct / all)``, from 0 down to ``max_penalty``.

    N-grams are runs of ``ngram`` token ids. Without token ids they are runs of ``4 * ngram`` characters, four for a
    token, each from where a word or a syllable begins; invisible characters and white space are removed first.
    Characters are then counted a second time, with all numbers made equal and n-grams twice as long, so that
    "wait 1 wait 2 wait 3" is a repetition; the larger share counts.

    With token ids, the characters are looked at too if the text has invisible characters, or gaps other than a space, a
    newline or an empty line, and 30 % of it can be compressed to a quarter, as what repeats can; again the larger share
    counts. Text after the end of the turn is ignored, and so are
    tokens and characters after the first 200,000.

    Args:
        completion (str): the text of the last assistant message.
        messages (list[dict]): the completion as messages, for transcripts with tools.
        completion_ids (list[int] | None): its token ids. ``None``, the default: use the characters.
        policy_mask (list[int] | None): 1 for each token that the policy wrote and 0 for the others, an optional column;
            a rollout of one's own can hand it over.
        ngram (int): the length of an n-gram in tokens, from 1 to 20; 3 by default.
        max_penalty (float): the lowest possible reward, at most 0; -1.0 by default.
        tokenizer: the name or path of the run's tokenizer, which finds the policy's tokens among those of tools and
            environments. ``check_rewards(…, tokenizer=…)`` binds it.
        template_options: the run's ``chat_template_kwargs``, bound in the same way.

    Returns:
        A float in [max_penalty, 0], or ``None``. Reasons:

        - ``distinct``: no n-gram occurs twice (0.0).
        - ``repeated``: some n-gram does.
        - ``too_short``: the completion has fewer than two n-grams (0.0).
        - ``tokens_unknown``: the completion has turns of others, and no ``tokenizer`` or ``policy_mask`` tells which
          tokens are the policy's (``None``).

    Honest text loses a little: with three tokens it repeats some n-grams, long reasoning most of them. With
    ``ngram=20`` a human solution loses nothing, and a loop as much as before.

    Source: Yeo et al. 2025 (arXiv:2502.03373), appendix C.2.

    A policy would try to break up its repetitions with invisible characters, odd gaps or a running number. They are
    found all the same, as described above.

    >>> repetition.bind(ngram=2).score("", completion_ids=[5, 5, 5, 5, 5])
    -0.75
    """
    if completion_ids is None:
        own: Written | None = Written([], own_text(completion, messages))
    else:
        own = written_by_policy(completion, messages, completion_ids, policy_mask, counting)
    if own is None:
        return TOKENS_UNKNOWN
    ids, text = until_end_of_turn(own.ids, own.text)
    shares = [repeated_share(ids, ngram)]
    if completion_ids is None or hides_repetitions(text):
        shares.append(repeated_share_of_text(text, ngram * CHARACTERS_PER_TOKEN))
    known = [share for share in shares if share is not None]
    if not known:
        return Verdict(0.0, "too_short")
    repeated = max(known)
    return Verdict(max_penalty * repeated, "repeated") if repeated else Verdict(0.0, "distinct")
