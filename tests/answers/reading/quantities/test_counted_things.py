"""Which words after a number say what is counted, and which change the number or take it back."""

from __future__ import annotations

from tables import each_row, tables_beside

from grpo_rewards.answers import compare
from grpo_rewards.answers.reading.quantities import counted_thing, is_remark, named_part

TABLES = tables_beside(__file__)


def listed(table: str) -> list[str]:
    return [words.strip() for words in table.replace("\n", "|").split("|") if words.strip()]


# What models write after a number without changing it: what is counted, units, remarks.
HONEST = """
    apples| students| ways| marbles| tickets| dollars| cents| coins| people| children| men| women| sheep| fish| feet|
    inches| meters| miles| hours| minutes| seconds| days| weeks| months| years| years old| pages| books| pencils|
    cookies| eggs| fresh eggs| chicken eggs| boxes| bags of rice| cups of flour| slices of pizza| square feet|
    square meters| cubic centimeters| cubic inches| gallons| liters of water| pounds of beef| ounces| grams of sugar|
    kilograms| kg of cereal| miles per hour| km per hour| dollars per hour| dollars per ticket| words per minute|
    pages per day| more apples| additional points| extra credits| points| goals| games| wins| losses| solutions|
    real solutions| distinct real roots| roots| integers| positive integers| ordered pairs| ordered triples|
    triangles| squares| circles| edges| vertices| sides| diagonals| degrees| degrees Celsius| radians| units|
    square units| cubic units| unit cubes| apples left| apples in total| marbles remaining| cars per day|
    customers each day| seats in each row| red marbles| blue balls| girls in the class| boys| teachers| passengers|
    buses| cars| bicycles| wheels| legs| dogs| cats| birds| puppies| kittens| fishes| families| members|
    family members| players| teams| matches| photos| photographs| songs| movies| episodes| shirts| dresses| shoes|
    bottles| cans| glasses| plates| spoons| knives| chairs| tables| rooms| houses| floors| stairs| steps| trees|
    flowers| petals| leaves| only| left| in total| total| altogether| each| remaining| times| times as many|
    times faster| solution| way| apple| percent| percent of the total| cm| mm| km| kg| mL| m/s| km/h| mph|
    square miles| acres| hectares| euros| rupees| yen| rubles| yuan| possible values| different ways| distinct values|
    nonzero digits| digits| letters| words| lines| questions| correct answers| problems| permutations| combinations|
    outcomes| subsets| elements| factors| divisors| prime numbers| primes| vegetables| variables| syllables| paths|
    months old| bunnies| teeth| mice| dice| ml of water| quarts| pints| tons| bushels| acres of land| stamps|
    stickers| trading cards| baseball cards| toy cars| hot dogs| ice cream cones| shaded squares| colored tiles|
    married women| used cars| baked goods| needed| pieces of candy| sheets of paper| feet tall| inches long|
    meters deep| miles away| minutes late| gummy bears| jelly beans| watermelons| strawberries| blueberries| cherries|
    potatoes| tomatoes| onions| carrots| sandwiches| burgers| chips| crackers| cupcakes| muffins| donuts| doughnuts|
    pancakes| waffles| lemons| limes| grapes| mangoes| kiwis| nuts| hamsters| goldfish| chickens| ducks| turkeys|
    cows| pigs| goats| horses| ponies| rabbits| elephants| lions| tigers| zebras| monkeys| hours of sleep|
    minutes of exercise| days of vacation| weeks of work| years of age| nights| mornings| shifts| meetings| calls|
    text messages| emails| postcards| envelopes| magazines| newspapers| comics| novels| pages of reading|
    laps around the track| jumping jacks| free throws| touchdowns| home runs| strikeouts| innings| votes| ballots|
    signatures| voters| citizens| residents| villagers| soldiers| nurses| doctors| patients| clients| visitors|
    guests| invitations| gifts| presents| balloons| candles| ribbons| flags| posters| paintings| sculptures| drawings|
    sketches| frames| shares of stock| bonds| loans| payments| installments| bills| nickels| dimes| pennies| coupons|
    vouchers| arrangements| orderings| lattice points| grid points| intersections| regions| positive divisors|
    perfect squares| palindromes| real numbers| complex roots| ordered quadruples| distinct integers|
    integer solutions| possible combinations| unique paths| shortest paths| handshakes| games played| cm tall| m long|
    feet of fencing| yards of fabric| square yards| cubic feet of water| square kilometers| nautical miles| km/hr|
    meters per minute| miles/gallon| gallons per minute| liters per second| beats per minute| revolutions per minute|
    volts| amps| watts| ohms| joules| newtons| hertz| moles| grams per mole| atm| pascals| calories|
    degrees Fahrenheit| US dollars| pesos| pounds sterling| Canadian dollars| cents per minute| dollars saved| year|
    month| day| minute| dollar| mile| inch| gram| liter| triangle| person| child| student| marble| book| page| point|
    hour| tickets sold| seats available| gallons of gas| ounces of cheese| pints of blueberries| packs of gum|
    rolls of tape| cartons of milk| crates of apples| stacks of chips| rows of chairs| blocks| city blocks| laps|
    kilometers per liter| newtons per meter| square inches| sq. inches| sq cm| cubic meters per second|
    feet per minute| dollars each| cents each| dollars a day| hours a week| times a day| minutes longer|
    years younger| points higher| distinct arrangements| different integers| such numbers| such integers|
    such triangles| positive solutions| negative roots| integer values of x| values of n| lattice paths| colorings|
    valid sequences| nonnegative integers| consecutive integers| trailing zeros| significant figures| decimal places|
    bits| workers| bakers| farmers| stores| tractors| hens| roosters| acorns| seashells| rocks| pebbles| toothpicks|
    matchsticks| dominoes| chess pieces| hexagons| pentagons| octagons| cubes| tetrahedra| faces| spheres| bacteria|
    cells| atoms| molecules| grams per liter| moles of oxygen| more minutes| more people| extra days|
    additional students| additional hours| empty seats| broken eggs| missing pieces| unsold tickets| unpainted faces|
    hours total| dollars altogether| cookies apiece| students absent| Celsius| Kelvin| lbs| oz| hrs| mins| secs| yrs|
    wks| ft| yds| sq ft| sq m| cu in| usd| bucks
"""
# What makes it another number, hedges it, or takes it back.
CHANGING = """
    pairs| pairs of shoes| dozen| dozens| dozen eggs| couples| couples of days| scores| gross| trios| triplets| duos|
    quartets| hundred| hundreds| thousand| thousands| million| billion| lakh| crore| tens| thirds| halves| half|
    quarters| fifths| sixths| sevenths| eighths| tenths| hundredths| thousandths| twelfths| twentieths| third|
    quarter| half dollars| half-dollars| basis points| impossible| invalid| incorrect| wrong| false| fake| bogus|
    extraneous| spurious| inadmissible| unacceptable| erroneous| mistaken| rejected| excluded| discarded| eliminated|
    omitted| ruled out| refuted| disproved| denied| forbidden| prohibited| disallowed| contradicted| retracted|
    withdrawn| cancelled| void| undefined| undetermined| unknown| uncertain| unsure| untrue| unlikely| doubtful|
    questionable| dubious| inconsistent| infeasible| insufficient| excessive| too small| too big| too many| too low|
    fails| fail| failed| fails the test| works not| does not work| is wrong| is not it| is impossible| isn't right|
    not| no| never| errs| contradicts| violates the condition| violates constraints| breaks the rule| exceeds limits|
    exceeds the limit| misses| lacks solutions| conflicts| disagrees| differs| diverges| overshoots| undershoots|
    vanishes| cancels| becomes six| gets rejected| equals seven| minus one| plus one| plus| minus| times ten|
    over two| divided by two| squared| cubed| square root| factorial| inverse| reciprocal| reciprocals| negated|
    negative| doubled| tripled| halved| twice| double| triple| quadrupled| increased| decreased| reduced| or six|
    and six| or more| or less| at most| at least| or so| more or less| less| fewer| more| more than that|
    less than that| approximately| roughly| about| almost| nearly| maybe| perhaps| probably| possibly| presumably|
    supposedly| allegedly| hardly| contradiction| a contradiction| error| an error| nonsense| meaningless| useless|
    a trap| a mistake| a guess| nope| nah| wait| but wrong| unless otherwise| if allowed| except one| without proof|
    instead of six| rather six| otherwise| else| below zero| degrees below zero| above| under| mod seven| modulo|
    base eight| in base eight| octal| binary| hex| squares root| pi| theta| x| ab| k| M| log| sin| root two| bad|
    no good| not allowed| not possible| not a solution| cannot be| can't be| won't do| no apples| wrong apples|
    invalid solutions| extraneous roots| impossible cases| fake apples| false positives| rejected values|
    thirds of a mile| halves of six| quarters of a mile| dozens of eggs| couple dozen| million dollars|
    thousand people| off by one| out of ten| out of reach| of six| versus six| to six| through nine| up to nine|
    plus or minus one| give or take| unsolvable| unjustified| inapplicable| irrelevant| inaccurate| imprecise|
    unsuitable| unsupported| unacceptably large| too high| too large| too long| too short| far too many| way too big|
    way off| off| off by two| short by one| short| over| away| is too small| is not valid| is invalid| is incorrect|
    is extraneous| is rejected| was wrong| would be wrong| could be| might be| cannot happen| cannot work|
    does not satisfy| doesn't fit| didn't work| fails to satisfy| fails here| fails badly| breaks down| violates|
    contradicts the problem| leads to a contradiction| makes no sense| is nonsense| is absurd| absurd| ridiculous|
    silly| joking| just kidding| kidding| lol| oops| sorry| correction| edit| scratch that| strike that| never mind|
    ignore this| ignore| disregard| discard| reject| exclude| omit| remove| delete| drop| skip| voided| nullified|
    annulled| revoked| rescinded| recalled| trial| attempt| candidate| hypothesis| conjecture| assumption| estimate|
    estimated| guessed| guesstimate| ballpark| plus two| plus more| minus some| and a half| and counting| and change|
    and then some| something| somewhat| odd| ish| or thereabouts| thousandfold| fivefold| tenfold| squared plus|
    to the fourth| to the power two| th root| nth root| choose two| factorials| modulo six| percent off| percent less|
    percent of six| million percent| parts per million| per thousand| per hundred| pairs of twins| couples with kids|
    pairs of socks| pair| couple| trio| quartet| duo| brace| score| scores of years| dozen pairs| quarter hours|
    half hours| half-hours| thirds cup| eighths inch| sixteenths| hundredths of a second| halfs| one-thirds| mega|
    kilo-anything| gazillion| zillion| bazillion| umpteen| infinite| infinity| infinities| negative one| negatives|
    minuses| sines| cosines| logs| sqrt| radicals of three| pi radians over two| times pi| times x| times two|
    times seven| over three| over pi| is less| is greater| is more| is smaller| exceeds| exceeding| lower| higher|
    upper bound| lower bound| bound| limit| at best| at worst| either| neither| both| none| nothing| nobody| zero|
    one| two| sixteen| a lot| a few| several| many| some| any| all| every| unless| although| does not hold|
    does not exist| no longer works| is not possible| is too large| exceeds it| is off| is close| close| close to six|
    nearly there| not quite| roughly speaking| more likely six| most likely| likely| unlikely to work| hopefully|
    supposedly right| perhaps more| minimum| at least six| at the most| no more| and up| and above| or above|
    or higher| or lower| or fewer| or greater| and greater| and less| upwards| downwards| plus or minus|
    squares of six| cubed roots| radicals| powers of two| exponents| to the fifth| multiplied| divided| added to six|
    subtracted from ten| minus six| modulus| remainder one| remainder| mod ten| quotient| per cent of ten|
    thirds of six| dozenth| score and ten| hundredfold| millionths| billionths| nths| milli| couple of dozens|
    contradicting| failing| violating| incorrectly| falsely| mistakenly| by mistake| typo| misprint| debunked|
    overruled| invalidated| unusable| unworkable| unreasonable| unrealistic| irrational| imaginary| complex|
    undefined here| diverging| divergent| non-existent| nonexistent| nonsensical| illogical| illegal| unlawful|
    unfeasible| untenable| wrongheaded| flawed| defective| faulty| rejects| excludes| eliminates| discards| omits|
    denies| refutes| disproves| rules out| negates| nullifies| invalidates| undoes| removes| lies outside| lies below|
    lies above| falls short| falls outside| goes over| goes beyond| misfits| mismatches| clashes| collides|
    skips| ignores| deletes| loses|
    nope sorry| nay| negatory| false alarm| falsehood| fiction| myth| hoax| fraud| scam| lie| lies| bluff| decoy|
    distractor| red herring
"""
# Bare, the hyphen is a minus sign, and a preposition without a noun before it is no unit.
ONLY_IN_TEXT = ("per person", "two-digit numbers", "three-digit numbers")
# Falls short: honest words that are not read.
NOT_READ = listed("chapters read | quarters worth | subsets of size k | multiples of seven | hours and minutes")


@each_row("words", [*listed(HONEST), *ONLY_IN_TEXT])
def test_words_that_say_what_is_counted_leave_the_number(words: str) -> None:
    assert compare(rf"5\text{{ {words}}}", "5").outcome == "correct"


@each_row("words", listed(HONEST))
def test_they_need_no_command(words: str) -> None:
    assert compare(f"5 {words}", "5").outcome == "correct"


@each_row("form", [r"5\text{{ {}}}", "5 {}"])
@each_row("words", listed(CHANGING))
def test_words_that_change_a_number_or_take_it_back_do_not(words: str, form: str) -> None:
    assert compare(form.format(words), "5").outcome != "correct"


@each_row("words", NOT_READ)
def test_what_is_not_read_is_not_decided(words: str) -> None:
    assert compare(rf"5\text{{ {words}}}", "5").outcome == "not_compared"


@each_row("words, name", TABLES["what_is_counted_by_its_canonical_name"])
def test_what_is_counted_by_its_canonical_name(words: str, name: str | None) -> None:
    assert counted_thing(words) == name


def test_what_is_stated_of_a_unit_comes_after_its_name() -> None:
    assert named_part("kg of cereal") == ["kg"]
    assert named_part("apples left in the box") == ["apples"]
    assert named_part("apples smaller") == ["apples", "smaller"]
    assert named_part("apples or pears") is None


@each_row("words, expected", [("only", True), ("in total", True), ("个", True), ("at most", False), ("double", False)])
def test_a_remark_names_nothing_and_changes_nothing(words: str, expected: bool) -> None:
    assert is_remark(words) is expected


@each_row("words", ["apples in theory", "ways at minimum", "次方", "个吗", "个左右", "个吧"])
def test_words_that_make_a_bound_or_a_guess_count_nothing(words: str) -> None:
    assert counted_thing(words) is None


@each_row("words", ["apples in the basket", "games at home", "次", "个方程"])
def test_words_that_only_say_where_still_count(words: str) -> None:
    assert counted_thing(words) is not None
