"""The generated algebra and the tiny model that was warmed up on it."""

import re
from itertools import pairwise

import pytest
from embedded.algebra import EXERCISES, KINDS, _problems, algebra, count_problems, exercises
from tables import each_row

import grpo_rewards as gr

WHOLE_BOX = re.compile(r"\\boxed\{(.*)\}\$\.$")  # by its place in the text, not by the engine that is under test
FORMULA = re.compile(r"\$([^$]*)\$")


def gold(problem):
    return WHOLE_BOX.search(problem["solution"])[1]


@each_row("kind", KINDS)
def test_a_held_out_problems_exercise_can_be_drawn_for_training(kind):
    assert len(_problems(kind, "train")) == 2 * len(_problems(kind, "test")) == 2 * 6 * len(EXERCISES[kind])
    known = {(exercise.steps, exercise.answer) for exercise, _ in _problems(kind, "train")}
    assert {(exercise.steps, exercise.answer) for exercise, _ in _problems(kind, "test")} <= known


def test_a_draw_has_of_each_kind_as_many():
    problems = algebra(count_problems("train"), seed=3)
    of_kind = [sum(problem["type"] == kind for problem in problems) for kind in KINDS]
    assert of_kind == [len(problems) // 5] * 5


def plain(text):
    """LaTeX of these problems as Python."""
    text = re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"Rational(\1,\2)", text)
    text = re.sub(r"(\d*)\\sqrt\{(\d+)\}", r"\1*sqrt(\2)", text)
    return re.sub(r"(\d)([a-z])", r"\1*\2", text.replace("^", "**").replace("\\infty", "oo"))


def solved(kind, problem):
    """What sympy finds: a set of solutions, a polynomial, an interval."""
    import sympy

    names = {letter: sympy.Symbol(letter, real=True) for letter in "xyztnk"}
    if kind == "polynomial":
        r, s = (int(root) for root in re.search(r"\$(-?\d+)\$ and \$(-?\d+)\$", problem).groups())
        return sympy.expand((names["x"] - r) * (names["x"] - s))
    formula = max(FORMULA.findall(problem), key=len)  # the others are a letter or a condition on it
    if kind == "interval":
        argument = sympy.sympify(plain(re.sub(r"^\\(?:sqrt\{|log\()|[})]$", "", formula)), locals=names)
        holds = argument >= 0 if "sqrt" in formula else argument > 0
        return sympy.solve_univariate_inequality(holds, next(iter(argument.free_symbols)), relational=False)
    left, right = (sympy.sympify(plain(side), locals=names) for side in formula.split(" = "))
    solutions = sympy.solve(left - right, next(iter(left.free_symbols)))
    return {solution for solution in solutions if kind != "root" or solution > 0}


def stated(kind, answer):
    import sympy

    if kind != "interval":
        values = [sympy.sympify(plain(one)) for one in answer.split(", ")]
        return values[0].subs("x", sympy.Symbol("x", real=True)) if kind == "polynomial" else set(values)
    ends = [sympy.sympify(plain(end)) for end in answer[1:-1].split(", ")]
    return sympy.Interval(*ends, left_open=answer[0] == "(", right_open=answer[-1] == ")")


@pytest.mark.full
@each_row("kind", KINDS)
def test_the_answers_are_those_that_sympy_finds(kind):
    pytest.importorskip("sympy", reason="sympy is not installed")
    problems = [problem for problem in algebra(150, seed=5) if problem["type"] == kind]
    assert len(problems) == 30
    for problem in problems:
        assert stated(kind, gold(problem)) == solved(kind, problem["problem"]), problem


def test_the_steps_are_true():
    sympify = pytest.importorskip("sympy", reason="sympy is not installed").sympify
    for _, exercise in exercises(300, seed=6):
        for step in exercise.steps:
            left, right = (plain(side).replace("\\cdot", "*").replace("\\div", "/") for side in step.split(" = "))
            assert sympify(left) == sympify(right), step


def test_every_gold_can_be_read_and_earns_its_own_reward_as_does_the_whole_solution():
    problems = algebra(2000, seed=7)
    golds = [gold(problem) for problem in problems]
    assert gr.check_answers([gr.boxed_answer], {"answer": golds}) == {}
    boxes = [f"<think>So.</think>\\boxed{{{one}}}" for one in golds]
    assert gr.boxed_answer(completions=boxes, answer=golds) == [1.0] * 2000
    assert gr.boxed_answer(completions=boxes, answer=[problem["solution"] for problem in problems]) == [1.0] * 2000


def test_neither_a_formula_of_the_problem_nor_another_problems_answer_earns_anything():
    problems = algebra(1000, seed=8)
    copied = [(formula, gold(problem)) for problem in problems for formula in FORMULA.findall(problem["problem"])]
    answers = {gold(problem): problem["type"] for problem in problems}
    for kind in KINDS:  # each answer beside another one of its kind
        of_kind = [answer for answer, one in answers.items() if one == kind]
        copied += pairwise(of_kind)
    earned = gr.boxed_answer(
        completions=[f"\\boxed{{{text}}}" for text, _ in copied], answer=[answer for _, answer in copied]
    )
    assert [pair for pair, reward in zip(copied, earned, strict=True) if reward != 0.0] == []
