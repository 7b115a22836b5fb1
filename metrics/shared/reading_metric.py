"""How a set of protocols becomes an ``evaluate.Metric``: checks, storage, and what ``compute`` returns."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from typing import Any, ClassVar

from datasets import Features, List, Value

from .answer_shapes import Rows, checked_rows, matched_rows
from .answer_values import ShapeRules
from .protocol import Protocol


class ReadingMetric:
    """Mixin before ``evaluate.Metric``; the class that takes it in names its protocols and what it allows.

    Input is checked before anything is stored or scored, so a failed call leaves nothing behind. A single call of
    ``compute`` in one process scores its arguments as they are; ``add``, ``add_batch`` and several processes go through
    ``evaluate``'s Arrow files.
    """

    protocols: ClassVar[Mapping[str, Protocol]]
    rules: ClassVar[ShapeRules]
    needs_datasets: ClassVar[tuple[str, ...]] = ()
    """Configs with the input column ``datasets``."""

    # What ``evaluate.Metric`` brings.
    config_name: str
    num_process: int
    features: list[Features]
    selected_feature_format: Features | None
    writer: Any
    buf_writer: Any
    data: Any
    filelock: Any
    filelocks: Any
    cache_file_name: str | None
    file_paths: list[str] | None

    @property
    def protocol(self) -> Protocol:
        """The protocol of the config that was loaded.

        Raises:
            ValueError: if there is no such config; the message lists those that there are.
        """
        try:
            return self.protocols[self.config_name]
        except KeyError:
            raise ValueError(
                f"unknown config {self.config_name!r}: expected one of {', '.join(self.protocols)}"
            ) from None

    def input_features(self) -> list[Features]:
        """The schemas that rows are stored in: texts (or spans) with their answers, and SQuAD's form."""
        text = Value("string") if self.rules.span_datasets is None else List(Value("string"))
        datasets = {"datasets": Value("string")} if self.protocol.name in self.needs_datasets else {}
        squad_answers = {"text": List(text), "answer_start": List(Value("int32"))}
        return [
            Features({"predictions": text, "references": List(text), **datasets}),
            Features(
                {
                    "predictions": {"id": Value("string"), "prediction_text": text},
                    "references": {"id": Value("string"), "answers": squad_answers},
                    **datasets,
                }
            ),
        ]

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> dict[str, Any] | None:
        """Score predictions, or everything that was added before.

        Args:
            predictions: one prediction per question.
            references: the acceptable answers of each question.
            **kwargs: ``datasets``, a list with the dataset of each question; ``use_aggregator=False`` for one value per
                question instead of means.

        Returns:
            The figures by name, as floats in [0, 1] (or lists of them); None in processes other than the first.

        Raises:
            ValueError: if the input is not of the expected form; the message names the argument and the index.
        """
        try:
            is_one_call = predictions is not None or references is not None
            if is_one_call and self.num_process == 1 and self.writer is None:
                return self._compute(predictions=predictions, references=references, **kwargs)
            if is_one_call:
                self._store(self._checked(predictions, references, self._take_datasets(kwargs)))
            elif self.writer is None and self.num_process == 1:
                raise ValueError("predictions is None, and nothing was added before: there is nothing to score")
            return super().compute(**kwargs)  # type: ignore[misc]
        except BaseException:
            self._forget()
            raise

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add some questions, to be scored by ``compute()``.

        Args:
            predictions: one prediction per question.
            references: the acceptable answers of each question.
            **kwargs: ``datasets``, in the configs that need it.

        Raises:
            ValueError: if the input is not of the expected form; then none of the batch is added.
        """
        self._store(self._checked(predictions, references, self._take_datasets(kwargs)))

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one question, to be scored by ``compute()``.

        Args:
            prediction: the prediction.
            reference: its acceptable answers.
            **kwargs: ``datasets``, the name of the question's dataset, in the configs that need it.

        Raises:
            ValueError: if the input is not of the expected form; then nothing is added.
        """
        datasets = self._take_datasets(kwargs)
        self._store(self._checked([prediction], [reference], None if datasets is None else [datasets]))

    def _compute(
        self, *, predictions: Any, references: Any, datasets: Any = None, use_aggregator: bool = True
    ) -> dict[str, Any]:
        rows = matched_rows(self._checked(predictions, references, datasets), self.rules)
        protocol = self.protocol
        columns = protocol.score(rows.predictions, rows.references, rows.datasets)
        if use_aggregator:
            return protocol.aggregate(columns, rows.datasets)
        return {key: values.tolist() for key, values in protocol.question_lists(columns, rows.datasets).items()}

    def _take_datasets(self, kwargs: dict[str, Any]) -> Any:
        """Remove the column ``datasets`` from the arguments if this config stores it; refuse other columns."""
        if self.protocol.name in self.needs_datasets:
            return kwargs.pop("datasets", None)
        return None

    def _checked(self, predictions: Any, references: Any, datasets: Any) -> Rows:
        if datasets is None and self.protocol.name in self.needs_datasets:
            known = ", ".join(self.rules.datasets or ())
            raise ValueError(f"datasets is None: the config {self.protocol.name!r} needs one of {known} per question")
        return checked_rows(predictions, references, datasets, self.rules)

    def _store(self, rows: Rows) -> None:
        """Write checked rows to the Arrow file of this process, in one of the two schemas."""
        if self.rules.span_datasets is not None:
            predictions: list[Any] = [[side] if isinstance(side, str) else side for side in rows.predictions]
            references: list[Any] = [
                [[side] if isinstance(side, str) else side for side in answers] for answers in rows.references
            ]
        else:
            predictions, references = list(rows.predictions), list(rows.references)
        schema = self.features[0]
        if rows.prediction_ids is not None and rows.reference_ids is not None:
            schema = self.features[1]
            named = zip(rows.prediction_ids, predictions, strict=True)
            predictions = [{"id": name, "prediction_text": text} for name, text in named]
            answered = zip(rows.reference_ids, references, strict=True)
            references = [{"id": name, "answers": {"text": texts, "answer_start": []}} for name, texts in answered]
        if self.selected_feature_format not in (None, schema):
            raise ValueError("predictions is in another form than what was added before: expected all or none with ids")
        batch = {"predictions": predictions, "references": references}
        if self.protocol.name in self.needs_datasets:
            batch["datasets"] = list(rows.datasets or ())
        super().add_batch(**batch)  # type: ignore[misc]

    def _infer_feature_from_batch(self, batch: dict[str, list[Any]]) -> Features:
        return self.features[1 if isinstance(batch["predictions"][0], dict) else 0]

    def _forget(self) -> None:
        """Drop what was added, so that a failed call leaves nothing for the next one."""
        if self.writer is not None:
            with contextlib.suppress(Exception):
                self.writer.close()
        self.writer = self.buf_writer = self.data = self.selected_feature_format = None
        for lock in {id(lock): lock for lock in (self.filelock, *(self.filelocks or ())) if lock is not None}.values():
            lock.release()
        for path in {self.cache_file_name, *(self.file_paths or ())} - {None}:
            with contextlib.suppress(OSError):
                os.remove(path)
        self.cache_file_name = self.filelock = self.filelocks = self.file_paths = None
