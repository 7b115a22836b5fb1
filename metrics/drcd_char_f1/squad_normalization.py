"""SQuAD's normalisation of answers (Rajpurkar et al. 2016), which several of the benchmarks' evaluators share."""

from __future__ import annotations

import re
import string

_NO_PUNCTUATION = dict.fromkeys(map(ord, string.punctuation))
# The same as \b(a|an|the)\b; begun with a letter, because `re` skips quickly to the letters a pattern may begin with.
without_articles = re.compile(r"(?:a(?<=\ba)n?|t(?<=\bt)he)\b").sub


def squad_normalised(text: str) -> str:
    """Lower the case, delete ASCII punctuation, then the words a, an and the; single spaces between what is left.

    Args:
        text: any string.

    Returns:
        Tokens joined by single spaces; the empty string if nothing is left.
    """
    return " ".join(without_articles(" ", text.lower().translate(_NO_PUNCTUATION)).split())
