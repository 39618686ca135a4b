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
    """

    check: Callable[..., Finding]
    arguments: Mapping[str, Reader]


COPIED: dict[str, Reader] = {"prompt_to_repeat": text}
SPAN: dict[str, Reader] = {**COPIED, "n_start": count, "n_end": count}
POSITION: dict[str, Reader] = {"keyword": word, "n": number_from_one, "m": number_from_one}
LETTER_COUNT: dict[str, Reader] = {"letter": letter, "let_frequency": count, "let_relation": relation}
IFEVAL: dict[str, Constraint] = {
    "keywords:existence": Constraint(keywords.existence, {"keywords": texts}),
    "keywords:frequency": Constraint(keywords.frequency, {"keyword": word, "frequency": count, "relation": relation}),
    "keywords:forbidden_words": Constraint(keywords.forbidden, {"forbidden_words": texts}),
    "keywords:letter_frequency": Constraint(counts.one_letter, LETTER_COUNT),
    "language:response_language": Constraint(language.response_language, {"language": language_code}),
    "length_constraints:number_sentences": Constraint(
        counts.number_sentences, {"num_sentences": count, "relation": relation}
    ),
    "length_constraints:number_paragraphs": Constraint(layout.divided, {"num_paragraphs": count}),
    "length_constraints:number_words": Constraint(counts.number_words, {"num_words": count, "relation": relation}),
    "length_constraints:nth_paragraph_first_word": Constraint(
        keywords.first_word_of_paragraph,
        {"num_paragraphs": number_from_one, "nth_paragraph": number_from_one, "first_word": word},
    ),
    "detectable_content:number_placeholders": Constraint(counts.placeholders, {"num_placeholders": count}),
    "detectable_content:postscript": Constraint(layout.postscript, {"postscript_marker": word}),
    "detectable_format:number_bullet_lists": Constraint(layout.bullets, {"num_bullets": count}),
    "detectable_format:constrained_response": Constraint(markup.constrained, {}),
    "detectable_format:number_highlighted_sections": Constraint(layout.highlights, {"num_highlights": count}),
    "detectable_format:multiple_sections": Constraint(
        layout.sections, {"section_spliter": word, "num_sections": count}
    ),
    "detectable_format:json_format": Constraint(markup.json_format, {}),
    "detectable_format:title": Constraint(markup.title, {}),
    "combination:two_responses": Constraint(layout.two_responses, {}),
    "combination:repeat_prompt": Constraint(copying.repeated_first, COPIED),
    "startend:end_checker": Constraint(markup.end_phrase, {"end_phrase": text}),
    "startend:quotation": Constraint(markup.quotation, {}),
    "change_case:capital_word_frequency": Constraint(
        counts.capital_words,
        {"capital_frequency": count, "capital_relation": relation},
    ),
    "change_case:english_capital": Constraint(language.capital_english, {}),
    "change_case:english_lowercase": Constraint(language.lowercase_english, {}),
    "punctuation:no_comma": Constraint(markup.no_comma, {}),
}
IFBENCH: dict[str, Constraint] = {
    "count:word_count_range": Constraint(counts.word_range, {"min_words": count, "max_words": count}),
    "count:unique_word_count": Constraint(counts.unique_words, {"N": count}),
    "count:conjunctions": Constraint(counts.conjunctions, {"small_n": count}),
    "count:person_names": Constraint(counts.person_names, {"N": count}),
    "count:numbers": Constraint(counts.numbers, {"N": count}),
    "count:punctuation": Constraint(counts.punctuation, {}),
    "count:words_japanese": Constraint(counts.japanese_words, {"N": number_from_one}),
    "count:pronouns": Constraint(counts.pronouns, {"N": count}),
    "count:keywords_multiple": Constraint(keywords.multiple, {f"keyword{number}": word for number in range(1, 6)}),
    "ratio:stop_words": Constraint(counts.stop_words, {"percentage": percentage}),
    "ratio:sentence_type": Constraint(sentences.two_to_one, {}),
    "ratio:sentence_balance": Constraint(sentences.balance, {}),
    "ratio:sentence_words": Constraint(sentences.same_length, {}),
    "ratio:overlap": Constraint(copying.overlap, {"reference_text": text, "percentage": percentage}),
    "words:alphabet": Constraint(words.alphabet, {}),
    "words:vowel": Constraint(words.three_vowels, {}),
    "words:consonants": Constraint(words.consonant_clusters, {}),
    "words:palindrome": Constraint(words.palindromes, {}),
    "words:prime_lengths": Constraint(words.prime_lengths, {}),
    "words:repeats": Constraint(words.repeats, {"small_n": count}),
    "words:last_first": Constraint(sentences.last_first, {}),
    "words:paragraph_last_first": Constraint(words.paragraph_ends_as_it_starts, {}),
    "words:no_consecutive": Constraint(words.no_same_letter, {}),
    "words:keywords_specific_position": Constraint(keywords.at_word_of_sentence, POSITION),
    "words:words_position": Constraint(keywords.second_words, {"keyword": word}),
    "sentence:alliteration_increment": Constraint(sentences.alliteration, {}),
    "sentence:keyword": Constraint(keywords.in_sentence, {"word": word, "N": number_from_one}),
    "sentence:increment": Constraint(sentences.increment, {"small_n": count}),
    "format:parentheses": Constraint(markup.nested_brackets, {}),
    "format:quotes": Constraint(markup.nested_quotes, {}),
    "format:options": Constraint(markup.one_option, {"options": text}),
    "format:newline": Constraint(words.one_per_line, {}),
    "format:emoji": Constraint(sentences.emoji, {}),
    "format:line_indent": Constraint(layout.indented, {}),
    "format:quote_unquote": Constraint(markup.explained_quotes, {}),
    "format:list": Constraint(layout.separated_list, {"sep": word}),
    "format:thesis": Constraint(markup.thesis, {}),
    "format:sub-bullets": Constraint(layout.sub_bullets, {}),
    "format:no_bullets_bullets": Constraint(layout.bullets_behind_sentences, {}),
    "format:title_case": Constraint(words.title_case, {}),
    "format:output_template": Constraint(markup.template, {}),
    "format:no_whitespace": Constraint(layout.no_whitespace, {}),
    "custom:multiples": Constraint(tasks.multiples_of_seven, {}),
    "custom:mcq_count_length": Constraint(tasks.choice_questions, {}),
    "custom:reverse_newline": Constraint(tasks.african_countries, {}),
    "custom:word_reverse": Constraint(tasks.backwards_words, {}),
    "custom:character_reverse": Constraint(tasks.backwards_letters, {}),
    "custom:sentence_alphabet": Constraint(sentences.in_alphabet, {}),
    "custom:european_capitals_sort": Constraint(tasks.european_capitals, {}),
    "custom:csv_city": Constraint(tasks.csv_cities, {}),
    "custom:csv_special_character": Constraint(tasks.csv_products, {}),
    "custom:csv_quotes": Constraint(tasks.csv_students, {}),
    "custom:date_format_list": Constraint(tasks.battle_dates, {}),
    "repeat:repeat_change": Constraint(copying.changed, COPIED),
    "repeat:repeat_simple": Constraint(copying.sentence_only, {}),
    "repeat:repeat_span": Constraint(copying.span, SPAN),
}
IFTRAIN: dict[str, Constraint] = {
    "copy:repeat_phrase": Constraint(copying.phrase_changed, {"phrase": text, "small_n": count}),
    "copy:copy": Constraint(copying.copied, COPIED),
    "copy:copying_simple": Constraint(copying.copied, COPIED),
    "copy:copying_multiple": Constraint(copying.copied_times, {**COPIED, "N": number_from_one}),
    "new:copy_span_idx": Constraint(copying.span, SPAN),
    "detectable_format:sentence_hyphens": Constraint(sentences.hyphens, {}),
    "detectable_format:square_brackets": Constraint(words.square_brackets, {}),
    "detectable_format:bigram_wrapping": Constraint(words.bigrams_wrapped, {}),
    "keywords:no_adjacent_consecutive": Constraint(words.no_consecutive_letters, {}),
    "keywords:word_once": Constraint(keywords.once, {"keyword": word}),
    "keywords:word_count_different_numbers": Constraint(keywords.so_many_times, {"keyword": word, "frequency": count}),
    "keywords:exclude_word_harder": Constraint(keywords.without_word, {"keyword": word}),
    "keywords:palindrome": Constraint(words.palindrome, {}),
    "keywords:keyword_specific_position": Constraint(keywords.at_word_of_sentence, POSITION),
    "keywords:start_end": Constraint(keywords.same_start_and_end, {}),
    "paragraphs:paragraphs": Constraint(layout.divided_in_two, {}),
    "paragraphs:paragraphs2": Constraint(layout.two_paragraphs, {}),
    "first_word:first_word_sent": Constraint(keywords.first_word_of_sentences, {"first_word": word}),
    "first_word:first_word_answer": Constraint(keywords.first_word_of_text, {"first_word": word}),
    "last_word:last_word_sent": Constraint(keywords.last_word_of_sentences, {"last_word": word}),
    "last_word:last_word_answer": Constraint(keywords.last_word_of_text, {"last_word": word}),
    "punctuation:punctuation_dot": Constraint(markup.no_dot, {}),
    "punctuation:punctuation_exclamation": Constraint(markup.no_exclamation, {}),
    "count:lowercase_counting": Constraint(counts.lowercase_words, {"N": count}),
    "count:counting_composition": Constraint(
        sentences.composition, {"n_sent": number_from_one, "n_words": number_from_one}
    ),
    "count:count_unique": Constraint(words.unique, {}),
    "count:count_increment_word": Constraint(keywords.multiple, {"keyword1": word, "keyword2": word}),
    "letters:letter_counting": Constraint(counts.letters, {"N": count, "relation": relation}),
    "letters:letter_counting2": Constraint(counts.one_letter, LETTER_COUNT),
}
TABLE: Mapping[str, Constraint] = MappingProxyType({**IFEVAL, **IFBENCH, **IFTRAIN})
# What no rule decides: it would take a tagger and a dictionary of syllables.
NOT_BUILT = {
    "words:start_verb": "whether a word is a verb takes a tagger",
    "words:odd_even_syllables": "syllables take a dictionary",
}
