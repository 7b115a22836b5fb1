"""Scoring of NarrativeQA as ORB's evaluator does it: BLEU-1, BLEU-4, METEOR and ROUGE-L.

NLTK, its Punkt model, WordNet and py-rouge's word lists are needed for such questions alone, so they are imported here
when the first one is scored.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .nltk_words import missing, word_tokenize, words_of_sentence

FIGURES = ("bleu_1", "bleu_4", "meteor", "rouge_f", "rouge_p", "rouge_r")
_ROUGE_WORDS = 100
# ORB's evaluator asks py-rouge for ROUGE-W too, with weight 1.2, and py-rouge then applies the weight to ROUGE-L's
# averages as well: published numbers contain it.
_ROUGE_POWER = 1.0 / 1.2
_not_letter_or_digit = re.compile("[^A-Za-z0-9]").sub


def score_narrativeqa(prediction: str, answers: Sequence[str]) -> tuple[float, ...]:
    """The six figures of one question, each the best over the answers on its own, rounded to two decimals.

    Args:
        prediction: the predicted text.
        answers: acceptable answers, at least one.

    Returns:
        The figures in the order of ``FIGURES``, each in [0, 1].

    Raises:
        ImportError: if a package or its data is missing; the message holds the command that installs it.
    """
    bleu, meteor, tokens = _bleu(), _meteor(), word_tokenize(prediction)
    per_answer = []
    for answer in answers:
        gold_tokens = word_tokenize(answer)
        precision, recall, f_score = rouge_l(prediction, answer)
        per_answer.append(
            (
                bleu(gold_tokens, tokens, (1, 0, 0, 0)),
                bleu(gold_tokens, tokens, (0, 0, 0, 1)),
                meteor(answer.split(), prediction.split()),
                f_score,
                precision,
                recall,
            )
        )
    return tuple(round(float(max(values)), 2) for values in zip(*per_answer, strict=True))


def rouge_l(prediction: str, answer: str) -> tuple[float, float, float]:
    """Summary-level ROUGE-L as ORB's evaluator gets it from py-rouge 1.1: stemmed, at most 100 words, weight 1.2.

    Args:
        prediction: the text to judge.
        answer: the text to judge it by.

    Returns:
        (precision, recall, F with alpha 0.5), each in [0, 1].
    """
    predicted, gold = _rouge_sentences(prediction), _rouge_sentences(answer)
    left = Counter(word for sentence in predicted for word in sentence)
    words, gold_words = sum(left.values()), sum(map(len, gold))
    same = 0
    for sentence in gold:
        hits = {at for other in predicted for at in _common_subsequence(sentence, other)}
        for word in (sentence[at] for at in sorted(hits)):
            if left[word] > 0:
                left[word] -= 1
                same += 1
    precision = (same / words if words else 0.0) ** _ROUGE_POWER
    recall = (same / gold_words if gold_words else 0.0) ** _ROUGE_POWER
    return precision, recall, precision * recall / (0.5 * precision + 0.5 * recall) if same else 0.0


def _common_subsequence(gold: list[str], predicted: list[str]) -> list[int]:
    """Positions in ``gold`` of the longest common subsequence that py-rouge's walk back finds."""
    lengths = [[0] * (len(predicted) + 1)]
    for word in gold:
        above, row = lengths[-1], [0]
        for j, other in enumerate(predicted):
            row.append(above[j] + 1 if word == other else max(above[j + 1], row[j]))
        lengths.append(row)
    i, j, positions = len(gold), len(predicted), []
    while i and j:
        if gold[i - 1] == predicted[j - 1]:
            i, j = i - 1, j - 1
            positions.append(i)
        elif lengths[i - 1][j] >= lengths[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return positions


def _rouge_sentences(text: str) -> list[list[str]]:
    """The stemmed words of each line, of the first hundred words."""
    sentences, total = [], 0
    for line in text.split("\n"):
        words = line.split()
        is_last = total + len(words) >= _ROUGE_WORDS
        sentences.append(_stemmed(" ".join(words[: _ROUGE_WORDS - total] if is_last else words)))
        if is_last:
            break
        total += len(words)
    return sentences


def _stemmed(sentence: str) -> list[str]:
    base_forms, stem = _stemmer()
    letters = _not_letter_or_digit(" ", sentence.lower()).strip()
    # py-rouge hides the word from the tokeniser, which would cut it in two.
    words = words_of_sentence(letters.replace("cannot", "_cannot_"))
    words = [(base_forms.get(word) or stem(word)) if len(word) > 3 else word for word in words]
    return " ".join(words).replace("_cannot_", "cannot").split()


@cache
def _stemmer() -> tuple[dict[str, str], Callable[[str], str]]:
    """py-rouge's table of base forms, read from its files (its own import needs ``pkg_resources``), and its stemmer."""
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError:
        raise missing("nltk") from None
    spec = find_spec("rouge")
    folders = [Path(folder) for folder in (spec.submodule_search_locations or [])] if spec else []
    names = ("wordnet_key_value.txt", "wordnet_key_value_special_cases.txt")
    files = [folder / name for folder in folders for name in names]
    if not files or not all(file.is_file() for file in files):
        raise missing("py-rouge")
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    base_forms = dict(line.strip().split("|") for line in lines)
    return base_forms, PorterStemmer(PorterStemmer.ORIGINAL_ALGORITHM).stem


@cache
def _bleu() -> Callable[[Sequence[str], Sequence[str], tuple[int, ...]], float]:
    try:
        from nltk.translate.bleu_score import sentence_bleu
    except ImportError:
        raise missing("nltk") from None

    def bleu(gold: Sequence[str], predicted: Sequence[str], weights: tuple[int, ...]) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # no smoothing is what the protocol asks for
            return sentence_bleu([gold], predicted, weights=weights)

    return bleu


@cache
def _meteor() -> Callable[[list[str], list[str]], float]:
    try:
        from nltk.corpus import wordnet
        from nltk.translate.meteor_score import meteor_score
    except ImportError:
        raise missing("nltk") from None
    try:
        wordnet.ensure_loaded()
    except LookupError:
        raise missing("wordnet") from None
    score: Any = meteor_score
    return lambda gold, predicted: score([gold], predicted)


def fetch_wordnet() -> None:
    """Download WordNet for METEOR if NLTK is there and WordNet is not; without a network, leave it at that.

    Only questions of NarrativeQA need it, and scoring them says what is missing.
    """
    if find_spec("nltk") is None:
        return
    import nltk

    for corpus in ("corpora/wordnet.zip", "corpora/wordnet"):
        with contextlib.suppress(LookupError):
            nltk.data.find(corpus)
            return
    nltk.download("wordnet", quiet=True, print_error_to=io.StringIO())
