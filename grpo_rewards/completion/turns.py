"""Finds the end of a completion's turn. What follows it does not count: nobody would be shown it.

Look here if a text is cut too early or too late.
"""

import re

# The tokens with which the chat templates of common models end a turn, or begin the next one: of <|…|> the names, of
# the others all of it. Behind <|end|> the policy may go on in another channel.
PIPED = (
    r"im_end|im_start|im_user|im_system|im_assistant"  # Qwen, Phi-4, InternLM, LFM, Kimi
    r"|eot_id|eom_id|end_of_text|start_header_id|eot|eom|header_start"  # Llama 3 and 4, Granite, Jamba
    r"|endoftext|return|call|user|system|observation|eos|EOS|EOT|eod|stop"  # GPT, Phi, GLM, OLMo, Hunyuan, Grok
    r"|END_OF_TURN_TOKEN|START_OF_TURN_TOKEN|END_RESPONSE"  # Command
    r"|end_of_turn|endofturn|start_of_role|role_end|separator|flush|extra_[045]"  # OpenChat, HyperCLOVA, Granite, Ling
    r"|end_of_sentence|end_of_message|endofmessage|message_end|turn_end|endofprompt"  # Ernie, Solar
    r"|endofassistant|endofuser|endofresponse|endofsystem|userprompt|endofuserprompt"  # dots
    r"|user_start|user_end|assistant_end|system_start|tool_response|tool_response_start"  # Apertus, LFM
)
# One character of each, those that may follow it, and the expression that the place is then compared with: a search for
# one character is ten times as fast as one for several.
ENDS_OF_TURN = {
    "<": (
        "|｜/estES",
        re.compile(
            rf"<(?:\|(?:{PIPED})\|>|\|assistant(?:_start)?\|>|\|end\|>(?!<\|start\|>assistant)"
            r"|｜(?:end▁of▁sentence|(?:hy_)?User|hy_place▁holder▁no▁[28])｜>|｜(?:hy_)?Assistant｜>"  # DeepSeek
            r"|(?:end_of_turn|start_of_turn|turn\||\|turn|\|tool_response)>"  # Gemma
            r"|(?:end_of_utterance|eos|eoa|EOT(?<!<<EOT))>"  # InternLM; "cat <<EOT>file" is a here-document
            r"|(?:/s|/longcat_s|seed:[eb]os|SPECIAL_1[012]|extra_id_1)>)"  # Mistral, LongCat, Seed, Nemotron
        ),
    ),
    # EXAONE, Mistral and Llama 2, then MiniMax. [|user|] is an array in some languages: behind a sign of code no turn
    # begins, nor where a text speaks of `[INST]`.
    "[": (
        "|/Ie",
        re.compile(r"\[(?<![=(`]\[)(?<![=(`] \[)(?:\|(?:endofturn|user|system|tool|assistant)\|\]|/?INST\]|e~\[)"),
    ),
    "~": ("b!", re.compile(r"~(?<=\]~)(?<![=(`]\]~)(?<![=(`] \]~)(?:b\]|!b\[)")),
}
STRIKE_CHARACTERS = 200  # </s> that closes an <s> so shortly before it is HTML, and no end
OWN_HEADER = re.compile(r"<\|assistant|<｜(?:hy_)?Assistant|\[\|assistant|\[/INST\]")  # a turn may begin with it


def before_end_of_turn(text: str) -> str:
    """The text up to the first end-of-turn marker."""
    end = len(text)
    for character, (following, pattern) in ENDS_OF_TURN.items():
        at = text.find(character)
        while 0 <= at < end:
            is_near = text[at + 1 : at + 2] in following
            if is_near and (marker := pattern.match(text, at)) is not None and _ends(marker):
                end = at - (character == "~")  # with the bracket before it
            at = text.find(character, at + 1, end)
    return text[:end]


def _ends(marker: re.Match[str]) -> bool:
    """Whether a marker ends the turn: it is not the header of the policy's own turn, and no ``</s>`` that closes a near
    ``<s>`` of HTML or SSML; at the very start ``<s>`` begins a turn.
    """
    text, at = marker.string, marker.start()
    if marker[0] != "</s>":
        return at > 0 or OWN_HEADER.match(text) is None
    begin = max(at - STRIKE_CHARACTERS, 0)
    return text.rfind("<s>", begin, at) <= max(text.rfind("</s>", begin, at), 0)
