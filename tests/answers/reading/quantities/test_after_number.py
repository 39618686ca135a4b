"""Units, money and words in Chinese, Japanese and Russian; a word that changes the number is no unit."""

from __future__ import annotations

import pytest

from grpo_rewards.answers import compare

EQUAL = [
    ("5元", "5"),
    ("25元", r"25\text{ yuan}"),
    ("60千米/时", r"60\text{ km/h}"),
    ("15平方厘米", r"15\text{ cm}^2"),
    ("20厘米", "20"),
    (r"5\text{小时}", "5"),
    ("3个苹果", "3"),
    ("12人", "12"),
    ("x=2或x=3", "2, 3"),
    ("2和3", "2, 3"),
    ("2、3", "2, 3"),
    ("（1，2）", "(1,2)"),
    ("答：5", "5"),
    ("5万", "50000"),
    ("10㎝", "10"),
    ("15㎡", r"15\text{ m}^2"),
    ("3元5角", "3.5元"),
    ("2小时30分钟", "2.5小时"),
    ("1,000円", "1000"),
    ("￥50", "50元"),
    ("50元", "¥50"),
    ("$5$元", "5"),
    ("5 个", "5"),
    ("8岁", "8"),
    ("90分", "90"),
    ("36平方米", r"36\text{ m}^2"),
    ("27立方厘米", "27"),
    ("80千米每小时", r"80\text{ km/h}"),
    ("7天", "7"),
    ("45度", r"45^\circ"),
    ("37摄氏度", r"37^\circ\text{C}"),
    ("15%", "15％"),
    ("x=-1或x=3", "x=-1, x=3"),
    ("-1和3", "-1, 3"),
    ("a=2，b=3", "a=2, b=3"),
    ("（3，4）", "(3,4)"),
    ("{1，2，3}", r"\{1,2,3\}"),
    ("[1，2]", "[1,2]"),
    ("x＞2", "x>2"),
    ("x≥2且x≤5", r"2\le x\le 5"),
]
NOT_EQUAL = [
    ("5元", "6"),
    ("60千米", r"60\text{ m}"),
    ("5角", "5元"),
    ("3个或4个", "3"),
    ("2和3", "2"),
    ("不是5", "5"),
    ("5不对", "5"),
    ("5错", "5"),
    ("5以上", "5"),
    ("约5", "6"),
    ("5倍多", "5"),
    ("5双", "5"),
    ("5对", "5"),
    ("5打", "5"),
    ("5万", "5"),
    ("5分之一", "5"),
    ("5成", "5"),
    ("10㎝", "10㎡"),
    ("3元5角", "3.05元"),
    ("5角", "5分"),
    ("3个", "4"),
    ("3个", "3x"),
    ("8岁", "9"),
    ("5 无解", "5"),
    ("无解", "5"),
    ("5不成立", "5"),
    ("5（舍去）", "5"),
    ("5（错误）", "5"),
    ("5舍", "5"),
    ("5或6", "5"),
    ("5和6", "5"),
    ("5且6", "5"),
    ("5至6", "5"),
    ("5到6", "5"),
    ("大于5", "5"),
    ("小于5", "5"),
    ("不等于5", "5"),
    ("5以下", "5"),
    ("5百", "5"),
    ("5千", "5"),
    ("十5", "5"),
    ("5半", "5"),
    ("5個半", "5"),
    ("5.5个", "5"),
    ("x≥2且x≤5", "2<x<5"),
]


@pytest.mark.parametrize(("prediction", "answer"), EQUAL)
def test_they_are_read_as_in_english(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@pytest.mark.parametrize(("prediction", "answer"), NOT_EQUAL)
def test_what_changes_or_denies_a_number_is_not_paid(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"


MONEY_AND_PERCENT = [
    (r"\$5\text{ per hour}", r"\$5"),
    (r"\$5/hour", "5 dollars per hour"),
    (r"\$5\text{ per ticket}", "5 dollars per ticket"),
    (r"\$5 \text{ each}", "5"),
    (r"\$5 \text{ million}", "5000000"),
    (r"\$5\text{ USD}", "USD 5"),
    (r"20\%\text{ increase}", "20"),
    (r"20\% \text{ of the total}", r"20\%"),
]
NEITHER = [
    (r"\$5\text{ apples}", "5"),
    (r"\$5 \text{ cents}", "5"),
    (r"\$5\text{ wrong}", "5"),
    (r"\$5 m", "5"),
    (r"5\%\text{ wrong}", "5"),
    (r"20\%\text{ of six}", "20"),
    ("5 dollars per hour", "5 dollars per minute"),
    ("60 miles", "60 mph"),
]


@pytest.mark.parametrize(("prediction", "answer"), MONEY_AND_PERCENT)
def test_more_may_be_said_of_money_and_of_percent(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome == "correct"


@pytest.mark.parametrize(("prediction", "answer"), NEITHER)
def test_what_does_not_belong_to_them_is_not_paid(prediction: str, answer: str) -> None:
    assert compare(prediction, answer).outcome != "correct"
