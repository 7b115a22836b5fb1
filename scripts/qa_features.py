"""What an extractive reader reads: a question with one window of its context, cut by a fast tokenizer's offsets.

A context that is too long for the model is read in several windows that overlap. The question stands first. The columns
are those of Hugging Face's ``run_qa.py``: ``example_id``, ``offset_mapping`` (None outside the context) and, where the
answers are known, ``start_positions`` and ``end_positions``; besides, ``null_position`` is the token whose logits stand
for "no answer": the tokenizer's CLS token, or the last token where there is none (a causal model has read everything
only there).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from datasets import Dataset
from transformers import PreTrainedTokenizerBase

logger = logging.getLogger(__name__)

NULL_ANSWER_DATASETS = frozenset({"squad2", "newsqa", "newsqa_syn", "duorc", "duorc_syn"})
"""Datasets whose questions may have no answer, whether or not the questions at hand show it."""


def null_answer_datasets(examples: Dataset) -> frozenset[str]:
    """The datasets for which a reader may answer "".

    Args:
        examples: rows in the standard columns of ``load_benchmark``.

    Returns:
        Those of ``NULL_ANSWER_DATASETS``, and those of which some question has "" among its references.
    """
    rows = zip(examples["dataset"][:], examples["references"][:], strict=True)
    return NULL_ANSWER_DATASETS | {dataset for dataset, references in rows if "" in references}


def gold_span(example: dict[str, Any]) -> tuple[int, int] | None:
    """The span of the context that a reader is trained to give.

    Args:
        example: a row in the standard columns.

    Returns:
        Start and end (exclusive) of the first answer that stands in the context; (0, 0) for a question that has no
        answer ("" is a reference); None if it has answers, but none of them in its context.

    Raises:
        ValueError: if an answer does not stand where ``answer_start`` says.
    """
    answers = example["answers"]
    for text, start in zip(answers["text"], answers["answer_start"], strict=True):
        if start < 0:
            continue
        if not text or not example["context"].startswith(text, start):
            found = example["context"][start : start + len(text)]
            raise ValueError(
                f"question {example['id']!r}: expected {text!r} at {start} of its context, found {found!r}"
            )
        return start, start + len(text)
    return (0, 0) if "" in example["references"] else None


def training_examples(examples: Dataset) -> Dataset:
    """The questions that an extractive reader can learn from; how many are left out is logged.

    Args:
        examples: rows in the standard columns.

    Returns:
        The rows whose answer stands in the context, or that have none.

    Raises:
        ValueError: if there is no such row.
    """
    kept = [i for i, example in enumerate(examples) if gold_span(example) is not None]
    if not kept:
        raise ValueError(f"none of the {len(examples)} questions has an answer that stands in its context")
    if len(kept) < len(examples):
        logger.warning(
            "%d of %d questions are left out of training: none of their answers stands in the context",
            len(examples) - len(kept),
            len(examples),
        )
    return examples.select(kept)


def prepare_features(
    examples: Dataset,
    tokenizer: PreTrainedTokenizerBase,
    *,
    max_seq_length: int = 384,
    doc_stride: int = 128,
    num_proc: int | None = None,
) -> Dataset:
    """Cut questions with their contexts into windows.

    A question that would leave less room for new context than it takes itself is cut; how many were is logged.

    Args:
        examples: rows in the standard columns.
        tokenizer: a fast one. Batches must be padded on the right, or the positions of answers move.
        max_seq_length: tokens of a window, with the question and special tokens.
        doc_stride: tokens that two neighbouring windows share.
        num_proc: number of processes, as in ``Dataset.map``.

    Returns:
        One row per window, in the order of the questions: what the tokenizer gives, ``example_id``, ``dataset``,
        ``offset_mapping`` and ``null_position``; if the questions have references, also ``start_positions`` and
        ``end_positions``, the null position where the window does not hold the whole answer.

    Raises:
        ValueError: if the tokenizer is not a fast one, the numbers leave no room, or a question has no context.
    """
    if not tokenizer.is_fast:
        raise ValueError(f"{type(tokenizer).__name__} is not a fast tokenizer: it gives no character offsets")
    room = max_seq_length - tokenizer.num_special_tokens_to_add(pair=True) - doc_stride
    if doc_stride < 0 or room < 2:
        raise ValueError(
            f"doc_stride is {doc_stride} and max_seq_length {max_seq_length}: expected doc_stride from 0 to "
            f"{max_seq_length - 2 - tokenizer.num_special_tokens_to_add(pair=True)}, to leave room for a question"
        )
    for id_, context in zip(examples["id"][:], examples["context"][:], strict=True):
        if not context.strip():
            raise ValueError(
                f"question {id_!r} has no context, but an extractive reader answers from one: give a file with "
                "contexts, or answer without them by a generative model (scripts/predict.py)"
            )
    labelled = any(examples["references"][:])
    features = examples.map(
        partial(
            _windows,
            tokenizer=tokenizer,
            max_seq_length=max_seq_length,
            doc_stride=doc_stride,
            max_question_length=room // 2,
            labelled=labelled,
        ),
        batched=True,
        remove_columns=examples.column_names,
        num_proc=num_proc,
        load_from_cache_file=False,  # a cache would outlive a change of the code
        desc="Cutting windows",
    )
    rows = zip(features["question_is_cut"][:], features["example_id"][:], strict=True)
    if cut := dict.fromkeys(id_ for is_cut, id_ in rows if is_cut):
        logger.warning("%d questions are cut to %d tokens, the first is %r", len(cut), room // 2, next(iter(cut)))
    return features.remove_columns("question_is_cut")


def _windows(
    batch: dict[str, list[Any]],
    tokenizer: PreTrainedTokenizerBase,
    max_seq_length: int,
    doc_stride: int,
    max_question_length: int,
    labelled: bool,
) -> dict[str, list[Any]]:
    # Some questions begin with many spaces, which count as tokens with some tokenizers.
    questions = [question.strip() for question in batch["question"]]
    limits = _question_limits(questions, tokenizer, max_question_length)
    encoded = tokenizer(
        [question[:limit] for question, limit in zip(questions, limits, strict=True)],
        batch["context"],
        truncation="only_second",
        max_length=max_seq_length,
        stride=doc_stride,
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
    )
    columns: dict[str, list[Any]] = {name: encoded[name] for name in tokenizer.model_input_names if name in encoded}
    added = ["example_id", "dataset", "offset_mapping", "null_position", "question_is_cut"]
    added += ["start_positions", "end_positions"] if labelled else []
    columns.update({name: [] for name in added})
    examples = [dict(zip(batch, row, strict=True)) for row in zip(*batch.values(), strict=True)]
    for window, row in enumerate(encoded["overflow_to_sample_mapping"]):
        sequences = encoded.sequence_ids(window)
        offsets = [
            pair if sequence == 1 else None
            for pair, sequence in zip(encoded["offset_mapping"][window], sequences, strict=True)
        ]
        null_position = _null_position(encoded["input_ids"][window], sequences, tokenizer.cls_token_id)
        columns["example_id"].append(batch["id"][row])
        columns["dataset"].append(batch["dataset"][row])
        columns["offset_mapping"].append(offsets)
        columns["null_position"].append(null_position)
        columns["question_is_cut"].append(limits[row] < len(questions[row]))
        if labelled:
            start, end = _label(offsets, gold_span(examples[row])) or (null_position, null_position)
            columns["start_positions"].append(start)
            columns["end_positions"].append(end)
    return columns


def _question_limits(questions: list[str], tokenizer: PreTrainedTokenizerBase, max_length: int) -> list[int]:
    """How many characters of each question its first ``max_length`` tokens take."""
    offsets = tokenizer(questions, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
    return [
        len(question) if len(pairs) <= max_length else pairs[max_length - 1][1]
        for question, pairs in zip(questions, offsets, strict=True)
    ]


def _null_position(input_ids: list[int], sequences: Sequence[int | None], cls_token_id: int | None) -> int:
    for position, (token, sequence) in enumerate(zip(input_ids, sequences, strict=True)):
        if sequence is None and token == cls_token_id:
            return position
    return len(input_ids) - 1


def _label(offsets: Sequence[tuple[int, int] | None], span: tuple[int, int] | None) -> tuple[int, int] | None:
    """The first and the last token of a span of characters; None if the window does not hold all of it."""
    if span is None or span == (0, 0):
        return None
    start, end = span
    held = [i for i, pair in enumerate(offsets) if pair is not None]
    first, last = held[0], held[-1]
    if offsets[first][0] > start or offsets[last][1] < end:  # type: ignore[index]
        return None
    touched = [i for i in held if offsets[i][0] < end and offsets[i][1] > start]  # type: ignore[index]
    return (touched[0], touched[-1]) if touched else None
