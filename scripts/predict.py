"""Predict a benchmark's answers with any model, without training, into a file that `score.py` scores.

Extractive readers, sequence-to-sequence and causal models, chat or base, from the Hub or a folder:

    python scripts/predict.py --benchmark drcd --split test --model_name_or_path USER/READER --output_dir reader
    python scripts/predict.py --benchmark orb --data orb_dev.jsonl --model_name_or_path USER/CHAT_MODEL \
        --num_fewshot 4 --fewshot_data orb_train.jsonl --output_dir chat

Any OpenAI-compatible endpoint; the key is read from the environment variable OPENAI_API_KEY, and the same command
continues where an earlier run stopped:

    python scripts/predict.py --benchmark beerqa --base_url http://localhost:8000/v1 --model MODEL \
        --paragraphs retrieved.jsonl --output_dir endpoint

Written to the output directory: `predict_predictions.json` ({id: answer}), from an endpoint
`predict_predictions.jsonl` (a line an answer), and `all_results.json` with all that was counted.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from transformers.hf_argparser import HfArgumentParser

from metrics.shared.gold_files import parse_benchmark, read_gold
from metrics.shared.question import Question
from scripts.predict_arguments import (
    Arguments,
    DataArguments,
    EndpointArguments,
    GenerationArguments,
    ModelArguments,
    ReaderArguments,
)
from scripts.prompts import Prompt, draw_examples, examples_for, make_prompt
from scripts.reading_input import Paragraphs, answer_recall, gold_paragraphs, retrieved_paragraphs

PREDICTIONS = "predict_predictions.json"
ANSWERS = "predict_predictions.jsonl"
RESULTS = "all_results.json"
_EXIT_INCOMPLETE = 1
_EXIT_BAD_INPUT = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: Its arguments; None for those of the process.

    Returns:
        0 if every question got a prediction, 1 if some did not, 2 after bad usage or input.
    """
    groups: Any = (DataArguments, ModelArguments, ReaderArguments, GenerationArguments, EndpointArguments)
    parser = HfArgumentParser(groups, description=__doc__.split("\n\n")[0])
    arguments = Arguments(*parser.parse_args_into_dataclasses(argv))
    try:
        arguments.check()
        return predict(arguments)
    except (ValueError, OSError) as error:
        return _failed(f"error: {' '.join(str(error).split())}", _EXIT_BAD_INPUT)
    except KeyboardInterrupt:
        return _failed("interrupted", 130)


def _failed(message: str, code: int) -> int:
    print(message, file=sys.stderr)
    return code


def predict(arguments: Arguments) -> int:
    """Load the questions, ask them, write predictions and results; returns the exit code."""
    data = arguments.data
    started = time.monotonic()
    questions = _load(data, data.split, data.data)[: data.max_predict_samples]
    paragraphs, results = _reading_input(data, questions)
    data.output_dir.mkdir(parents=True, exist_ok=True)
    if arguments.endpoint.base_url:
        file = data.output_dir / ANSWERS
        results |= _ask_endpoint(arguments, questions, paragraphs)
    else:
        file = data.output_dir / PREDICTIONS
        predictions, run = _run_model(arguments, questions, paragraphs)
        _write_predictions(predictions, file)
        results |= run
    results["predict_seconds"] = round(time.monotonic() - started, 2)
    text = json.dumps(results, ensure_ascii=False, indent=2)
    (data.output_dir / RESULTS).write_text(f"{text}\n", encoding="utf-8")
    print(text)
    if unanswered := results.get("unanswered"):
        return _failed(
            f"{len(unanswered)} of {len(questions)} questions have no answer yet; the same command asks them again",
            _EXIT_INCOMPLETE,
        )
    print(f"predictions: {file}")
    return 0


def _load(data: DataArguments, split: str, file: Path | None) -> list[Question]:
    if file:
        return list(read_gold(data.benchmark, file))
    from scripts.load_benchmark import load_benchmark

    rows = load_benchmark(data.benchmark, split, cache_dir=data.cache_dir, source=data.source)
    return [Question(**row) for row in rows]


def _reading_input(
    data: DataArguments, questions: Sequence[Question]
) -> tuple[Mapping[str, Paragraphs] | None, dict[str, Any]]:
    """What is read for each question (None: nothing), and what is to be said of it."""
    results: dict[str, Any] = {"benchmark": data.benchmark, "predict_samples": len(questions)}
    if parse_benchmark(data.benchmark)[0] != "beerqa":
        return {question.id: question.paragraphs for question in questions}, results
    results["paragraphs"] = data.paragraphs
    if data.paragraphs == "none":
        return None, results
    if data.paragraphs == "gold":
        paragraphs = gold_paragraphs(questions)
        return paragraphs, results | {"answer_recall": answer_recall(questions, paragraphs)}
    ranked, others = retrieved_paragraphs(data.paragraphs, questions)
    results |= {"num_paragraphs": data.num_paragraphs, "paragraphs_of_other_ids": others}
    results["answer_recall"] = answer_recall(questions, ranked)
    return {id_: best[: data.num_paragraphs] for id_, best in ranked.items()}, results


def _prompts(
    data: DataArguments, questions: Sequence[Question], paragraphs: Mapping[str, Paragraphs] | None
) -> tuple[list[Prompt], dict[str, Any]]:
    """The prompts, and which examples stand in them."""
    benchmark, _ = parse_benchmark(data.benchmark)
    drawn: dict[str, list[Question]] = {}
    if data.num_fewshot:
        drawn = draw_examples(_load(data, "train", data.fewshot_data), data.num_fewshot, data.seed)
        asked = {question.id for question in questions}
        for example in (one for group in drawn.values() for one in group):
            if example.id in asked:
                raise ValueError(f"example {example.id!r} is one of the questions: examples must be of another split")
    prompts, used = [], {}
    for question in questions:
        examples = examples_for(question, drawn)
        if data.num_fewshot and len(examples) < data.num_fewshot:
            raise ValueError(f"question {question.id!r}: found {len(examples)} examples, wanted {data.num_fewshot}")
        used[question.dataset] = [example.id for example in examples]
        closed_book = paragraphs is None
        prompts.append(
            make_prompt(
                benchmark,
                question,
                None if paragraphs is None else paragraphs[question.id],
                [(example, None if closed_book else example.paragraphs) for example in examples],
            )
        )
    return prompts, {"fewshot_ids": used} if data.num_fewshot else {}


def _ask_endpoint(
    arguments: Arguments, questions: Sequence[Question], paragraphs: Mapping[str, Paragraphs] | None
) -> dict[str, Any]:
    """Ask an endpoint; returns what is to be said of the run, among it which questions are ``unanswered``."""
    import stamina.instrumentation

    from scripts.answer_journal import AnswerJournal
    from scripts.endpoint import EndpointUnusable, ask_all
    from scripts.endpoint_options import EndpointOptions

    stamina.instrumentation.set_on_retry_hooks([])  # failures are counted, not logged one by one
    options = EndpointOptions(
        **asdict(arguments.endpoint) | {"extra_body": _json_object(arguments.endpoint.extra_body)},
        max_new_tokens=arguments.generation.max_new_tokens,
        temperature=arguments.generation.temperature,
    )
    prompts, fewshot = _prompts(arguments.data, questions, paragraphs)
    with AnswerJournal(arguments.data.output_dir / ANSWERS) as journal:
        if journal.torn_bytes:
            print(f"{journal.path}: dropped a torn last line of {journal.torn_bytes} bytes", file=sys.stderr)
        try:
            report = ask_all(prompts, journal, options, os.environ.get("OPENAI_API_KEY"))
        except EndpointUnusable as error:
            raise ValueError(
                f"{options.base_url}: {error}; {len(journal.answered)} answers are kept, and the same command continues"
            ) from None
    for id_, reason in list(report.unanswered.items())[:3]:
        print(f"no answer to question {id_!r}: {reason}", file=sys.stderr)
    return {"model": options.model} | vars(report) | fewshot


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"--extra_body: not JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError(f"--extra_body: expected a JSON object, found {text}")
    return value


def _run_model(
    arguments: Arguments, questions: Sequence[Question], paragraphs: Mapping[str, Paragraphs] | None
) -> tuple[Mapping[str, str | list[str]], dict[str, Any]]:
    """Run a model here; returns predictions by id, and what is to be said of the run."""
    import datasets
    from transformers.utils import logging

    from scripts.local_models import load_model

    if not sys.stderr.isatty():
        datasets.disable_progress_bars()
        logging.disable_progress_bar()
    name = str(arguments.model.model_name_or_path)
    loaded = load_model(name, arguments.model, arguments.data.cache_dir)
    results: dict[str, Any] = {"model": name, "kind": loaded.kind}
    if loaded.kind == "extractive":
        predictions, windows = _extracted(arguments, questions, paragraphs, loaded.model, loaded.tokenizer)
        return predictions, results | {"windows": windows}

    from scripts.answer_cleaning import clean_answer
    from scripts.generation import GenerationOptions, generate_outputs

    prompts, fewshot = _prompts(arguments.data, questions, paragraphs)
    options = GenerationOptions(
        **asdict(arguments.generation),
        batch_size=arguments.model.per_device_eval_batch_size,
        seed=arguments.data.seed,
    )
    outputs, report = generate_outputs(prompts, loaded.model, loaded.tokenizer, options)
    answers = {
        prompt.question_id: clean_answer(output, prompt) for prompt, output in zip(prompts, outputs, strict=True)
    }
    return answers, results | asdict(report) | fewshot


def _extracted(
    arguments: Arguments,
    questions: Sequence[Question],
    paragraphs: Mapping[str, Paragraphs] | None,
    model: Any,
    tokenizer: Any,
) -> tuple[dict[str, str], int]:
    from scripts.extraction import extract_answers
    from scripts.qa_answers import AnswerRules

    if paragraphs is None:
        raise ValueError("--paragraphs none: an extractive reader needs paragraphs to read")
    if arguments.data.num_fewshot:
        raise ValueError("--num_fewshot: an extractive reader takes no examples")
    reader = arguments.reader
    return extract_answers(
        questions,
        paragraphs,
        model,
        tokenizer,
        AnswerRules(reader.n_best_size, reader.max_answer_length, reader.null_score_diff_threshold),
        max_seq_length=reader.max_seq_length,
        doc_stride=reader.doc_stride,
        batch_size=arguments.model.per_device_eval_batch_size,
    )


def _write_predictions(predictions: Mapping[str, str | list[str]], file: Path) -> None:
    """Write {id: answer}; of several spans ORB's format wants the list in a list."""
    shaped = {id_: [answer] if isinstance(answer, list) else answer for id_, answer in predictions.items()}
    file.write_text(json.dumps(shaped, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
