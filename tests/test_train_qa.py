"""``train_qa.py`` from gold file to scored file: a small reader learns DRCD, every figure is the same everywhere."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from datasets import Dataset
from transformers import (
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    DataCollatorForSeq2Seq,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
)

from metrics.shared.gold_files import read_gold
from metrics.shared.prediction_files import read_predictions
from scripts import train_qa
from scripts.qa_metrics import make_seq2seq_compute_metrics
from tests.test_qa_features import sample
from tests.tiny_models import DRCD_DEV, ROOT, SAMPLES, save_causal, save_reader, save_seq2seq, saved

pytestmark = pytest.mark.training

LONGEST_PARAGRAPH = 350  # characters: one window each, which keeps training short
STEPS = 300


@pytest.fixture(autouse=True, scope="module")
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1 if "PYTEST_XDIST_WORKER" in os.environ else 2)
    yield
    torch.set_num_threads(before)


def run(folder: Path, *arguments: str, model: Path | None = None) -> dict[str, float]:
    """Run the command in this process; its ``all_results.json``."""
    model = model or saved(save_reader)
    argv = ["--model_name_or_path", str(model), "--output_dir", str(folder), "--cache_dir", str(folder / "cache")]
    assert train_qa.main([*argv, *arguments]) == 0
    return json.loads((folder / "all_results.json").read_text(encoding="utf-8"))


def score(benchmark: str, predictions: Path, gold: Path, folder: Path) -> dict[str, Any]:
    """What ``score.py`` writes about a prediction file."""
    output = folder / "score.json"
    command = [sys.executable, str(ROOT / "scripts/score.py"), benchmark, str(predictions), "--data", str(gold)]
    subprocess.run([*command, "--output", str(output), "--resamples", "20"], check=True, stdout=subprocess.DEVNULL)
    return json.loads(output.read_text(encoding="utf-8"))


def figures_of(results: dict[str, float], prefix: str) -> dict[str, float]:
    """The figures of a split among all results, without what the Trainer measures about the run."""
    about = ("loss", "runtime", "samples", "windows", "per_second", "preparation_time")
    names = [name for name in results if name.startswith(f"{prefix}_") and not name.endswith(about)]
    return {name.removeprefix(f"{prefix}_"): results[name] for name in names}


def without(benchmark: str, key: str, folder: Path) -> Path:
    """The sample of DRCD or BeerQA with nothing under a key of every question."""
    document = json.loads(SAMPLES[benchmark].read_text(encoding="utf-8"))
    records = document["data"]
    if benchmark == "drcd":
        records = [qa for article in records for paragraph in article["paragraphs"] for qa in paragraph["qas"]]
    for record in records:
        record[key] = []
    path = folder / f"{benchmark}_without_{key}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def short_paragraphs(articles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = [
        article | {"paragraphs": [one for one in article["paragraphs"] if len(one["context"]) <= LONGEST_PARAGRAPH]}
        for article in articles
    ]
    return [article for article in kept if article["paragraphs"]]


@pytest.fixture(scope="module")
def drcd(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Articles of DRCD's development file to train on, and others to evaluate on."""
    if not DRCD_DEV.exists():
        pytest.skip("needs ../shared/data")
    articles = short_paragraphs(json.loads(DRCD_DEV.read_text(encoding="utf-8"))["data"])
    folder = tmp_path_factory.mktemp("drcd")
    files = {"train.json": [one for i, one in enumerate(articles) if i % 4], "held_out.json": articles[::4]}
    for name, content in files.items():
        (folder / name).write_text(json.dumps({"data": content}), encoding="utf-8")
    return folder / "train.json", folder / "held_out.json"


def test_a_small_reader_learns_drcd(drcd: tuple[Path, Path], tmp_path: Path) -> None:
    train_file, held_out = drcd
    data = ["--benchmark", "drcd", "--train_file", str(train_file), "--validation_file", str(held_out)]
    data += ["--per_device_eval_batch_size", "32", "--do_eval"]
    training = f"--do_train --max_steps {STEPS} --per_device_train_batch_size 8 --learning_rate 3e-3 --warmup_steps 20"
    best = f"--eval_strategy steps --save_strategy steps --eval_steps {STEPS // 2} --save_steps {STEPS // 2}"
    before = run(tmp_path / "untrained", *data)
    after = run(tmp_path / "trained", *data, *training.split(), *best.split(), "--load_best_model_at_end")
    assert before["eval_f1"] < 0.1
    assert after["eval_f1"] > before["eval_f1"] + 0.04

    state = json.loads((tmp_path / "trained/trainer_state.json").read_text())
    logged = [entry["eval_f1"] for entry in state["log_history"] if "eval_f1" in entry]
    assert len(logged) == 2
    assert state["best_metric"] == max(logged) == after["eval_f1"]
    scored = score("drcd", tmp_path / "trained/eval_predictions.json", held_out, tmp_path)
    official = scored["protocols"]["official"]["aggregate"]
    assert figures_of(after, "eval") == {name: official[name] for name in ("exact_match", "f1")}
    contexts = {one.id: one.context for one in read_gold("drcd", held_out)}
    answers = read_predictions(tmp_path / "trained/eval_predictions.json", "drcd")
    assert all(answer and str(answer) in contexts[id_] for id_, answer in answers.items())


@pytest.fixture(scope="module")
def orb_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample of ORB without NarrativeQA, whose scoring needs WordNet."""
    path = tmp_path_factory.mktemp("orb") / "gold.jsonl"
    passages = map(json.loads, SAMPLES["orb"].read_text(encoding="utf-8").splitlines())
    kept = [
        one | {"qa_pairs": [pair for pair in one["qa_pairs"] if pair["dataset"].lower() != "narrativeqa"]}
        for one in passages
    ]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in kept if one["qa_pairs"]), encoding="utf-8")
    return path


@pytest.mark.parametrize("benchmark", ["drcd", "orb"])
def test_resuming_from_a_checkpoint_gives_the_same_predictions(benchmark: str, orb_file: Path, tmp_path: Path) -> None:
    gold = orb_file if benchmark == "orb" else SAMPLES[benchmark]
    arguments = f"--benchmark {benchmark} --train_file {gold} --validation_file {gold} --do_train --do_eval"
    arguments += " --max_steps 6 --save_steps 3 --learning_rate 1e-3 --max_seq_length 128 --doc_stride 32"
    if benchmark == "orb":  # a mixture, which is a stream
        arguments += " --uniform_examples 24 --transition_examples 16"
    whole = run(tmp_path / "whole", *arguments.split())
    checkpoint = tmp_path / "whole/checkpoint-3"
    resumed = run(tmp_path / "resumed", *arguments.split(), "--resume_from_checkpoint", str(checkpoint))
    for name in ("eval_predictions.json", "eval_nbest_predictions.json"):
        assert (tmp_path / "whole" / name).read_text() == (tmp_path / "resumed" / name).read_text()
    assert figures_of(whole, "eval") == figures_of(resumed, "eval")
    assert not (tmp_path / "resumed/checkpoint-3").exists()
    untrained = run(tmp_path / "untrained", *arguments.replace("--do_train", "").split())
    assert untrained["eval_loss"] != whole["eval_loss"]


def test_orb_has_figures_of_each_dataset_and_questions_without_answer(orb_file: Path, tmp_path: Path) -> None:
    arguments = f"--benchmark orb --validation_file {orb_file} --test_file {orb_file} --do_eval --do_predict"
    results = run(tmp_path / "all", *arguments.split(), "--null_score_diff_threshold", "-1000")
    names = {one.id: one.dataset for one in read_gold("orb", orb_file)}
    found = figures_of(results, "predict")
    assert found == figures_of(results, "eval")
    assert {f"{name}_f1" for name in names.values()} < set(found)
    scored = score("orb", tmp_path / "all/predict_predictions.json", orb_file, tmp_path)
    assert found == scored["protocols"]["official"]["aggregate"]
    answers = read_predictions(tmp_path / "all/predict_predictions.json", "orb")
    may_lack = {"squad2", "newsqa", "newsqa_syn", "duorc", "duorc_syn"}
    assert {names[id_] for id_, answer in answers.items() if not answer} == may_lack & set(names.values())
    odds = json.loads((tmp_path / "all/predict_null_odds.json").read_text())
    assert {names[id_] for id_ in odds} == may_lack & set(names.values())
    run(tmp_path / "none", *arguments.split(), "--null_score_diff_threshold", "1000")
    assert all(read_predictions(tmp_path / "none/predict_predictions.json", "orb").values())


def test_beerqa_logs_what_score_says(tmp_path: Path) -> None:
    gold = SAMPLES["beerqa"]
    results = run(tmp_path, *f"--benchmark beerqa --protocol default --test_file {gold} --do_predict".split())
    scored = score("beerqa", tmp_path / "predict_predictions.json", gold, tmp_path)
    assert figures_of(results, "predict") == scored["protocols"]["default"]["aggregate"]
    assert "predict_macro_f1" in results


def test_early_stopping_looks_at_the_projects_figures(tmp_path: Path) -> None:
    gold = SAMPLES["drcd"]
    arguments = f"--benchmark drcd --train_file {gold} --validation_file {gold} --do_train --learning_rate 0"
    arguments += " --max_train_samples 8 --max_eval_samples 8 --max_steps 20 --eval_strategy steps --eval_steps 2"
    arguments += " --save_strategy steps --save_steps 2 --load_best_model_at_end --early_stopping_patience 2"
    arguments += " --metric_for_best_model exact_match --train_sampling_strategy group_by_length"
    run(tmp_path, *arguments.split())
    state = json.loads((tmp_path / "trainer_state.json").read_text())
    assert state["global_step"] == 6  # the first evaluation is the best, and two more are not better
    assert state["best_metric"] == state["log_history"][-2]["eval_exact_match"]


@pytest.mark.parametrize("save", [save_causal, save_seq2seq], ids=["Llama", "T5"])
def test_models_without_a_cls_token_that_return_more_than_logits(save: Callable[..., Path], tmp_path: Path) -> None:
    gold = SAMPLES["drcd"]
    arguments = f"--benchmark drcd --train_file {gold} --validation_file {gold} --do_train --do_eval --max_steps 2"
    arguments += " --max_train_samples 8 --max_eval_samples 8 --eval_strategy steps --eval_steps 2 --save_strategy no"
    results = run(tmp_path, *arguments.split(), model=saved(save))
    logged = json.loads((tmp_path / "trainer_state.json").read_text())["log_history"]
    assert [entry["eval_f1"] for entry in logged if "eval_f1" in entry] == [results["eval_f1"]]
    contexts = {one.id: one.context for one in read_gold("drcd", gold)}
    answers = read_predictions(tmp_path / "eval_predictions.json", "drcd")
    assert all(answer and str(answer) in contexts[id_] for id_, answer in answers.items())


def test_a_test_split_without_answers_is_answered(tmp_path: Path) -> None:
    gold = without("drcd", "answers", tmp_path)
    results = run(tmp_path, *f"--benchmark drcd --test_file {gold} --do_predict --max_predict_samples 9".split())
    assert len(read_predictions(tmp_path / "predict_predictions.json", "drcd")) == 9
    assert figures_of(results, "predict") == {}
    assert results["predict_samples"] == 9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--benchmark drcd", "nothing to do: expected --do_train, --do_eval or --do_predict"),
        ("--benchmark squad --do_eval", "unknown benchmark 'squad'"),
        ("--benchmark drcd --protocol f1 --do_eval", "unknown protocol 'f1' of drcd"),
        ("--benchmark drcd --do_train --max_train_samples 0", "--max_train_samples is 0: expected at least 1"),
        ("--benchmark drcd --do_train --load_best_model_at_end", "requires the save and eval strategy to match"),
        ("--benchmark drcd --do_eval --n_best_size 0", "n_best_size is 0: expected at least 1"),
        ("--benchmark drcd --do_eval --validation_file none.json", "none.json"),
        ("--benchmark drcd --do_eval --validation_file {drcd} --doc_stride 500", "expected doc_stride from 0 to"),
        ("--benchmark drcd --do_eval --validation_file {beerqa}", "a file in BeerQA's format, not in DRCD's"),
        ("--benchmark beerqa --do_predict --test_file {closed}", "question 'squad-01' has no context"),
        ("--benchmark drcd --do_eval --validation_file {unanswered}", "'answers' is missing or empty"),
        ("--benchmark drcd --do_eval --dataloader_drop_last", "--dataloader_drop_last leaves windows unread"),
        ("--benchmark drcd --do_train --early_stopping_patience 2", "needs --load_best_model_at_end"),
        ("--benchmark drcd --do_train --resume_from_checkpoint none", "neither a checkpoint nor a folder with"),
        (
            "--benchmark drcd --train_file {drcd} --validation_file {drcd} --do_train --eval_strategy epoch "
            "--metric_for_best_model em",
            "--metric_for_best_model is 'em': expected one of loss, exact_match, f1",
        ),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(
    arguments: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = SAMPLES | {
        "closed": without("beerqa", "context", tmp_path),
        "unanswered": without("drcd", "answers", tmp_path),
    }
    argv = ["--model_name_or_path", str(saved(save_reader)), "--output_dir", str(tmp_path / "out")]
    assert train_qa.main([*argv, "--cache_dir", str(tmp_path), *arguments.format(**files).split()]) == 2
    [line] = [one for one in capsys.readouterr().err.splitlines() if one.startswith("error:")]
    assert message in line
    assert not (tmp_path / "out/all_results.json").exists()


def seq2seq_features(examples: Dataset, tokenizer: Any) -> Dataset:
    def encode(one: dict[str, Any]) -> dict[str, Any]:
        return dict(tokenizer(f"{one['question']} {one['context'][:80]}", text_target=one["references"][0]))

    return examples.map(encode, remove_columns=examples.column_names)


def test_a_seq2seq_trainer_logs_the_projects_figures(load: Callable[..., Any], tmp_path: Path) -> None:
    folder = saved(save_seq2seq)
    model, tokenizer = AutoModelForSeq2SeqLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    examples = sample("drcd").select(range(6))
    features = seq2seq_features(examples, tokenizer)
    trainer = Seq2SeqTrainer(
        model=model,
        args=Seq2SeqTrainingArguments(
            output_dir=str(tmp_path),
            max_steps=60,
            learning_rate=1e-2,
            eval_strategy="steps",
            eval_steps=30,
            save_strategy="steps",
            save_steps=30,
            load_best_model_at_end=True,
            metric_for_best_model="f1",
            predict_with_generate=True,
            generation_max_length=24,
            report_to="none",
            disable_tqdm=True,
        ),
        train_dataset=features,
        eval_dataset=features,
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
        processing_class=tokenizer,
        compute_metrics=make_seq2seq_compute_metrics("drcd", examples, features, tokenizer),
    )
    trainer.train()
    logged = [entry["eval_f1"] for entry in trainer.state.log_history if "eval_f1" in entry]
    assert trainer.state.best_metric == max(logged) > 0
    output = trainer.predict(features)
    texts = [
        tokenizer.decode([token for token in ids if token >= 0], skip_special_tokens=True).strip()
        for ids in output.predictions
    ]
    expected = load("drcd_char_f1", "official").compute(predictions=texts, references=examples["references"][:])
    assert {name: output.metrics[f"test_{name}"] for name in expected} == expected
