"""Which lines are fences of a block."""

from tables import each_row

from grpo_rewards.completion.fences import fenced_blocks


@each_row(
    "text, inside",
    [
        ("```\na\u2028```\nb\n```", ["a\u2028```\nb\n"]),
        ("```\na\x0b```\x0c```\x85```\nb\n```", ["a\x0b```\x0c```\x85```\nb\n"]),
        ("```\r\na\r\n```\r\n", ["a\r\n"]),
        ("1. So:\n\n     ```python\n     a\n     ```\n", ["     a\n     "]),
        ("- ```python\n  a\n  ```\n", ["  a\n"]),
        ("```\n    ```\n```", ["    ```\n"]),  # indented by four: no closing fence
    ],
)
def test_a_fence_stands_on_a_line_of_its_own(text, inside):
    assert [block.inside.rstrip(" ") for block in fenced_blocks(text)] == [one.rstrip(" ") for one in inside]
