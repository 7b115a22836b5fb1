"""Answers of extractive readers, in batches of windows of similar length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from tqdm import tqdm
from transformers import PreTrainedTokenizerBase

from metrics.shared.question import Question
from scripts.load_benchmark import FEATURES
from scripts.qa_answers import AnswerRules, answer_questions, read_windows
from scripts.qa_features import null_answer_datasets, prepare_features
from scripts.reading_input import Paragraphs


def extract_answers(
    questions: Sequence[Question],
    paragraphs: Mapping[str, Paragraphs],
    model: Any,
    tokenizer: PreTrainedTokenizerBase,
    rules: AnswerRules,
    *,
    max_seq_length: int = 384,
    doc_stride: int = 128,
    batch_size: int = 16,
) -> tuple[dict[str, str], int]:
    """What a reader answers to each question.

    Args:
        questions: The questions.
        paragraphs: What is read for each, by id; the texts are joined by a line break.
        model: A model for extractive question answering, on its device.
        tokenizer: Its tokenizer, a fast one.
        rules: How answers are chosen from the logits.
        max_seq_length: Tokens of a window; no more than the tokenizer allows.
        doc_stride: Tokens that neighbouring windows share.
        batch_size: Windows at a time.

    Returns:
        The answers by id, in the order of the questions; and how many windows were read.

    Raises:
        ValueError: A question has nothing to read, or the numbers leave no room for it.
    """
    examples = Dataset.from_list([_example(question, paragraphs[question.id]) for question in questions], FEATURES)
    features = prepare_features(
        examples, tokenizer, max_seq_length=min(max_seq_length, tokenizer.model_max_length), doc_stride=doc_stride
    )
    columns = [name for name in tokenizer.model_input_names if name in features.column_names]
    inputs = features.select_columns(columns)[:]
    start_logits, end_logits = _logits(inputs, model, tokenizer, batch_size)
    answers = answer_questions(
        examples, read_windows(examples, features), start_logits, end_logits, rules, null_answer_datasets(examples)
    )
    return {id_: answer.text for id_, answer in answers.items()}, len(features)


def _example(question: Question, paragraphs: Paragraphs) -> dict[str, Any]:
    context = "\n".join(paragraph["text"] for paragraph in paragraphs)
    # Where answers stand is for training, and not known in another context than the benchmark's.
    return question.columns() | {"context": context, "answers": {"text": [], "answer_start": []}}


def _logits(
    inputs: dict[str, list[list[int]]], model: Any, tokenizer: PreTrainedTokenizerBase, batch_size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Start and end logits of each window, shape (windows, tokens of the longest), minus infinity behind its end."""
    lengths = [len(ids) for ids in inputs["input_ids"]]
    longest_first = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    start_logits, end_logits = np.full((2, len(lengths), max(lengths)), -np.inf, dtype=np.float32)
    with torch.inference_mode(), tqdm(total=len(lengths), desc="reading", unit="window", disable=None) as progress:
        for first in range(0, len(lengths), batch_size):
            rows = longest_first[first : first + batch_size]
            batch = tokenizer.pad(
                {name: [values[row] for row in rows] for name, values in inputs.items()},
                padding_side="right",
                return_tensors="pt",
            ).to(model.device)
            outputs = model(**batch)
            width = lengths[rows[0]]
            start_logits[rows, :width] = outputs.start_logits[:, :width].float().cpu().numpy()
            end_logits[rows, :width] = outputs.end_logits[:, :width].float().cpu().numpy()
            progress.update(len(rows))
    return start_logits, end_logits
