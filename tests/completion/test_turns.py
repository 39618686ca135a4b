"""Where the turn of a completion ends."""

from __future__ import annotations

import pytest

from grpo_rewards.completion.turns import MARKER_CANDIDATES, MARKER_SECOND_CHARACTERS, before_end_of_turn
from grpo_rewards.testing import assert_linear


@pytest.mark.parametrize(
    "marker",
    [
        "<|im_end|>",
        "<|im_start|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|end_of_text|>",
        "<|endoftext|>",
        "<|end|>",
        "<|return|>",
        "<|start_header_id|>",
        "<|END_OF_TURN_TOKEN|>",
        "<end_of_turn>",
        "<start_of_turn>",
        "</s>",
        "<eos>",
        "<｜end▁of▁sentence｜>",
        "<|im_user|>",
        "<|im_system|>",
        "<|eot|>",
        "<|eom|>",
        "<|header_start|>",
        "<|call|>",
        "<|user|>",
        "<|system|>",
        "<|assistant|>",
        "<|observation|>",
        "<|eos|>",
        "<|EOT|>",
        "<|START_OF_TURN_TOKEN|>",
        "<|END_RESPONSE|>",
        "<|end_of_turn|>",
        "<|endofturn|>",
        "<|start_of_role|>",
        "<|role_end|>",
        "<|extra_0|>",
        "<|end_of_sentence|>",
        "<|endofresponse|>",
        "<|userprompt|>",
        "<|assistant_end|>",
        "<|user_start|>",
        "<end_of_utterance>",
        "<|turn>",
        "<turn|>",
        "<EOT>",
        "<eoa>",
        "<seed:eos>",
        "<seed:bos>",
        "</longcat_s>",
        "<SPECIAL_12>",
        "<｜User｜>",
        "<｜Assistant｜>",
        "<｜hy_User｜>",
        "<｜hy_place▁holder▁no▁2｜>",
        "[|endofturn|]",
        "[|user|]",
        "[|assistant|]",
        "[e~[",
        "]~b]",
        "]~!b[",
        "[INST]",
        "[/INST]",
        "<|eod|>",
    ],
)
def test_a_text_ends_at_the_first_end_of_its_turn(marker: str) -> None:
    assert before_end_of_turn(f"4{marker}user 5{marker}") == "4"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a < b | c > d",
        "<|x|>",
        "</strong>",
        "<s>",
        "<|im_end",
        "my_turn>",
        "｜",
        "[|x|]",
        "[|x| + 1] ~ [e]",
        "|[x]|",
        "it was <s>72</s> 36",  # struck out
        "it was <s>72\n73</s> 36",
        "<s>\nHi\n</s> 36",
        "<speak>\n  <s>Hi,\n  you</s>\n  <s>\n  there\n  </s>\n</speak> 36",
        "```bash\ncat <<EOT>out.txt\nhi\nEOT\n```",
        "`let xs = [|user|]` so 4",
        "show([|user|]) and `[|tool|]`, xs=[|system|]",
        "[/INST]It is 4.",  # likewise
        "a prompt stands between `[INST]` and `[/INST]`, so 4",
        "[inst] [INSTALL] [INST 4] INST] 4",
        "<|eod_x|>",
        "<|end_of_box|>",
        "<|end_of_thought|>",
        "<|tool_call_end|>",
        "<|vision_end|>",
        "<|assistant|>It is 4.",  # the header of its own turn
        "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>4",
    ],
)
def test_a_text_without_a_marker_is_kept_whole(text: str) -> None:
    assert before_end_of_turn(text) == text


@pytest.mark.parametrize("marker", ["<|im_end|>", "</s>", "<｜end▁of▁sentence｜>", "<|END_OF_TURN_TOKEN|>", "<eos>"])
@pytest.mark.parametrize("sign", ["<", "<t", "</", "<|"])
@pytest.mark.parametrize(
    "signs", [0, 1, MARKER_CANDIDATES - 1, MARKER_CANDIDATES, MARKER_CANDIDATES + 1, 10 * MARKER_CANDIDATES]
)
def test_a_marker_is_found_whatever_signs_stand_before_it(marker: str, sign: str, signs: int) -> None:
    assert marker[1] in MARKER_SECOND_CHARACTERS
    text = "x" + sign * signs
    assert before_end_of_turn(f"{text}{marker}4</s>") == text
    assert before_end_of_turn(text + marker[:-1]) == text + marker[:-1]


def test_a_struck_out_number_hides_no_end_of_the_turn() -> None:
    assert before_end_of_turn("<s>72</s> 36</s>user 5") == "<s>72</s> 36"
    assert before_end_of_turn("<s>\n72</s> 36") == "<s>\n72"
    assert before_end_of_turn("<s>72\n</s> 36") == "<s>72\n"
    assert before_end_of_turn("<s>a</s>\n72</s> 36") == "<s>a</s>\n72"
    assert before_end_of_turn("<<EOT>x\n4<EOT> 36") == "<<EOT>x\n4"
    assert before_end_of_turn("<<<EOT> 36") == "<<"
    assert before_end_of_turn("4 = 4\n[|user|]5") == "4 = 4\n"
    assert before_end_of_turn("It is:\n[|user|]5") == "It is:\n"
    assert before_end_of_turn("x =\n[|user|]5") == "x =\n"
    assert before_end_of_turn("xs = [|user|] 4[|endofturn|]5") == "xs = [|user|] 4"


@pytest.mark.parametrize(
    ("unit", "end"),
    [
        ("<|im_", "<end_of_turn"),
        ("<", "</s"),
        ("</", ""),
        ("<|", ""),
        ("<s></s>", ""),
        ("<s>\n", "</s>"),
        ("=[|user|]", ""),
        ("<<EOT>", ""),
        ("[|", "~"),
        ("|", "[|"),
        ("]~", ""),
        ("[INST", "]"),
        ("`[INST]", ""),
    ],
)
def test_the_search_is_linear_in_a_hostile_text(unit: str, end: str) -> None:
    assert_linear(before_end_of_turn, lambda size: unit * size + end, 200_000)
