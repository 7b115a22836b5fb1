"""Forms of common English verbs. A verb that is not listed here is unknown, and rules leave its question alone."""

from __future__ import annotations

from .lexicon import listed

_IRREGULAR = """
arise arose arisen, awake awoke awoken, bear bore borne, beat beat beaten, become became become, begin began begun,
bend bent bent, bind bound bound, bite bit bitten, blow blew blown, break broke broken, breed bred bred,
bring brought brought, build built built, burn burned burned, buy bought bought, cast cast cast, catch caught caught,
choose chose chosen, come came come, cut cut cut, deal dealt dealt, dig dug dug, draw drew drawn, drink drank drunk,
drive drove driven, eat ate eaten, fall fell fallen, feed fed fed, feel felt felt, fight fought fought,
find found found, flee fled fled, fly flew flown, forbid forbade forbidden, forget forgot forgotten,
forgive forgave forgiven, freeze froze frozen, get got got, give gave given, go went gone, grow grew grown,
hang hanged hanged, hear heard heard, hide hid hidden, hit hit hit, hold held held, keep kept kept, know knew known,
lay laid laid, lead led led, learn learned learned, leave left left, lend lent lent, light lit lit, lose lost lost,
make made made, mean meant meant, meet met met, overthrow overthrew overthrown, pay paid paid, put put put,
read read read, ride rode ridden, ring rang rung, rise rose risen, run ran run, say said said, see saw seen,
seek sought sought, sell sold sold, send sent sent, set set set, shake shook shaken, shoot shot shot, show showed shown,
sing sang sung, sink sank sunk, sleep slept slept, speak spoke spoken, spend spent spent, split split split,
spread spread spread, stand stood stood, steal stole stolen, stick stuck stuck, strike struck struck, swear swore sworn,
sweep swept swept, swim swam swum, swing swung swung, take took taken, teach taught taught, tear tore torn,
tell told told, think thought thought, throw threw thrown, undergo underwent undergone,
understand understood understood, wake woke woken, wear wore worn, win won won, withdraw withdrew withdrawn,
write wrote written
"""

_REGULAR = """
abandon abolish accept accompany accuse achieve acquire add address administer admire admit adopt advise allow
announce annex appear apply appoint argue arrange arrest arrive ask assassinate assemble assist attack attempt attend
automate award bake ban banish baptise baptize beg believe belong besiege betray blame block borrow bribe broadcast
bury call cancel capture carry carve cause celebrate change charge chase cheat claim clean clear climb close coach
coin collect command commission commit compete complain complete compose conclude condemn conduct confess confirm
congratulate conquer consider construct contain continue contract contribute control convert convict convince cook
cover crash create cross crown cultivate cure damage dance date debut decide declare decline decorate dedicate defeat
defend delay deliver demand demolish deny depict deploy describe desert design destroy develop devise die direct
disappear discover discuss dismiss display divide divorce donate double draft dream dress drill drown earn edit elect
embrace emerge emigrate employ encounter encourage end endorse enjoy enlist enter escape establish examine exchange
execute exhibit expel experience explain explode explore export express fail fight film fill finance fine finish fire
follow force form formulate found free fund gain gather govern graduate grant guard guide happen hate heat help hire
host house hunt identify ignore illustrate imprison improve include increase influence inform inherit injure inspect
inspire install interview introduce invade invent investigate invite issue join judge jump kidnap kick kill kiss knock
land last launch like list live load locate look love manage manufacture map marry maintain measure mention merge miss
mix move murder name nominate notice obtain occupy occur offer open operate oppose order organise organize outlaw own
paint pass perform persuade photograph pioneer plan plant play plot poison praise predict prefer prepare present
preserve prevent print proclaim produce programme promise promote propose protect prove provide publish pull punish
purchase push quit raise ratify reach realise realize receive recognise recognize recommend record recover recruit
reduce refuse regain register reign reject release remain remove rename renovate rent repair replace report represent
request rescue resign resist restore retain retire retrieve return reveal review reward rob rule sack sail sample save
score scrap search secure select serve settle share shelter shout shut sign slap smuggle solve spot stab star start stay
stop store study succeed suffer suggest supply support surrender surround suspect talk target test thank threaten
torture trade train transfer transform translate transport trap travel treat trick try turn uncover unite unveil urge
use visit vote wait walk want warn wash watch weigh welcome widen witness work worship wound
"""

# Regular verbs whose last consonant is doubled before -ed and -ing.
_DOUBLED = listed("doubled")
_UNUSUAL_PAST = {"broadcast": "broadcast", "quit": "quit", "shut": "shut"}

# Base forms that are as often a noun; beside another possible verb they leave a question undecided.
NOUN_TOO = listed("noun too")

# Verbs whose object is a thing when it is a proper name ("Who wrote Hamlet?").
MAKES_THINGS = listed("makes things")


def _regular_past(base: str) -> str:
    if base in _UNUSUAL_PAST:
        return _UNUSUAL_PAST[base]
    if base in _DOUBLED:
        return base + base[-1] + "ed"
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + "ed"


def third_person(base: str) -> str:
    """``carry`` -> ``carries``."""
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    return base + "s"


def _gerund(base: str) -> str:
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
        return base[:-1] + "ing"
    doubles = base in _DOUBLED or base in {
        "get",
        "hit",
        "put",
        "run",
        "set",
        "sit",
        "swim",
        "win",
        "cut",
        "begin",
        "dig",
    }
    return base + base[-1] + "ing" if doubles else base + "ing"


_irregular = {base: (past, participle) for base, past, participle in (e.split() for e in _IRREGULAR.split(","))}
PAST = {base: _regular_past(base) for base in _REGULAR.split()} | {b: past for b, (past, _) in _irregular.items()}
PARTICIPLE = PAST | {base: participle for base, (_, participle) in _irregular.items()}

BASE_OF_THIRD_PERSON = {third_person(base): base for base in PAST}
BASE_OF_PARTICIPLE = {participle: base for base, participle in PARTICIPLE.items()}
# "found" is the past of find and the base of found; as a past form it is find's, and founded is found's.
BASE_OF_PAST = {past: base for base, past in PAST.items()}
_LEMMAS = ({_gerund(base): base for base in PAST} | BASE_OF_THIRD_PERSON | BASE_OF_PARTICIPLE | BASE_OF_PAST) | {
    base: base for base in PAST if base != "found"
}


def lemma(word: str) -> str:
    """Base form of any form of a known verb; any other word as it is.

    Args:
        word: a word in lower case.
    """
    return _LEMMAS.get(word, word)
