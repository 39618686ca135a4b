"""Where the turn of a completion ends."""

from tables import each_row, tables_beside

from grpo_rewards.completion.turns import before_end_of_turn

TABLES = tables_beside(__file__)


@each_row("marker", TABLES["a_text_ends_at_the_first_end_of_its_turn"])
def test_a_text_ends_at_the_first_end_of_its_turn(marker: str) -> None:
    assert before_end_of_turn(f"4{marker}user 5{marker}") == "4"


@each_row("text", TABLES["a_text_without_a_marker_is_kept_whole"])
def test_a_text_without_a_marker_is_kept_whole(text: str) -> None:
    assert before_end_of_turn(text) == text


@each_row("marker", ["<|im_end|>", "</s>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>", "<eos>"])
@each_row("sign", ["<", "<t", "</", "<|"])
@each_row("signs", [0, 1, 640])
def test_a_marker_is_found_whatever_signs_stand_before_it(marker: str, sign: str, signs: int) -> None:
    text = "x" + sign * signs
    assert before_end_of_turn(f"{text}{marker}4</s>") == text
    assert before_end_of_turn(text + marker[:-1]) == text + marker[:-1]


def test_a_struck_out_number_hides_no_end_of_the_turn() -> None:
    assert before_end_of_turn("so <s>72</s> 36</s>user 5") == "so <s>72</s> 36"
    assert before_end_of_turn("<s>\n72</s> 36") == "<s>\n72"
    far = "so <s> is " + "a word " * 30 + "36"
    assert before_end_of_turn(f"{far}</s> 5") == far
    assert before_end_of_turn("<<EOT>x\n4<EOT> 36") == "<<EOT>x\n4"
    assert before_end_of_turn("xs = [|user|] 4[|endofturn|]5") == "xs = [|user|] 4"
