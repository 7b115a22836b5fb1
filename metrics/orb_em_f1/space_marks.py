"""How each of ORB's protocols compares two sides, for the demo's marks."""

from __future__ import annotations

import string
from dataclasses import replace

from .drop_normalization import is_number, normalised_span
from .nltk_words import word_tokenize
from .protocol import Side
from .protocols import DROP_GROUP
from .space_marking import Marker, Marking, Match, Segment, as_bags, as_sets, counted, marking, segments
from .space_tracing import TracedText, Unit
from .squad_normalization import squad_normalised


def _text(side: Side) -> str:
    return side if isinstance(side, str) else " ".join(side)


def _lower_case_words(text: TracedText) -> list[Unit]:
    return text.lower().words()


def _lower_case(text: str) -> str:
    return " ".join(text.lower().split())


def _mark_default(prediction: Side, answer: Side, dataset: str | None) -> Marking:
    return marking(_text(prediction), _text(answer), _lower_case_words, as_bags, _lower_case, "token")


def _mark_official(prediction: Side, answer: Side, dataset: str | None) -> Marking:
    if dataset in DROP_GROUP:
        return _mark_spans(prediction, answer)
    one, other = _text(prediction), _text(answer)
    if dataset == "narrativeqa":
        marked = marking(one, other, _nltk_words, as_bags, str, "token")
        reason = "Marked are the tokens that BLEU-1 counts; ROUGE-L and METEOR also pair words with one stem or sense."
        return replace(marked, f1=None, reason=reason)
    return marking(one, other, _squad_words, as_bags, squad_normalised, "token", _both_empty)


def _squad_words(text: TracedText) -> list[Unit]:
    return text.squad(lambda char: char in string.punctuation).words()


def _nltk_words(text: TracedText) -> list[Unit]:
    return text.tokens(word_tokenize(text.text))


def _both_empty(match: Match) -> tuple[float, str] | None:
    return None if match.predicted or match.gold else (1.0, "Nothing is left of either side: F1 = 1.")


# The DROP group: each span is a set of tokens, spans are paired one to one.


def _drop_units(span: TracedText) -> list[Unit]:
    return [unit for piece in span.pieces(lambda char: char in " -") for unit in _units_of_piece(piece)]


def _units_of_piece(piece: TracedText) -> list[Unit]:
    piece = piece.lower()
    if not is_number(piece.text):
        piece = piece.without(lambda char: char in string.punctuation)
    if is_number(piece.text):
        return [piece.unit(str(float(piece.text)))]
    return piece.without_articles().words()


def _bag_f1(match: Match, gold: list[Unit], predicted: list[Unit]) -> float:
    """F1 of two bags by the DROP group's rules: the numbers of the answer first, then sets."""
    if _misses_numbers(gold, predicted):
        return 0.0
    precision = match.same / match.predicted if match.predicted else 1.0
    recall = match.same / match.gold if match.gold else 1.0
    return 2 * precision * recall / (precision + recall) if precision or recall else 0.0


def _misses_numbers(gold: list[Unit], predicted: list[Unit]) -> bool:
    numbers = {unit.form for unit in gold if is_number(unit.form)}
    return bool(numbers) and numbers.isdisjoint(unit.form for unit in predicted)


def _mark_spans(prediction: Side, answer: Side) -> Marking:
    from scipy.optimize import linear_sum_assignment

    texts = [[side] if isinstance(side, str) else list(side) for side in (prediction, answer)]
    predicted, gold = ([_drop_units(TracedText.of(text)) for text in side] for side in texts)
    matches = [[as_sets(one, other) for one in predicted] for other in gold]
    scores = [[_bag_f1(matches[g][p], gold[g], predicted[p]) for p in range(len(predicted))] for g in range(len(gold))]
    pairs = list(zip(*linear_sum_assignment(scores, maximize=True), strict=True))
    marked: list[list[list[Segment]]] = [
        [segments(text, units, as_sets(units, []).prediction) for text, units in zip(side, bags, strict=True)]
        for side, bags in zip(texts, (predicted, gold), strict=True)
    ]
    for g, p in pairs:
        marked[0][p] = segments(texts[0][p], predicted[p], matches[g][p].prediction)
        marked[1][g] = segments(texts[1][g], gold[g], matches[g][p].answer)
    forms = [[normalised_span(text) for text in side] for side in texts]
    largest = max(map(len, texts))
    f1 = round(sum(scores[g][p] for g, p in pairs) / largest * 100) / 100
    reasons = [_pair_reason(matches[g][p], gold[g], predicted[p], scores[g][p]) for g, p in pairs]
    if largest > 1:
        total = " + ".join(f"{scores[g][p]:.4f}" for g, p in pairs)
        reasons = [f"{len(pairs)} of {largest} spans have a partner: F1 = ({total}) ∕ {largest} = {f1:.2f}, rounded."]
    return Marking(
        prediction=marked[0],
        answer=marked[1],
        compared=(" | ".join(sorted(forms[0])), " | ".join(sorted(forms[1]))),
        exact=set(forms[0]) == set(forms[1]) and len(forms[0]) == len(forms[1]),
        f1=f1,
        reason=reasons[0],
    )


def _pair_reason(match: Match, gold: list[Unit], predicted: list[Unit], f1: float) -> str:
    if _misses_numbers(gold, predicted):
        return "The answer holds numbers and the prediction has none of them: F1 = 0."
    if not match.predicted or not match.gold:
        return f"A side without tokens counts as right where it says nothing: F1 = {f1:.2f}."
    return counted(match, "different token")


MARKERS: dict[str, Marker] = {"default": _mark_default, "official": _mark_official}
