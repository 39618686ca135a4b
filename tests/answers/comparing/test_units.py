"""The reading that made two answers equal is named."""

from tables import each_row

from grpo_rewards.answers import compare


@each_row(
    "prediction, answer, why",
    [
        ("28 pct", "0.28", "28 percent is read as 0.28"),
        (r"x = 28\%", "0.28", "28 percent is read as 0.28"),
        ("0.1", r"10\%", "10 percent is read as 0.1"),
        ("90 minutes", "1.5 hours", "1.5 hour is 90 minute"),
        ("75 cents", "$0.75", "0.75 dollar is 75 cent"),
        ("10 m", "10 meters", "10m is read as 10 meter"),
        ("0.333333", r"\frac13", "one is a correct rounding of the other"),
        (r"\frac{100}{3}", 100 / 3, "the answer is a float, which is known to so many digits only"),
        ("0.5", r"\frac12", ""),
        (r"28\%, 5", "0.28, 5", ""),  # of several items, each may be read in another way
    ],
)
def test_what_is_equal_by_a_reading_says_which_one_that_was(prediction: str, answer: object, why: str) -> None:
    found = compare(prediction, answer)
    assert (found.outcome, found.why) == ("correct", why)
