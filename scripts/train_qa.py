"""Fine-tune an extractive reader on a benchmark, and evaluate it with the project's own figures.

Any ``AutoModelForQuestionAnswering`` with a fast tokenizer; argument names and files are those of Hugging Face's
``run_qa.py``:

    python scripts/train_qa.py --benchmark drcd --model_name_or_path hfl/chinese-macbert-base --output_dir reader \\
        --do_train --do_eval --do_predict --eval_strategy epoch --save_strategy epoch --load_best_model_at_end

Written to the output directory: the model; ``eval_predictions.json`` (validation) and ``predict_predictions.json``
(test), ``{id: answer}`` for ``score.py``; beside each ``…_nbest_predictions.json`` and, where questions may have no
answer, ``…_null_odds.json``; ``train_results.json``, ``eval_results.json``, ``predict_results.json`` and all of them in
``all_results.json``.
"""

from __future__ import annotations

import json
import logging
import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import datasets
import numpy as np
import transformers
from datasets import Dataset, IterableDataset
from torch.utils.data import Sampler, SequentialSampler
from transformers import (
    AutoConfig,
    AutoModelForQuestionAnswering,
    AutoTokenizer,
    DataCollatorWithPadding,
    EarlyStoppingCallback,
    HfArgumentParser,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
    set_seed,
)

from scripts.load_benchmark import load_benchmark
from scripts.mixtures import by_dataset, mix
from scripts.qa_answers import Answer, answer_questions, read_windows
from scripts.qa_arguments import (
    DataArguments,
    ModelArguments,
    ReaderTrainingArguments,
    answer_rules,
    check_arguments,
    evaluates,
)
from scripts.qa_features import null_answer_datasets, prepare_features, training_examples
from scripts.qa_metrics import figures, make_compute_metrics, span_logits

logger = logging.getLogger("train_qa")


class ReaderTrainer(Trainer):
    """A ``Trainer`` that evaluates windows in their order under every ``train_sampling_strategy``."""

    def _get_eval_sampler(self, eval_dataset: Any) -> Sampler | None:
        if self.args.world_size > 1:
            return super()._get_eval_sampler(eval_dataset)
        return SequentialSampler(eval_dataset)


@dataclass(frozen=True)
class Reading:
    """A split as a reader reads it: its questions, and their windows."""

    examples: Dataset
    features: Dataset


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: its arguments; None for those of the process.

    Returns:
        0, or 2 after bad usage or input.
    """
    parser = HfArgumentParser(
        (ModelArguments, DataArguments, ReaderTrainingArguments),  # type: ignore[arg-type]
        description=(__doc__ or "").split("\n\n")[0],
    )
    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stderr)
    for name in ("httpx", "datasets", "accelerate"):
        logging.getLogger(name).setLevel(logging.WARNING)
    try:
        model_arguments, data, training = parser.parse_args_into_dataclasses(argv)
        if not sys.stderr.isatty():
            datasets.disable_progress_bars()
            transformers.utils.logging.disable_progress_bar()
            training.disable_tqdm = True
        check_arguments(data, training)
        set_seed(training.seed)
        reader, tokenizer = load_reader(model_arguments)
        splits = read_splits(data, training, tokenizer, model_arguments.cache_dir)
        check_figures(splits, data, training)
        null_datasets = frozenset().union(*(null_answer_datasets(split.examples) for split in splits.values()))
        trainer = make_trainer(reader, tokenizer, splits, null_datasets, data, training)
    except (ValueError, OSError, ImportError) as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    if training.do_train:
        train(trainer, splits["train"])
    for prefix, split in (("eval", "validation"), ("predict", "test")):
        if split in splits and getattr(training, f"do_{prefix}"):
            predict(trainer, splits[split], prefix, data, null_datasets)
    return 0


def load_reader(arguments: ModelArguments) -> tuple[Any, PreTrainedTokenizerBase]:
    """Load model and tokenizer."""
    name = arguments.model_name_or_path
    source: dict[str, Any] = {
        "cache_dir": arguments.cache_dir,
        "revision": arguments.model_revision,
        "trust_remote_code": arguments.trust_remote_code,
    }
    tokenizer = AutoTokenizer.from_pretrained(arguments.tokenizer_name or name, **source)
    tokenizer.padding_side = "right"  # positions of answers are counted from the left
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    config = AutoConfig.from_pretrained(arguments.config_name or name, **source)
    return AutoModelForQuestionAnswering.from_pretrained(name, config=config, **source), tokenizer


def read_splits(
    data: DataArguments, training: TrainingArguments, tokenizer: PreTrainedTokenizerBase, cache_dir: str | None
) -> dict[str, Reading]:
    """Load the splits that the arguments ask for, and cut them into windows."""
    max_seq_length = min(data.max_seq_length, tokenizer.model_max_length)
    if max_seq_length < data.max_seq_length:
        logger.warning("max_seq_length is %d, all that the model takes", max_seq_length)
    wanted = [
        ("train", training.do_train, data.train_file, data.max_train_samples),
        ("validation", evaluates(training), data.validation_file, data.max_eval_samples),
        ("test", training.do_predict, data.test_file, data.max_predict_samples),
    ]
    splits = {}
    for split, is_wanted, file, most in wanted:
        if not is_wanted:
            continue
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            examples = load_benchmark(data.benchmark, split, data_files=file, cache_dir=cache_dir, source=data.source)
        for warning in caught:
            if issubclass(warning.category, UserWarning):
                logger.warning("%s", warning.message)
        if most is not None:
            examples = examples.select(range(min(most, len(examples))))
        features = prepare_features(
            training_examples(examples) if split == "train" else examples,
            tokenizer,
            max_seq_length=max_seq_length,
            doc_stride=data.doc_stride,
            num_proc=data.preprocessing_num_workers,
        )
        if split != "train":  # windows of like length side by side need little padding
            lengths = [len(ids) for ids in features["input_ids"][:]]
            features = features.select(np.argsort(lengths, kind="stable")[::-1])
        logger.info("%s: %d questions, %d windows", split, len(examples), len(features))
        splits[split] = Reading(examples, features)
    return splits


def check_figures(splits: dict[str, Reading], data: DataArguments, training: TrainingArguments) -> None:
    """Score empty answers, so that what scoring lacks is known before training and not after it.

    Raises:
        ValueError: if the best model is to be chosen by a figure that the protocol does not have.
        ImportError: if scoring needs what is not installed.
    """
    for name, split in splits.items():
        if name == "train" or not all(split.examples["references"][:]):
            continue
        unanswered = dict.fromkeys(split.examples["id"][:], "")
        known = ["loss", *figures(data.benchmark, split.examples, unanswered, data.protocol)]
        best = (training.metric_for_best_model or "").removeprefix("eval_")
        if name == "validation" and training.do_train and training.eval_strategy != "no" and best not in known:
            raise ValueError(f"--metric_for_best_model is {best!r}: expected one of {', '.join(known)}")


def make_trainer(
    reader: Any,
    tokenizer: PreTrainedTokenizerBase,
    splits: dict[str, Reading],
    null_datasets: frozenset[str],
    data: DataArguments,
    training: TrainingArguments,
) -> ReaderTrainer:
    """Bring together what training and evaluation need."""
    validation = splits.get("validation")
    compute_metrics = None
    if training.do_train and training.eval_strategy != "no" and validation:
        compute_metrics = make_compute_metrics(
            data.benchmark, validation.examples, validation.features, data.protocol, answer_rules(data), null_datasets
        )
    return ReaderTrainer(
        model=reader,
        args=training,
        train_dataset=training_windows(splits["train"].features, data, training) if training.do_train else None,
        eval_dataset=validation.features if validation else None,
        data_collator=DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8 if training.fp16 else None),
        processing_class=tokenizer,
        compute_metrics=compute_metrics,
        preprocess_logits_for_metrics=span_logits,  # type: ignore[arg-type]
        callbacks=[EarlyStoppingCallback(data.early_stopping_patience)] if data.early_stopping_patience else None,
    )


def training_windows(features: Dataset, data: DataArguments, training: TrainingArguments) -> Dataset | IterableDataset:
    """The windows as they are trained on: shuffled by the Trainer, or in the order of a mixture's schedule."""
    if data.uniform_examples is None:
        names = sorted(set(features["dataset"][:]))
        if len(names) > 1:
            logger.warning(
                "%d datasets are pooled (%s): the large ones drown the small ones; see --uniform_examples",
                len(names),
                ", ".join(names),
            )
        return features
    if training.max_steps <= 0:  # the mixture has no end: as many windows as num_train_epochs would read
        at_once = training.train_batch_size * training.gradient_accumulation_steps * training.world_size
        training.max_steps = math.ceil(training.num_train_epochs * len(features) / at_once)
    return mix(
        by_dataset(features),
        uniform_examples=data.uniform_examples,
        transition_examples=data.transition_examples,
        seed=training.seed,
    )


def train(trainer: ReaderTrainer, split: Reading) -> None:
    """Train, and save the model, its results and the state."""
    metrics = trainer.train(resume_from_checkpoint=trainer.args.resume_from_checkpoint).metrics
    metrics |= {"train_samples": len(split.examples), "train_windows": len(split.features)}
    trainer.save_model()
    trainer.log_metrics("train", metrics)
    trainer.save_metrics("train", metrics)
    trainer.save_state()


def predict(
    trainer: ReaderTrainer, split: Reading, prefix: str, data: DataArguments, null_datasets: frozenset[str]
) -> None:
    """Answer the questions of a split, write the answers and, where it has references, log and save the figures."""
    trainer.compute_metrics = None
    output = trainer.predict(split.features, metric_key_prefix=prefix)  # type: ignore[arg-type]
    logits: Any = output.predictions
    answers = answer_questions(
        split.examples,
        read_windows(split.examples, split.features),
        start_logits=logits[0],
        end_logits=logits[1],
        rules=answer_rules(data),
        null_datasets=null_datasets,
    )
    texts = {id_: answer.text for id_, answer in answers.items()}
    metrics = dict(output.metrics or {})
    if all(split.examples["references"][:]):
        scored = figures(data.benchmark, split.examples, texts, data.protocol)
        metrics |= {f"{prefix}_{name}": value for name, value in scored.items()}
    metrics |= {f"{prefix}_samples": len(split.examples), f"{prefix}_windows": len(split.features)}
    if trainer.is_world_process_zero():
        write_answers(answers, Path(trainer.args.output_dir or "."), prefix)
    trainer.log(metrics)
    trainer.log_metrics(prefix, metrics)
    trainer.save_metrics(prefix, metrics)


def write_answers(answers: dict[str, Answer], folder: Path, prefix: str) -> None:
    """Write predictions, n-best lists and, where "" was possible, its odds, under the names of ``run_qa.py``."""
    files: dict[str, dict[str, Any]] = {
        "predictions": {id_: answer.text for id_, answer in answers.items()},
        "nbest_predictions": {id_: list(map(asdict, answer.candidates)) for id_, answer in answers.items()},
        "null_odds": {id_: answer.null_odds for id_, answer in answers.items() if answer.null_odds is not None},
    }
    for name, content in files.items():
        if content:
            text = json.dumps(content, ensure_ascii=False, indent=2)
            (folder / f"{prefix}_{name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
