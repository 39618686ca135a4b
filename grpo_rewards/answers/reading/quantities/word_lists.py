"""The words that ``counted_things`` knows: what takes a number back, what is no plural, which nouns are counted.

Look here if one single word after a number is taken for the wrong thing.
"""

from __future__ import annotations

__all__ = ["COLLECTIVE", "HARMLESS_HERE", "NOT_PLURAL", "NOUNS", "OF_MATHEMATICS", "PREPOSITIONS"]
__all__ += ["DENYING_STEMS", "DENYING_WORDS", "DESCRIBING_WORDS", "REMARKS"]

# Words that take a number back or make it another one wherever they stand, besides those of ``reading.words``.
DENYING_WORDS = frozenset(
    """
    impossible invalid fake bogus extraneous spurious inadmissible unacceptable erroneous mistaken ruled refuted
    disproved denied disproven forbidden prohibited disallowed rejected discarded eliminated omitted excluded removed
    contradicted retracted withdrawn cancelled canceled crossed void undefined undetermined indeterminate uncertain
    untrue unreal unproven unverified doubtful questionable dubious suspicious implausible improbable inconsistent
    infeasible unattainable unreachable unsatisfiable insufficient inadequate excessive meaningless useless worthless
    nonsense garbage rubbish hypothetical tentative tbd contradiction contradictions paradox trap typo error errors
    mistake mistakes guess guesses nah wait too otherwise else off out bad worse worst rather versus vs invalidated
    fail fails failed err errs contradict contradicts violate violates break breaks exceed exceeds miss misses lack
    lacks conflict conflicts disagree disagrees differ differs diverge diverges overshoot overshoots undershoot
    undershoots overestimates underestimates vanish vanishes cancel cancels become becomes get gets make makes give
    gives yield yields works holds satisfies seems appears looks sounds says means have has had does do did can could
    will would should might may must cannot am be been being falls drops rises grows shrinks changes turns goes comes
    remains needs requires nay none nothing nowhere hardly scarcely barely rarely seldom twofold threefold fold ratio
    reciprocals inverses opposites negatives halved quartered quadrupled increased decreased reduced raised lowered
    added subtracted rounded truncated shifted swapped replaced reversed inverted flipped percentile percentiles
    logarithm logarithms exponent exponents modulus remainder up down wrongly unsolved unsolvable     unsound unfit
    rejects excludes eliminates discards omits denies refutes disproves negates nullifies invalidates undoes removes
    deletes skips ignores neglects overlooks forbids prohibits prevents precludes voids annuls revokes rescinds retracts
    recants withdraws overturns reverses inverts opposes disputes doubts dismisses refuses errs misleads misreads
    miscounts misfits mismatches misrepresents clashes collides lies deceives bluffs surpasses outnumbers equals
    approximates approaches nears varies fluctuates oscillates depends deviates departs infringes sinks disobeys
    disqualifies falsifies excepts rebuts debunks overrules forfeits loses obviates thwarts hinders disagreeing clashing
    radicals kilo kilos milli micro nano close closer closest hoax fraud scam fiction myth decoy distractor
    struck basis oops sorry kidding cosine minuses
    """.split()
)
# The beginnings of such words, also of their plurals in other languages: 5 imposibles.
DENYING_STEMS = ("impos", "invali", "incorrec", "inexac", "falso", "falsa", "erron", "negativ", "unmögl", "ungült")
# Words that do no harm after a number, although ``reading.words`` has them or words like them.
HARMLESS_HERE = frozenset(
    """
    family only daily weekly monthly yearly hourly early elderly friendly supply assembly jelly july the from to at
    times roots squares cubes positive negative decimal more around through seconds
    cans answers triples quadruples zeros zeroes
    """.split()
)
# Plurals that are themselves numbers: five pairs are ten.
COLLECTIVE = frozenset(
    """
    pairs couples scores trios duos duets quartets quintets sextets twins triplets quadruplets doubles triples
    quadruples tuples halves thirds quarters tens ones multiples powers factorials
    """.split()
)
# What makes one thing of a collective: five ordered pairs are five answers.
OF_MATHEMATICS = frozenset("ordered unordered coordinate integer solution pythagorean amicable".split())
# Words in -s that are no plurals.
NOT_PLURAL = frozenset(
    """
    this its his hers ours theirs yours perhaps always sometimes besides unless towards backwards forwards upwards
    downwards afterwards is was has does thus plus minus less versus whereas likes nonetheless nevertheless
    """.split()
)
# Plurals without -s, nouns of which as many are counted in the singular, and others of which there may be just one.
NOUNS = frozenset(
    """
    people children men women feet teeth mice geese sheep deer oxen dice fish salmon trout shrimp cattle police staff
    vertices indices matrices axes radii foci loci series species data media cacti fungi alumni aircraft spacecraft
    offspring clothes lice bacteria criteria salespeople policemen firemen fishermen grandchildren money cash rice sugar
    taxis kiwis skis
       flour milk water juice bread meat fruit cereal homework sand gold silver wood
    way solution value number integer digit point line side edge face vertex angle triangle square circle cube rectangle
    polygon term factor divisor prime set element subset function sequence permutation combination arrangement outcome
    case possibility choice option path route step move round game match win loss goal run hit night person student
    teacher child boy girl man woman friend player team member customer passenger worker employee dog cat bird horse cow
    pig hen chicken rabbit animal pet apple orange banana pear peach egg cookie cake pie pizza slice piece loaf candy
    sweet bottle can jar box bag bucket basket carton crate pack packet package card coin ticket stamp sticker toy doll
    ball marble bead button book page chapter word letter sentence question problem task test exam class lesson course
    grade credit pen pencil crayon marker paper sheet notebook desk chair table bed lamp room house home apartment floor
    building store shop office school car bus truck van train plane boat ship bike bicycle wheel tire tree flower plant
    leaf seed bush garden field farm shirt dress shoe sock hat coat jacket ring necklace gift present prize vote seat
    row column block brick tile board stick rope string wire pipe tank pool glass spoon fork knife plate bowl meal lunch
    dinner drink song movie show photo picture painting message call email trip visit lap race mark bill note quantity
    item object thing copy part group batch load share portion serving dose pill tablet tooth toe finger hand arm leg
    eye ear head red blue green black white yellow
    """.split()
)
# Words that introduce of what, where or when something is counted.
PREPOSITIONS = frozenset(
    """
    of per for in on at from to by with each every a an around through along across during within among
    """.split()
)
# Words that may follow what is counted.
DESCRIBING_WORDS = frozenset(
    """
    left remaining total altogether each only exactly old tall high long wide deep thick needed required used sold
    combined overall apart available away late early later earlier extra as many much faster slower larger bigger
    large big heavy increase decrease profit discount chance probability interest growth reduction gain
    north south east west clockwise counterclockwise inclusive the original
    longer older younger taller higher heavier wider deeper farther further apiece absent
    """.split()
)
# What may stand after a number without naming anything.
REMARKS = frozenset(
    one.strip()
    for one in """
    only|exactly|exact|total|in total|in all|altogether|left|remaining|left over|each|apiece|per person|for each
    of them|overall|combined|needed|required|in the end|respectively|inclusive|the answer|is the answer
    """.replace("\n", "|").split("|")
) - {""}
