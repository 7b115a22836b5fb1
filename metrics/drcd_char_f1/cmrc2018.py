"""Tokens as the CMRC 2018 evaluation script makes them: Chinese characters one by one, anything else by NLTK."""

from __future__ import annotations

import re

from .nltk_words import word_tokenize

CMRC_MARKS = "-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』"
_NO_MARKS = dict.fromkeys(map(ord, CMRC_MARKS))
_is_chinese = re.compile("[\u4e00-\u9fa5]*").fullmatch
_runs = re.compile("[\u4e00-\u9fa5]|[^\u4e00-\u9fa5]+").findall


def without_marks(text: str) -> str:
    """The text in lower case, stripped, then without the script's marks: what exact match compares.

    Args:
        text: any string.

    Returns:
        The cleaned string; a space that stood beside a mark stays.
    """
    return text.lower().strip().translate(_NO_MARKS)


def cmrc_tokens(cleaned: str) -> list[str] | str:
    """The tokens of a text that ``without_marks`` returned.

    Args:
        cleaned: the cleaned text.

    Returns:
        The tokens in order; a string stands for the list of its characters.

    Raises:
        ImportError: if a run of other characters needs NLTK and it is missing.
    """
    if _is_chinese(cleaned):
        return cleaned
    tokens: list[str] = []
    for run in _runs(cleaned):
        if "\u4e00" <= run[0] <= "\u9fa5":
            tokens.append(run)
        else:
            tokens.extend(word_tokenize(run))
    return tokens


def as_strings(token_lists: list[list[str] | str]) -> list[str]:
    """Token lists as strings of one character a token, equal characters for equal tokens, for searching runs.

    Args:
        token_lists: the tokens of several texts.

    Returns:
        One string per list, of the same length.
    """
    if all(isinstance(tokens, str) for tokens in token_lists):
        return token_lists  # type: ignore[return-value]
    numbers: dict[str, str] = {}
    return ["".join([numbers.setdefault(token, chr(len(numbers))) for token in tokens]) for tokens in token_lists]
