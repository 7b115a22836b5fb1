"""What a question asks for and how long its answer is: the groups by which a report breaks scores down.

The question word is found by rules on the text alone. English: a question that begins with an auxiliary verb asks for
yes or no; else the first question word in it decides, so "In which year …" asks "which". Chinese (any Han character):
the first of the expressions below decides, the longer one where two begin at the same place, so 什麼時候 and 哪一年
both ask when; an expression of yes or no (是否, 嗎, 可不可以) decides only where no other stands. What fits no rule is
"other", as are the many questions of DRCD that end in 是? or 為? without any question word.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from metrics.shared.protocol import Side

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")

_ENGLISH_WORDS = {
    "how many, how much": r"how\s+(?:many|much)",
    "who, whose": r"who(?:m|se|ever)?",
    "what": r"what(?:ever)?",
    "which": r"which(?:ever)?",
    "when": r"when",
    "where": r"where",
    "why": r"why",
    "how": r"how",
}
_AUXILIARIES = (
    "am|are|is|was|were|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would|"
    "aren't|isn't|wasn't|weren't|don't|doesn't|didn't|hasn't|haven't|hadn't|can't|couldn't|won't|wouldn't"
)
_YES_OR_NO = "yes or no"

# 為何 and 為什麼 at the end of a question, or after a verb of naming, ask what something is (名稱為何, 被稱為什麼).
_CHINESE_WORDS = {
    "為什麼 why": r"(?<![稱名作叫])為(?:什麼|甚麼|何)(?!\W*$)|何以|何故",
    "何時 when": (
        r"(?:什麼|甚麼)(?:時候|時間|時期|年代|時刻)|何時|(?<!任)何[年月日]|"
        r"哪(?:一|個|一個)?(?:年|天|月|日|時|朝代|世紀|季)|幾[月號點]|(?:西元|民國|第)幾年"
    ),
    "哪裡 where": (
        r"哪[裡裏兒]|何[處地]|(?:什麼|甚麼)地[方點]|"
        r"哪(?:一|個|一個|座|一座|些)?(?:國|地|城市|都市|省|縣|市|州|洲|島)"
    ),
    "誰 who": r"誰|(?<!任)何人|哪一?位|哪(?:一|些|個|一個)?人|(?:什麼|甚麼)人",
    "多少 how many": r"多少|多[大長高久遠重寬深快]|幾(?![百千萬]|內亞|[何乎丁]|[天日年]後|年來)",
    "如何 how": r"如何|怎",
    "哪 which": r"哪",
    "什麼 what": r"什麼|甚麼|(?<!任)何(?=[種事物者方國名等])|(?<=[有照])何|為何",
}
_CHINESE_YES_OR_NO = re.compile(r"是否|有沒有|嗎|([\u4e00-\u9fff])不\1")


def _first_of(words: dict[str, str], pattern: str) -> re.Pattern:
    return re.compile(pattern.format("|".join(f"({word})" for word in words.values())), re.IGNORECASE)


_ENGLISH = _first_of(_ENGLISH_WORDS, r"\b(?:{})\b")
_ENGLISH_YES_OR_NO = re.compile(rf"\W*(?:{_AUXILIARIES})\b", re.IGNORECASE)
_CHINESE = _first_of(_CHINESE_WORDS, "{}")

QUESTION_WORDS = (*_ENGLISH_WORDS, *_CHINESE_WORDS, _YES_OR_NO, "other")
"""All groups, in the order in which they are shown."""


def question_word(question: str) -> str:
    """What a question asks for, by the rules of this module.

    Args:
        question: English, or Chinese in traditional characters.

    Returns:
        One of ``QUESTION_WORDS``.
    """
    if _HAN.search(question):
        if found := _CHINESE.search(question):
            return list(_CHINESE_WORDS)[(found.lastindex or 1) - 1]
        return _YES_OR_NO if _CHINESE_YES_OR_NO.search(question) else "other"
    if _ENGLISH_YES_OR_NO.match(question):
        return _YES_OR_NO
    found = _ENGLISH.search(question)
    return list(_ENGLISH_WORDS)[(found.lastindex or 1) - 1] if found else "other"


_LONGEST_LENGTHS = {"tokens": (0, 1, 2, 3, 5, 10), "characters": (0, 2, 4, 6, 9, 14)}
"""The largest length of each group but the last, by what is counted."""


def length_groups(unit: str) -> list[str]:
    """The names of the groups of answer length, from none to many.

    Args:
        unit: ``tokens`` or ``characters``.
    """
    ends = _LONGEST_LENGTHS[unit]
    ranges = [(low + 1, high) for low, high in zip(ends, ends[1:], strict=False)]
    return ["no answer", *(str(low) if low == high else f"{low}–{high}" for low, high in ranges), f"{ends[-1] + 1}+"]


def length_group(references: Sequence[Side], unit: str) -> str:
    """The group of a question by the length of its shortest acceptable answer.

    Args:
        references: the acceptable answers, at least one; the lengths of an answer's spans add up.
        unit: ``tokens``, counted at white space, or ``characters``, without white space.

    Returns:
        One of ``length_groups(unit)``.
    """
    shortest = min(_length(one if isinstance(one, str) else " ".join(one), unit) for one in references)
    at = 0 if not shortest else bisect_right([end + 1 for end in _LONGEST_LENGTHS[unit]], shortest)
    return length_groups(unit)[at]


def _length(text: str, unit: str) -> int:
    words = text.split()
    return len(words) if unit == "tokens" else sum(map(len, words))
