"""The project's figures during training: ``compute_metrics`` for ``Trainer`` and for ``Seq2SeqTrainer``.

With a ``Trainer`` of one's own::

    examples = load_benchmark("drcd", split="validation")
    features = prepare_features(examples, tokenizer)
    trainer = Trainer(
        model=model,
        args=TrainingArguments(..., eval_strategy="epoch", save_strategy="epoch", load_best_model_at_end=True,
                               metric_for_best_model="f1"),
        train_dataset=...,
        eval_dataset=features,
        data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=make_compute_metrics("drcd", examples, features),
        preprocess_logits_for_metrics=span_logits,
    )
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from datasets import Dataset
from transformers import EvalPrediction, PreTrainedTokenizerBase

from metrics.shared.gold_files import parse_benchmark
from metrics.shared.protocol import Protocol
from scripts.qa_answers import AnswerRules, Features, answer_questions, read_windows
from scripts.qa_features import null_answer_datasets
from scripts.score import protocols_of

ComputeMetrics = Callable[[EvalPrediction], dict[str, float]]


def protocol_of(benchmark: str, protocol: str = "official") -> Protocol:
    """The protocol that ``evaluate.load`` of the benchmark's metric serves under this config name.

    Args:
        benchmark: ``drcd``, ``beerqa``, ``orb`` or one dataset of ORB (``orb/drop``).
        protocol: its config name.

    Raises:
        ValueError: if there is no such benchmark or protocol.
    """
    protocols = protocols_of(benchmark)
    if protocol not in protocols:
        raise ValueError(f"unknown protocol {protocol!r} of {benchmark}: expected one of {', '.join(protocols)}")
    return protocols[protocol]


def figures(
    benchmark: str, examples: Dataset, answers: Mapping[str, str], protocol: str = "official"
) -> dict[str, float]:
    """Score answers.

    Args:
        benchmark: ``drcd``, ``beerqa``, ``orb`` or one dataset of ORB (``orb/drop``).
        examples: questions in the standard columns, with references.
        answers: question id -> text, one for each question.
        protocol: the config name of the metric.

    Returns:
        What ``compute`` of the benchmark's metric returns; figures of each dataset where there are several.

    Raises:
        ValueError: if the questions have no references, or one has no answer.
    """
    scored = protocol_of(benchmark, protocol)
    ids, datasets, references = (examples[name][:] for name in ("id", "dataset", "references"))
    if not all(references):
        raise ValueError(f"question {ids[references.index([])]!r} has no references: there is nothing to score against")
    if missing := [id_ for id_ in ids if id_ not in answers]:
        raise ValueError(f"{len(missing)} questions have no answer, the first is {missing[0]!r}")
    has_several = len(set(datasets)) > 1 or parse_benchmark(benchmark)[0] == "orb"
    named = datasets if has_several else None
    columns = scored.score([answers[id_] for id_ in ids], references, named)
    return scored.aggregate(columns, named)


def span_logits(logits: Sequence[Any], labels: Any) -> tuple[Any, Any]:
    """For ``preprocess_logits_for_metrics``: keep start and end logits, drop hidden states that some models add."""
    return logits[0], logits[1]


def make_compute_metrics(
    benchmark: str,
    examples: Dataset,
    features: Features,
    protocol: str = "official",
    rules: AnswerRules | None = None,
    null_datasets: Collection[str] | None = None,
) -> ComputeMetrics:
    """Make ``compute_metrics`` for a ``Trainer`` of an extractive reader.

    Args:
        benchmark: ``drcd``, ``beerqa``, ``orb`` or one dataset of ORB (``orb/drop``).
        examples: the evaluated questions in the standard columns, with references.
        features: their windows, the ``eval_dataset`` of the Trainer (``prepare_features``).
        protocol: the config name of the metric.
        rules: how answers are chosen; by default ``AnswerRules()``.
        null_datasets: the datasets whose questions may be answered by ""; by default what ``examples`` show.

    Returns:
        A function from (start logits, end logits) of all windows to the figures, which the Trainer logs as
        ``eval_exact_match``, ``eval_f1`` and, where there are several datasets, ``eval_<dataset>_f1`` and the like.

    Raises:
        ValueError: if an argument is not as described. The function raises it if it does not get the windows of
            ``features`` in their order, as with ``train_sampling_strategy="group_by_length"``.
    """
    protocol_of(benchmark, protocol)
    windows = read_windows(examples, features)
    allowed = null_answer_datasets(examples) if null_datasets is None else null_datasets
    names = ("start_positions", "end_positions")
    labels = [_column(features, name) for name in names] if all(name in features[0] for name in names) else None

    def compute_metrics(prediction: EvalPrediction) -> dict[str, float]:
        logits: Any = prediction.predictions
        start_logits, end_logits = logits[:2]
        if len(start_logits) == len(windows) and labels is not None and prediction.label_ids is not None:
            for seen, expected in zip(prediction.label_ids, labels, strict=False):
                _check_order(np.array_equal(np.ravel(seen), expected))
        answers = answer_questions(examples, windows, start_logits, end_logits, rules or AnswerRules(), allowed)
        return figures(benchmark, examples, {id_: answer.text for id_, answer in answers.items()}, protocol)

    return compute_metrics


def make_seq2seq_compute_metrics(
    benchmark: str,
    examples: Dataset,
    features: Features,
    tokenizer: PreTrainedTokenizerBase,
    protocol: str = "official",
) -> ComputeMetrics:
    """Make ``compute_metrics`` for a ``Seq2SeqTrainer`` with ``predict_with_generate``.

    Answers are scored against all references of a question, not against the one that its labels hold.

    Args:
        benchmark: ``drcd``, ``beerqa``, ``orb`` or one dataset of ORB (``orb/drop``).
        examples: the evaluated questions in the standard columns, with references.
        features: the ``eval_dataset`` of the Trainer, one row for each question in the order of ``examples``; with
            ``labels`` the order of what the function gets is checked.
        tokenizer: the one that decodes what is generated.
        protocol: the config name of the metric.

    Returns:
        A function from generated ids, shape (questions, tokens), to the figures; -100 is padding.

    Raises:
        ValueError: if an argument is not as described. The function raises it if it does not get one row for each
            question in their order.
    """
    protocol_of(benchmark, protocol)
    if len(features) != len(examples):
        raise ValueError(
            f"features has {len(features)} rows, but there are {len(examples)} questions: expected as many"
        )
    padding = {-100, tokenizer.pad_token_id}
    labels = [_without(padding, row) for row in _column(features, "labels")] if "labels" in features[0] else None

    def compute_metrics(prediction: EvalPrediction) -> dict[str, float]:
        generated = prediction.predictions[0] if isinstance(prediction.predictions, tuple) else prediction.predictions
        if len(generated) != len(examples):
            raise ValueError(f"{len(generated)} texts were generated, but there are {len(examples)} questions")
        if labels is not None and prediction.label_ids is not None:
            _check_order([_without(padding, row) for row in prediction.label_ids] == labels)
        texts = decode_answers(generated, tokenizer)
        return figures(benchmark, examples, dict(zip(examples["id"][:], texts, strict=True)), protocol)

    return compute_metrics


def _column(features: Features, name: str) -> list[Any]:
    return [feature[name] for feature in features] if isinstance(features, Sequence) else features[name][:]


def _without(padding: Collection[int | None], ids: Iterable[int]) -> list[int]:
    return [token for token in map(int, ids) if token not in padding]


def _check_order(is_same: bool) -> None:
    if not is_same:
        raise ValueError(
            "the labels are not those of features, row by row: expected eval_dataset=features, evaluated in order "
            "(train_sampling_strategy='group_by_length' changes it)"
        )


def decode_answers(generated: Iterable[Iterable[int]] | np.ndarray, tokenizer: PreTrainedTokenizerBase) -> list[str]:
    """Turn generated ids to texts, without special tokens, padding, and spaces at the ends.

    Args:
        generated: token ids of each answer; -100 is padding.
        tokenizer: the one that decodes them. If it puts spaces between Chinese characters (as BERT's does), every space
            beside such a character is removed.

    Returns:
        One text for each row.
    """
    texts = tokenizer.batch_decode([_without({-100}, row) for row in generated], skip_special_tokens=True)
    [probe] = tokenizer.batch_decode([tokenizer("中文", add_special_tokens=False)["input_ids"]])
    if " " in probe.strip():
        texts = list(map(_without_spaces_beside_chinese, texts))
    return [text.strip() for text in texts]


def _without_spaces_beside_chinese(text: str) -> str:
    return "".join(
        character
        for i, character in enumerate(text)
        if character != " " or not (_is_wide(text[i - 1 : i]) or _is_wide(text[i + 1 : i + 2]))
    )


def _is_wide(character: str) -> bool:
    return character != "" and unicodedata.east_asian_width(character) in "WF"
