"""SQuAD's normalisation of answers (Rajpurkar et al. 2016), which several of the benchmarks' evaluators share."""

from __future__ import annotations

import re
import string

_NO_PUNCTUATION = dict.fromkeys(map(ord, string.punctuation))
without_articles = re.compile(r"\b(?:a|an|the)\b").sub


def squad_normalised(text: str) -> str:
    """Lower the case, delete ASCII punctuation, then the words a, an and the; single spaces between what is left.

    Args:
        text: any string.

    Returns:
        Tokens joined by single spaces; the empty string if nothing is left.
    """
    return " ".join(without_articles(" ", text.lower().translate(_NO_PUNCTUATION)).split())
