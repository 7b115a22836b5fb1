"""ORB's two protocols: the benchmark card, and the evaluator of allennlp-models (``rc/tools/orb*.py``)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from .drop import DropScorer
from .narrativeqa import FIGURES as NARRATIVEQA_FIGURES
from .narrativeqa import score_narrativeqa
from .protocol import Columns, Protocol, Side, by_dataset, mean, pooled_and_macro, pooled_lists
from .token_overlap import LOWER_CASE, SQUAD, batches_of_overlap

DROP_GROUP = ("drop", "quoref", "drop_syn", "quoref_syn")
EXTRACTIVE_GROUP = (
    *("squad1", "squad2", "newsqa", "ropes", "duorc"),
    *("squad1_syn", "newsqa_syn", "ropes_syn", "duorc_syn"),
)
DATASETS = ("narrativeqa", *DROP_GROUP, *EXTRACTIVE_GROUP)
_EM_F1 = ("exact_match", "f1")


def score_default(
    predictions: Sequence[Side], references: Sequence[Sequence[Side]], datasets: Sequence[str] | None = None
) -> Columns:
    """The card: lower-case tokens at white space; equal lists, bags in common.

    Args:
        predictions: one text per question, or a list of spans, which are joined by a space in their order.
        references: the acceptable answers of each question (at least one), of the same two forms.
        datasets: not looked at; here so that all protocols are called alike.

    Returns:
        ``exact_match`` and ``f1``, each the best over the answers on its own; F1 is 0 for an answer without tokens.
    """
    overlaps = batches_of_overlap(_texts(predictions), _texts_of_rows(references), LOWER_CASE)
    return {
        "exact_match": np.concatenate([overlap.best(overlap.equal).astype(float) for overlap in overlaps]),
        "f1": np.concatenate([overlap.best(overlap.f1()[2]) for overlap in overlaps]),
    }


def _text(side: Side) -> str:
    return side if isinstance(side, str) else " ".join(side)


def _texts(sides: Sequence[Side]) -> Sequence[str]:
    return sides if {*map(type, sides)} == {str} else list(map(_text, sides))  # type: ignore[return-value]


def _texts_of_rows(rows: Sequence[Sequence[Side]]) -> Sequence[Sequence[str]]:
    if {*map(type, chain.from_iterable(rows))} == {str}:
        return rows  # type: ignore[return-value]
    return [list(map(_text, row)) for row in rows]


def score_official(
    predictions: Sequence[Side], references: Sequence[Sequence[Side]], datasets: Sequence[str] | None = None
) -> Columns:
    """ORB's evaluator, question by question.

    Args:
        predictions: one text per question; for the DROP group also a list of spans.
        references: the acceptable answers of each question (at least one), of the same two forms.
        datasets: the dataset of each question, in any case: one of ``DATASETS``.

    Returns:
        ``exact_match`` and ``f1`` of the extractive and the DROP group (the best over the answers, each on its own) and
        NarrativeQA's ``bleu_1`` … ``rouge_r``; NaN where a question has no such figure.

    Raises:
        ValueError: if ``datasets`` is None.
        ImportError: if NarrativeQA questions occur and what they need is missing.
    """
    if datasets is None:
        raise ValueError("the official protocol of ORB needs the dataset of each question")
    columns = {figure: np.full(len(predictions), np.nan) for figure in (*_EM_F1, *NARRATIVEQA_FIGURES)}
    for dataset, questions in by_dataset([name.lower() for name in datasets]).items():
        of_dataset = questions.tolist()
        scored = _score_dataset(dataset, [predictions[i] for i in of_dataset], [references[i] for i in of_dataset])
        for figure, values in scored.items():
            columns[figure][questions] = values
    return columns


def _score_dataset(dataset: str, predictions: list[Side], references: list[Sequence[Side]]) -> Columns:
    if dataset in DROP_GROUP:
        figures: tuple[str, ...] = _EM_F1
        scorer = DropScorer()
        rows: list[tuple[float, ...]] = list(map(scorer.score, predictions, references))
    elif dataset == "narrativeqa":
        figures = NARRATIVEQA_FIGURES
        texts = zip(predictions, references, strict=True)
        rows = [score_narrativeqa(_text(one), list(map(_text, answers))) for one, answers in texts]
    else:
        return _score_extractive(_texts(predictions), _texts_of_rows(references))
    return dict(zip(figures, np.asarray(rows, dtype=float).T, strict=True))


def _score_extractive(predictions: Sequence[str], references: Sequence[Sequence[str]]) -> Columns:
    exact_match, f1 = [], []
    for overlap in batches_of_overlap(predictions, references, SQUAD):
        both_empty = (overlap.predicted == 0) & (overlap.gold == 0)
        exact_match.append(overlap.best(overlap.equal).astype(float))
        f1.append(overlap.best(np.where(both_empty, 1.0, overlap.f1()[2])))
    return {"exact_match": np.concatenate(exact_match), "f1": np.concatenate(f1)}


def _figures_of(dataset: str) -> tuple[str, ...]:
    return NARRATIVEQA_FIGURES if dataset == "narrativeqa" else _EM_F1


def _averaged_figure(dataset: str) -> str:
    """The figure by which a dataset enters ``average_f1``."""
    return {"narrativeqa": "rouge_f", "ropes": "exact_match"}.get(dataset, "f1")


def _official_lists(columns: Columns, datasets: Sequence[str] | None) -> Columns:
    groups = by_dataset([name.lower() for name in datasets or ()])
    lists = {}
    average = np.full(len(columns["f1"]), np.nan)
    for dataset, questions in groups.items():
        lists.update({f"{dataset}_{figure}": columns[figure][questions] for figure in _figures_of(dataset)})
        average[questions] = columns[_averaged_figure(dataset)][questions]
    own = {} if set(groups) == {"narrativeqa"} else {figure: columns[figure] for figure in _EM_F1}
    return {**lists, "average_f1": average, **own}


def _official_means(columns: Columns, datasets: Sequence[str] | None) -> dict[str, float]:
    """The evaluator's figures, rounded as it rounds them; ours are the plain means over datasets."""
    groups = by_dataset([name.lower() for name in datasets or ()])
    means: dict[str, float] = {}
    for dataset, questions in groups.items():
        means.update({f"{dataset}_{figure}": mean(columns[figure][questions]) for figure in _figures_of(dataset)})
    rounded = {key: round(value, 4) for key, value in means.items()}
    entering = [means[f"{dataset}_{_averaged_figure(dataset)}"] for dataset in groups]
    rounded["average_f1"] = round(sum(entering) / len(entering), 4)
    for figure in _EM_F1:
        values = [means[f"{dataset}_{figure}"] for dataset in groups if dataset != "narrativeqa"]
        if values:
            rounded[figure] = sum(values) / len(values)
    return rounded


PROTOCOLS = {
    "default": Protocol(
        name="default",
        description="The ORB card: lower-case tokens at white space, nothing removed.",
        figures=_EM_F1,
        unanswered="zero",
        score=score_default,
        question_lists=pooled_lists,
        aggregate=pooled_and_macro,
    ),
    "official": Protocol(
        name="official",
        description="The evaluator of allennlp-models: each dataset by its own rules, as on the leaderboard.",
        figures=(*_EM_F1, *NARRATIVEQA_FIGURES),
        unanswered="left out",
        score=score_official,
        question_lists=_official_lists,
        aggregate=_official_means,
    ),
}
