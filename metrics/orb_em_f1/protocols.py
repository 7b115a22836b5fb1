"""ORB's two protocols: the benchmark card, and the evaluator of allennlp-models (``rc/tools/orb*.py``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .drop import score_drop
from .narrativeqa import FIGURES as NARRATIVEQA_FIGURES
from .narrativeqa import score_narrativeqa
from .protocol import Columns, Protocol, Side, by_dataset, mean, pooled_and_macro, pooled_lists
from .token_overlap import LOWER_CASE, SQUAD, Overlap, TextNormaliser, batches_of_overlap

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
    overlaps = _overlaps(predictions, references, LOWER_CASE)
    return {
        "exact_match": np.concatenate([overlap.batch.best(overlap.equal).astype(float) for overlap in overlaps]),
        "f1": np.concatenate([overlap.batch.best(overlap.f1()[2]) for overlap in overlaps]),
    }


def _text(side: Side) -> str:
    return side if isinstance(side, str) else " ".join(side)


def _overlaps(
    predictions: Sequence[Side], references: Sequence[Sequence[Side]], normaliser: TextNormaliser
) -> list[Overlap]:
    try:
        return list(batches_of_overlap(predictions, references, normaliser))  # type: ignore[arg-type]
    except TypeError:  # a side of several spans, as few calls have one: looking at all sides first takes longer
        texts = list(map(_text, predictions))
        return list(batches_of_overlap(texts, [list(map(_text, row)) for row in references], normaliser))


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
    groups = _groups(datasets)
    for dataset, questions in groups.items():
        sides: tuple[Sequence[Side], Sequence[Sequence[Side]]] = (predictions, references)
        if len(groups) > 1:
            of_dataset = questions.tolist()
            sides = [predictions[i] for i in of_dataset], [references[i] for i in of_dataset]
        scored = _score_dataset(dataset, *sides)
        for figure, values in scored.items():
            columns[figure][questions] = values
    return columns


def _score_dataset(dataset: str, predictions: Sequence[Side], references: Sequence[Sequence[Side]]) -> Columns:
    if dataset in DROP_GROUP:
        return score_drop(predictions, references)
    if dataset == "narrativeqa":
        texts = zip(predictions, references, strict=True)
        rows = [score_narrativeqa(_text(one), list(map(_text, answers))) for one, answers in texts]
        return dict(zip(NARRATIVEQA_FIGURES, np.asarray(rows, dtype=float).T, strict=True))
    return _score_extractive(predictions, references)


def _score_extractive(predictions: Sequence[Side], references: Sequence[Sequence[Side]]) -> Columns:
    exact_match, f1 = [], []
    for overlap in _overlaps(predictions, references, SQUAD):
        both_empty = (overlap.predicted == 0) & (overlap.gold == 0)
        exact_match.append(overlap.batch.best(overlap.equal).astype(float))
        f1.append(overlap.batch.best(np.where(both_empty, 1.0, overlap.f1()[2])))
    return {"exact_match": np.concatenate(exact_match), "f1": np.concatenate(f1)}


def _groups(datasets: Sequence[str]) -> dict[str, np.ndarray]:
    """The positions of each dataset's questions, whatever the case in which the dataset is named."""
    spelt = {name: name.lower() for name in dict.fromkeys(datasets)}
    if any(name != lower for name, lower in spelt.items()):
        datasets = [spelt[name] for name in datasets]
    return by_dataset(datasets)


def _figures_of(dataset: str) -> tuple[str, ...]:
    return NARRATIVEQA_FIGURES if dataset == "narrativeqa" else _EM_F1


def _averaged_figure(dataset: str) -> str:
    """The figure by which a dataset enters ``average_f1``."""
    return {"narrativeqa": "rouge_f", "ropes": "exact_match"}.get(dataset, "f1")


def _official_lists(columns: Columns, datasets: Sequence[str] | None) -> Columns:
    groups = _groups(datasets or ())
    lists = {}
    average = np.full(len(columns["f1"]), np.nan)
    for dataset, questions in groups.items():
        lists.update({f"{dataset}_{figure}": columns[figure][questions] for figure in _figures_of(dataset)})
        average[questions] = columns[_averaged_figure(dataset)][questions]
    own = {} if set(groups) == {"narrativeqa"} else {figure: columns[figure] for figure in _EM_F1}
    return {**lists, "average_f1": average, **own}


def _official_means(columns: Columns, datasets: Sequence[str] | None) -> dict[str, float]:
    """The evaluator's figures, rounded as it rounds them; ours are the plain means over datasets."""
    groups = _groups(datasets or ())
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
