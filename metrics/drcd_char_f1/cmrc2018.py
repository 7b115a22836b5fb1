"""Tokens as the CMRC 2018 evaluation script makes them: Chinese characters one by one, anything else by NLTK."""

from __future__ import annotations

import re

import numpy as np

from .characters import longest_common_run, without
from .nltk_words import word_tokenize
from .token_bags import TokenBags, precision_recall_f1

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


def texts_without_marks(texts: list[str]) -> list[str]:
    """The same for many texts at once.

    Args:
        texts: any strings.

    Returns:
        As many strings, in order, each as ``without_marks`` returns it.
    """
    joined = "\n".join([text.strip() for text in texts]).lower()
    if joined.count("\n") != len(texts) - 1:
        return list(map(without_marks, texts))
    return without(joined, CMRC_MARKS).split("\n")


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


def f1_of_longest_runs(
    texts: list[str], characters: TokenBags, predicted: np.ndarray, gold: np.ndarray, equal: np.ndarray
) -> np.ndarray:
    """F1 by the longest run of tokens that two texts have in common.

    Args:
        texts: what ``texts_without_marks`` returned.
        characters: their characters.
        predicted: of each comparison, the index of the prediction.
        gold: of each comparison, the index of the answer.
        equal: of each comparison, whether the two texts are equal.

    Returns:
        F1 of each comparison; 0 where nothing is common.

    Raises:
        ImportError: if a text needs NLTK's word tokeniser and it is missing.
    """
    # A Chinese character is a token of its own: where one side is nothing else and shares none, there is no run, and
    # where both sides are nothing else and share one, it is the run.
    is_chinese = characters.only((characters.number < 0x4E00) | (characters.number > 0x9FA5)).count == 0
    shared = characters.shared_as_bags(predicted, gold)
    is_single = ~equal & is_chinese[predicted] & is_chinese[gold] & (shared == 1)
    is_apart = (is_chinese[predicted] | is_chinese[gold]) & (shared == 0)
    run = is_single.astype(np.int64)
    predicted_count, gold_count = characters.count[predicted], characters.count[gold]
    tokens: dict[int, list[str] | str] = {}
    for i in np.flatnonzero(~equal & ~is_single & ~is_apart).tolist():
        sides = int(predicted[i]), int(gold[i])
        for side in sides:
            if side not in tokens:
                tokens[side] = cmrc_tokens(texts[side])
        one, other = as_strings([tokens[side] for side in sides])
        run[i], predicted_count[i], gold_count[i] = longest_common_run(one, other), len(one), len(other)
    _, _, f1 = precision_recall_f1(run, predicted_count, gold_count)
    alike = np.flatnonzero(equal)
    f1[alike] = [float(texts[i].strip() != "") for i in gold[alike].tolist()]
    return f1
