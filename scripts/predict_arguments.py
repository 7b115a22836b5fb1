"""The arguments of `predict.py`, in groups, with the names of Hugging Face's example scripts where they have one."""

# No `from __future__ import annotations`: HfArgumentParser reads the types.

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from metrics.shared.gold_files import parse_benchmark


def _option(help: str, default: Any = None) -> Any:
    return field(default=default, metadata={"help": help})


@dataclass
class DataArguments:
    """What is asked, and where the answers go."""

    benchmark: str = field(metadata={"help": "drcd, beerqa, orb, or one dataset of ORB, as in orb/drop."})
    output_dir: Path = field(metadata={"help": "Where predictions and all_results.json are written."})
    split: str = _option("The split to load where --data names no file: train, validation or test.", "validation")
    data: Path | None = _option("A local file with the questions, in the benchmark's format or standard columns.")
    source: Literal["hub"] | None = _option("hub builds ORB from its source datasets on the Hub.")
    cache_dir: str | None = _option("Where downloads are kept.")
    max_predict_samples: int | None = _option("Ask only so many questions, the first ones.")
    paragraphs: str = _option(
        "BeerQA: gold, none (closed-book), or a JSON Lines file of retrieved ones, "
        '{"id": …, "paragraphs": [{"title": …, "text": …}, …]} with the best first.',
        "gold",
    )
    num_paragraphs: int = _option("How many of the retrieved paragraphs are read.", 5)
    num_fewshot: int = _option("Generative models and endpoints: examples from the training split in each prompt.", 0)
    fewshot_data: Path | None = _option("A local file with the training split, as for --data.")
    seed: int = _option("Of the draw of examples, and of sampling.", 42)


@dataclass
class ModelArguments:
    """A model that runs here."""

    model_name_or_path: str | None = _option("A model of the Hub, or a folder.")
    tokenizer_name: str | None = _option("Its tokenizer, where that stands elsewhere.")
    model_revision: str = _option("Branch, tag or commit of the model.", "main")
    trust_remote_code: bool = _option("Run code that the model's repository brings.", False)
    dtype: str = _option("Type of the weights: auto is what the checkpoint has; float32, bfloat16, float16.", "auto")
    per_device_eval_batch_size: int = _option("Prompts, or windows of an extractive reader, at a time.", 16)


@dataclass
class ReaderArguments:
    """How an extractive reader reads; the names are those of `run_qa.py`."""

    max_seq_length: int = _option("The most tokens of a window, question included.", 384)
    doc_stride: int = _option("Tokens that neighbouring windows share.", 128)
    n_best_size: int = _option("Start and end positions that are looked at.", 20)
    max_answer_length: int = _option("The most tokens of an answer.", 30)
    null_score_diff_threshold: float = _option("No answer is given where it scores higher than a span by more.", 0.0)


@dataclass
class GenerationArguments:
    """How a generative model or an endpoint writes."""

    max_new_tokens: int = _option("The most tokens of an answer.", 64)
    temperature: float = _option("0 is greedy; above, answers are sampled.", 0.0)
    num_beams: int = _option("Beams of the search, for a model that runs here.", 1)
    max_input_length: int | None = _option("The most tokens of a prompt, where the model does not state them.")


@dataclass
class EndpointArguments:
    """An OpenAI-compatible endpoint, and how it is asked."""

    base_url: str | None = _option("Its address, up to and without /chat/completions.")
    model: str | None = _option("The model's name there.")
    completions: bool = _option("Send the prompt as one text to /completions, as base models need it.", False)
    extra_body: str = _option("Further fields of every request, a JSON object; null takes a field out.", "{}")
    concurrent_requests: int = _option("The most requests under way at once.", 8)
    requests_per_minute: float | None = _option("The most requests a minute; no limit by default.")
    timeout: float = _option("Seconds that an attempt may take.", 120.0)
    max_attempts: int = _option("How often a request is sent at most.", 8)
    retry_wait: float = _option("Seconds before the second attempt; they double each time.", 1.0)


@dataclass(frozen=True)
class Arguments:
    """All arguments of the command."""

    data: DataArguments
    model: ModelArguments
    reader: ReaderArguments
    generation: GenerationArguments
    endpoint: EndpointArguments

    def check(self) -> None:
        """Raises a ValueError where arguments do not go together or are out of range."""
        benchmark, _ = parse_benchmark(self.data.benchmark)
        if (self.model.model_name_or_path is None) == (self.endpoint.base_url is None):
            raise ValueError("expected either --model_name_or_path or --base_url")
        if (self.endpoint.base_url is None) != (self.endpoint.model is None):
            raise ValueError("--base_url and --model go together")
        if benchmark != "beerqa" and self.data.paragraphs != "gold":
            raise ValueError(f"--paragraphs is for beerqa, found {self.data.benchmark}")
        if self.data.fewshot_data and not self.data.num_fewshot:
            raise ValueError("--fewshot_data needs --num_fewshot")
        for arguments, names in (
            (self.data, ("num_paragraphs", "max_predict_samples")),
            (self.model, ("per_device_eval_batch_size",)),
            (self.generation, ("max_new_tokens", "num_beams", "max_input_length")),
            (self.endpoint, ("concurrent_requests", "requests_per_minute", "timeout", "max_attempts")),
        ):
            for name in names:
                value = getattr(arguments, name)
                if value is not None and value <= 0:
                    raise ValueError(f"--{name}: expected a number above 0, found {value}")
        for name, value in (
            ("num_fewshot", self.data.num_fewshot),
            ("temperature", self.generation.temperature),
            ("retry_wait", self.endpoint.retry_wait),
        ):
            if value < 0:
                raise ValueError(f"--{name}: expected a number of at least 0, found {value}")
