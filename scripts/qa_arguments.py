"""The arguments of `train_qa.py`, with the names of Hugging Face's `run_qa.py` where it has them."""

# No `from __future__ import annotations`: HfArgumentParser reads the types.

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from transformers import TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from scripts.qa_answers import AnswerRules
from scripts.qa_metrics import protocol_of


def _option(help: str, default: Any = None) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass
class ModelArguments:
    """Which model is trained or evaluated."""

    model_name_or_path: str = field(metadata={"help": "A model of the Hub, or a folder."})
    config_name: str | None = _option("Its configuration, where that stands elsewhere.")
    tokenizer_name: str | None = _option("Its tokenizer, where that stands elsewhere.")
    cache_dir: str | None = _option("Where downloads, of models and data, are kept.")
    model_revision: str = _option("Branch, tag or commit of the model.", "main")
    trust_remote_code: bool = _option("Run code that the model's repository brings.", False)


@dataclass
class DataArguments:
    """What it reads, and how answers are chosen and scored."""

    benchmark: str = field(metadata={"help": "drcd, beerqa, orb, or one dataset of ORB, as in orb/drop."})
    protocol: str = _option("Config of the benchmark's metric whose figures are logged.", "official")
    train_file: str | None = _option("Local gold file to train on; without it the authors' is loaded.")
    validation_file: str | None = _option("Local gold file for --do_eval and evaluation during training.")
    test_file: str | None = _option("Local gold file for --do_predict; may lack the answers.")
    source: Literal["hub"] | None = _option("hub builds ORB from its source datasets on the Hub.")
    max_train_samples: int | None = _option("Train on so many questions, the first ones.")
    max_eval_samples: int | None = _option("Evaluate on so many questions, the first ones.")
    max_predict_samples: int | None = _option("Predict so many questions, the first ones.")
    preprocessing_num_workers: int | None = _option("Processes that cut windows.")
    max_seq_length: int = _option("The most tokens of a window, question included.", 384)
    doc_stride: int = _option("Tokens that neighbouring windows share.", 128)
    n_best_size: int = _option("Candidates that are kept for each question.", 20)
    max_answer_length: int = _option("The most tokens of an answer.", 30)
    null_score_diff_threshold: float = _option("No answer is given where it scores higher than a span by more.", 0.0)
    uniform_examples: int | None = _option(
        "Several datasets: so many windows with every dataset alike at first, later by size (scripts/mixtures.py). "
        "Without it all are pooled and shuffled."
    )
    transition_examples: int = _option("Over how many windows that moves to the datasets' sizes.", 0)
    early_stopping_patience: int | None = _option(
        "Stop after so many evaluations without a better --metric_for_best_model."
    )


@dataclass
class ReaderTrainingArguments(TrainingArguments):
    """``TrainingArguments`` that choose the best model by F1."""

    metric_for_best_model: str | None = _option("The figure by which the best model is chosen.", "f1")


def check_arguments(data: DataArguments, training: TrainingArguments) -> None:
    """Raises a ValueError where arguments do not go together, before anything is loaded."""
    protocol_of(data.benchmark, data.protocol)
    answer_rules(data)
    if not (training.do_train or training.do_eval or training.do_predict):
        raise ValueError("nothing to do: expected --do_train, --do_eval or --do_predict")
    if training.dataloader_drop_last and (evaluates(training) or training.do_predict):
        raise ValueError("--dataloader_drop_last leaves windows unread: it does not go with evaluation and prediction")
    if data.early_stopping_patience is not None and not training.load_best_model_at_end:
        raise ValueError("--early_stopping_patience needs --load_best_model_at_end")
    for name in ("early_stopping_patience", "max_train_samples", "max_eval_samples", "max_predict_samples"):
        value = getattr(data, name)
        if value is not None and value < 1:
            raise ValueError(f"--{name} is {value}: expected at least 1")
    if training.resume_from_checkpoint is not None:
        training.resume_from_checkpoint = checkpoint_in(training.resume_from_checkpoint)


def checkpoint_in(folder: str) -> str:
    """The folder itself if it is a checkpoint, else the last one in it."""
    if (Path(folder) / "trainer_state.json").exists():
        return folder
    last = get_last_checkpoint(folder) if Path(folder).is_dir() else None
    if last is None:
        raise ValueError(f"--resume_from_checkpoint {folder}: neither a checkpoint nor a folder with checkpoints")
    return last


def answer_rules(data: DataArguments) -> AnswerRules:
    """The arguments that say how answers are chosen."""
    return AnswerRules(data.n_best_size, data.max_answer_length, data.null_score_diff_threshold)


def evaluates(training: TrainingArguments) -> bool:
    """Whether the validation split is needed, during training or after it."""
    return training.do_eval or (training.do_train and training.eval_strategy != "no")
