"""All instructions: the id that data sets give them, the check, and what its arguments must be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from grpo_rewards.constraints.arguments import (
    Reader,
    count,
    language_code,
    letter,
    number_from_one,
    percentage,
    relation,
    text,
    texts,
    word,
)
from grpo_rewards.constraints.checks import (
    copying,
    counts,
    keywords,
    language,
    layout,
    markup,
    published,
    sentences,
    tasks,
    words,
)
from grpo_rewards.constraints.finding import Finding

__all__ = ["NOT_BUILT", "TABLE", "Constraint"]


class Constraint(NamedTuple):
    """How an instruction is checked.

    Attributes:
        check: text and arguments in, a finding out.
        arguments: what reads and checks each argument, by its name in the data sets.
        published: what the published checker decides, where that differs from the description.
    """

    check: Callable[..., Finding]
    arguments: Mapping[str, Reader]
    published: Callable[..., bool] | None


Row = tuple[Callable[..., Finding], dict[str, Reader]]
COPIED: dict[str, Reader] = {"prompt_to_repeat": text}
SPAN: dict[str, Reader] = {**COPIED, "n_start": count, "n_end": count}
POSITION: dict[str, Reader] = {"keyword": word, "n": number_from_one, "m": number_from_one}
LETTER_COUNT: dict[str, Reader] = {"letter": letter, "let_frequency": count, "let_relation": relation}
IFEVAL: dict[str, Row] = {
    "keywords:existence": (keywords.existence, {"keywords": texts}),
    "keywords:frequency": (keywords.frequency, {"keyword": word, "frequency": count, "relation": relation}),
    "keywords:forbidden_words": (keywords.forbidden, {"forbidden_words": texts}),
    "keywords:letter_frequency": (counts.one_letter, LETTER_COUNT),
    "language:response_language": (language.response_language, {"language": language_code}),
    "length_constraints:number_sentences": (counts.number_sentences, {"num_sentences": count, "relation": relation}),
    "length_constraints:number_paragraphs": (layout.divided, {"num_paragraphs": count}),
    "length_constraints:number_words": (counts.number_words, {"num_words": count, "relation": relation}),
    "length_constraints:nth_paragraph_first_word": (
        keywords.first_word_of_paragraph,
        {"num_paragraphs": number_from_one, "nth_paragraph": number_from_one, "first_word": word},
    ),
    "detectable_content:number_placeholders": (counts.placeholders, {"num_placeholders": count}),
    "detectable_content:postscript": (layout.postscript, {"postscript_marker": word}),
    "detectable_format:number_bullet_lists": (layout.bullets, {"num_bullets": count}),
    "detectable_format:constrained_response": (markup.constrained, {}),
    "detectable_format:number_highlighted_sections": (layout.highlights, {"num_highlights": count}),
    "detectable_format:multiple_sections": (layout.sections, {"section_spliter": word, "num_sections": count}),
    "detectable_format:json_format": (markup.json_format, {}),
    "detectable_format:title": (markup.title, {}),
    "combination:two_responses": (layout.two_responses, {}),
    "combination:repeat_prompt": (copying.repeated_first, COPIED),
    "startend:end_checker": (markup.end_phrase, {"end_phrase": text}),
    "startend:quotation": (markup.quotation, {}),
    "change_case:capital_word_frequency": (
        counts.capital_words,
        {"capital_frequency": count, "capital_relation": relation},
    ),
    "change_case:english_capital": (language.capital_english, {}),
    "change_case:english_lowercase": (language.lowercase_english, {}),
    "punctuation:no_comma": (markup.no_comma, {}),
}
IFBENCH: dict[str, Row] = {
    "count:word_count_range": (counts.word_range, {"min_words": count, "max_words": count}),
    "count:unique_word_count": (counts.unique_words, {"N": count}),
    "count:conjunctions": (counts.conjunctions, {"small_n": count}),
    "count:person_names": (counts.person_names, {"N": count}),
    "count:numbers": (counts.numbers, {"N": count}),
    "count:punctuation": (counts.punctuation, {}),
    "count:words_japanese": (counts.japanese_words, {"N": number_from_one}),
    "count:pronouns": (counts.pronouns, {"N": count}),
    "count:keywords_multiple": (keywords.multiple, {f"keyword{number}": word for number in range(1, 6)}),
    "ratio:stop_words": (counts.stop_words, {"percentage": percentage}),
    "ratio:sentence_type": (sentences.two_to_one, {}),
    "ratio:sentence_balance": (sentences.balance, {}),
    "ratio:sentence_words": (sentences.same_length, {}),
    "ratio:overlap": (copying.overlap, {"reference_text": text, "percentage": percentage}),
    "words:alphabet": (words.alphabet, {}),
    "words:vowel": (words.three_vowels, {}),
    "words:consonants": (words.consonant_clusters, {}),
    "words:palindrome": (words.palindromes, {}),
    "words:prime_lengths": (words.prime_lengths, {}),
    "words:repeats": (words.repeats, {"small_n": count}),
    "words:last_first": (sentences.last_first, {}),
    "words:paragraph_last_first": (words.paragraph_ends_as_it_starts, {}),
    "words:no_consecutive": (words.no_same_letter, {}),
    "words:keywords_specific_position": (keywords.at_word_of_sentence, POSITION),
    "words:words_position": (keywords.second_words, {"keyword": word}),
    "sentence:alliteration_increment": (sentences.alliteration, {}),
    "sentence:keyword": (keywords.in_sentence, {"word": word, "N": number_from_one}),
    "sentence:increment": (sentences.increment, {"small_n": count}),
    "format:parentheses": (markup.nested_brackets, {}),
    "format:quotes": (markup.nested_quotes, {}),
    "format:options": (markup.one_option, {"options": text}),
    "format:newline": (words.one_per_line, {}),
    "format:emoji": (sentences.emoji, {}),
    "format:line_indent": (layout.indented, {}),
    "format:quote_unquote": (markup.explained_quotes, {}),
    "format:list": (layout.separated_list, {"sep": word}),
    "format:thesis": (markup.thesis, {}),
    "format:sub-bullets": (layout.sub_bullets, {}),
    "format:no_bullets_bullets": (layout.bullets_behind_sentences, {}),
    "format:title_case": (words.title_case, {}),
    "format:output_template": (markup.template, {}),
    "format:no_whitespace": (layout.no_whitespace, {}),
    "custom:multiples": (tasks.multiples_of_seven, {}),
    "custom:mcq_count_length": (tasks.choice_questions, {}),
    "custom:reverse_newline": (tasks.african_countries, {}),
    "custom:word_reverse": (tasks.backwards_words, {}),
    "custom:character_reverse": (tasks.backwards_letters, {}),
    "custom:sentence_alphabet": (sentences.in_alphabet, {}),
    "custom:european_capitals_sort": (tasks.european_capitals, {}),
    "custom:csv_city": (tasks.csv_cities, {}),
    "custom:csv_special_character": (tasks.csv_products, {}),
    "custom:csv_quotes": (tasks.csv_students, {}),
    "custom:date_format_list": (tasks.battle_dates, {}),
    "repeat:repeat_change": (copying.changed, COPIED),
    "repeat:repeat_simple": (copying.sentence_only, {}),
    "repeat:repeat_span": (copying.span, SPAN),
}
IFTRAIN: dict[str, Row] = {
    "copy:repeat_phrase": (copying.phrase_changed, {"phrase": text, "small_n": count}),
    "copy:copy": (copying.copied, COPIED),
    "copy:copying_simple": (copying.copied, COPIED),
    "copy:copying_multiple": (copying.copied_times, {**COPIED, "N": number_from_one}),
    "new:copy_span_idx": (copying.span_by_index, SPAN),
    "detectable_format:sentence_hyphens": (sentences.hyphens, {}),
    "detectable_format:square_brackets": (words.square_brackets, {}),
    "detectable_format:bigram_wrapping": (words.bigrams_wrapped, {}),
    "keywords:no_adjacent_consecutive": (words.no_consecutive_letters, {}),
    "keywords:word_once": (keywords.once, {"keyword": word}),
    "keywords:word_count_different_numbers": (keywords.so_many_times, {"keyword": word, "frequency": count}),
    "keywords:exclude_word_harder": (keywords.without_word, {"keyword": word}),
    "keywords:palindrome": (words.palindrome, {}),
    "keywords:keyword_specific_position": (keywords.at_word_of_sentence, POSITION),
    "keywords:start_end": (keywords.same_start_and_end, {}),
    "paragraphs:paragraphs": (layout.divided_in_two, {}),
    "paragraphs:paragraphs2": (layout.two_paragraphs, {}),
    "first_word:first_word_sent": (keywords.first_word_of_sentences, {"first_word": word}),
    "first_word:first_word_answer": (keywords.first_word_of_text, {"first_word": word}),
    "last_word:last_word_sent": (keywords.last_word_of_sentences, {"last_word": word}),
    "last_word:last_word_answer": (keywords.last_word_of_text, {"last_word": word}),
    "punctuation:punctuation_dot": (markup.no_dot, {}),
    "punctuation:punctuation_exclamation": (markup.no_exclamation, {}),
    "count:lowercase_counting": (counts.lowercase_words, {"N": count}),
    "count:counting_composition": (sentences.composition, {"n_sent": number_from_one, "n_words": number_from_one}),
    "count:count_unique": (words.unique, {}),
    "count:count_increment_word": (keywords.multiple, {"keyword1": word, "keyword2": word}),
    "letters:letter_counting": (counts.letters, {"N": count, "relation": relation}),
    "letters:letter_counting2": (counts.one_letter, LETTER_COUNT),
}
# A published rule has the name of the check from which it differs.
TABLE: Mapping[str, Constraint] = MappingProxyType(
    {
        name: Constraint(check, arguments, vars(published).get(check.__name__))
        for name, (check, arguments) in {**IFEVAL, **IFBENCH, **IFTRAIN}.items()
    }
)
# What no rule decides: it would take a tagger and a dictionary of syllables.
NOT_BUILT = {
    "words:start_verb": "whether a word is a verb takes a tagger",
    "words:odd_even_syllables": "syllables take a dictionary",
}
