"""What can be the name of a value, and what is an equation that is still to be solved."""

from tables import each_row

from grpo_rewards.answers.latex.tree import parse
from grpo_rewards.answers.reading.relations import derivative_name, is_name, is_quantity, names_in

# As the left side of "… = 5" is meant in problems and their answers.
NAMES = r"x|x_{1}|\theta|f(2)|v(3)|f(x)|f'(x)|P(X=1)|AB|\angle ABC|\triangle ABC|\cos A|\gcd(a,b)|(x,y)|\text{Area}"
NO_NAMES = r"2x|x+1|x^{2}|\cos x|xy|5|\frac{x}{y}|\text{not x}|(x+1)|\sqrt{x}|\gcd(4,6)"


@each_row("text", [*NAMES.split("|"), "|AB|", r"\frac{dy}{dx}"])
def test_what_names_a_value(text: str) -> None:
    assert is_name(parse(text))


@each_row("text", [*NO_NAMES.split("|"), "|x|"])
def test_what_names_no_value(text: str) -> None:
    assert not is_name(parse(text))


# The left side of "… = 5": a quantity that the problem may ask for, or an equation that is still to be solved?
QUANTITIES = (
    r"m+n|abc|m-n|m^{n}|x^{2}+y^{2}|x_1^2+x_2^2|AB+BC|\frac{a}{b}|100a+b|\log_2 x|n!|\lfloor x\rfloor|z^{3}|\gcd(a,b)"
    r"|P(A\cap B)|\det A|\deg p|\lim_{x\to0} f(x)|f(x)_{\max}|\min|\text{Imaginary part}|\cos\angle APB"
    r"|f(1)+f(2)|\sum_{i=1}^na_i"
)
EQUATIONS = (
    r"x^{2}|2x|x+1|x^2-5x+6|\sin x|\sqrt{x}|\frac{1}{x}|2^{x}|x^{2}+x|5|\text{not } x"
    r"|7 \text{ times } x|x:y|\not|2f(3)+1|-v(3)|x\%|\{2x\}"
)


@each_row("text", [*QUANTITIES.split("|"), "|z|", "|a+b|"])
def test_what_can_be_stated_to_be_a_number(text: str) -> None:
    assert is_quantity(parse(text))


@each_row("text", EQUATIONS.split("|"))
def test_what_is_an_equation_to_be_solved_or_no_quantity(text: str) -> None:
    assert not is_quantity(parse(text))


@each_row(
    "text, names",
    [
        ("(x,y)", ["x", "y"]),
        ("(x)", []),
        ("(x,1)", []),
        ("(x;y)", []),
        ("[x,y]", []),
        ("(x_1,y_1)", ["x", "y"]),
        ("(x_1,x_2)", []),
        (r"(\alpha,\beta)", [r"\alpha ", r"\beta "]),
    ],
)
def test_the_names_of_a_tuple_have_no_common_index(text: str, names: list[str]) -> None:
    assert names_in(parse(text)) == names


@each_row(
    "text, name",
    [
        (r"\frac{d^2y}{dx^2}", "y''"),
        (r"\frac{\partial f}{\partial x}", "f_{x}"),
        (r"\frac{d}{x}", None),
        ("dy/dx", None),
    ],
)
def test_the_short_name_of_a_derivative(text: str, name: str | None) -> None:
    assert derivative_name(parse(text)) == name
