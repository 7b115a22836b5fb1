"""Readers, sequence-to-sequence and causal models through `predict.py`, with small models of random weights."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer, BertConfig

from metrics.shared.gold_files import read_gold
from metrics.shared.prediction_files import read_predictions
from metrics.shared.question import Question
from scripts.answer_cleaning import clean_answer
from scripts.generation import FirstLineEnds, GenerationOptions, generate_outputs
from scripts.local_models import model_kind
from scripts.predict import main
from scripts.prompts import Prompt, make_prompt
from tests.tiny_models import SAMPLES, save_causal, save_reader, save_seq2seq

pytestmark = pytest.mark.training

KINDS = {"seq2seq": "seq2seq", "chat": "causal", "base": "causal"}
SAMPLE_SIZE = 10


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> None:
    """The models are so small that threads would mostly wait for each other."""
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    save_reader(folder / "reader")
    enlarge_weights(AutoModelForSeq2SeqLM, save_seq2seq(folder / "seq2seq"))
    enlarge_weights(AutoModelForCausalLM, save_causal(folder / "chat"))
    shutil.copytree(folder / "chat", folder / "base")
    (folder / "base/chat_template.jinja").unlink()
    return {path.name: path for path in folder.iterdir()}


def enlarge_weights(auto_class: Any, folder: Path) -> None:
    """As they are first drawn, weights are so small that a model writes the same whatever it reads."""
    model = auto_class.from_pretrained(folder)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.mul_(8)
    model.save_pretrained(folder)


def run(model: Path, output: Path, benchmark: str = "orb", **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run the command; returns the predictions, as score.py reads them, and the results."""
    given = {"benchmark": benchmark, "data": SAMPLES[benchmark], "model_name_or_path": model, "output_dir": output}
    given |= {"max_predict_samples": SAMPLE_SIZE, "max_new_tokens": 5} | options
    assert main([argument for name, value in given.items() for argument in (f"--{name}", str(value))]) == 0
    results = json.loads((output / "all_results.json").read_text(encoding="utf-8"))
    return dict(read_predictions(output / "predict_predictions.json", benchmark)), results


def sample(benchmark: str = "orb") -> list[Question]:
    return list(read_gold(benchmark, SAMPLES[benchmark]))[:SAMPLE_SIZE]


def prompt_of(passage: str = "It is a cat.", question: str = "What is it?") -> Prompt:
    one = Question("q", "squad1", "", question, passage, [{"title": "", "text": passage}], {}, ["a cat"])
    return make_prompt("orb", one, one.paragraphs, [(one, one.paragraphs)] * 2)


# Generative models.


def greedy_one_by_one(folder: Path, kind: str, prompts: Sequence[Prompt]) -> list[str]:
    """Without batches, padding and early stopping."""
    auto_class: Any = AutoModelForSeq2SeqLM if kind == "seq2seq" else AutoModelForCausalLM
    model, tokenizer = auto_class.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    outputs = []
    for prompt in prompts:
        if kind == "chat":
            text = tokenizer.apply_chat_template(prompt.messages(), add_generation_prompt=True, tokenize=False)
            ids = tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
        else:
            ids = tokenizer(prompt.text(), return_tensors="pt")["input_ids"]
        sequence = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=5, do_sample=False)[0]
        answer = sequence[1:] if kind == "seq2seq" else sequence[ids.shape[1] :]
        outputs.append(tokenizer.decode(answer, skip_special_tokens=True))
    return outputs


@pytest.mark.parametrize("kind", KINDS)
def test_batches_of_padded_prompts_give_what_single_prompts_give(
    models: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    questions = sample()
    prompts = [make_prompt("orb", question, question.paragraphs) for question in questions]
    expected = {
        prompt.question_id: clean_answer(output, prompt)
        for prompt, output in zip(prompts, greedy_one_by_one(models[kind], kind, prompts), strict=True)
    }
    assert len(set(map(str, expected.values()))) > 1
    predictions, results = run(models[kind], tmp_path, per_device_eval_batch_size=4)
    assert predictions == expected
    assert list(predictions) == [question.id for question in questions]
    assert results["kind"] == KINDS[kind]


def test_examples_come_from_the_training_file(models: dict[str, Path], tmp_path: Path) -> None:
    document = json.loads(SAMPLES["drcd"].read_text(encoding="utf-8"))
    files = {}
    for name, articles in (("train", document["data"][2:]), ("test", document["data"][:2])):
        files[name] = tmp_path / f"{name}.json"
        files[name].write_text(json.dumps(document | {"data": articles}), encoding="utf-8")
    fewshot = {"num_fewshot": 2, "fewshot_data": files["train"]}
    predictions, results = run(models["chat"], tmp_path / "out", "drcd", data=files["test"], **fewshot)
    assert predictions.keys() == {question.id for question in sample("drcd")}
    training_ids = {question.id for question in read_gold("drcd", files["train"])}
    assert len(results["fewshot_ids"]["drcd"]) == 2
    assert set(results["fewshot_ids"]["drcd"]) <= training_ids


def test_examples_must_not_be_asked(
    models: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(SAMPLES["drcd"]), "--fewshot_data", str(SAMPLES["drcd"]), "--num_fewshot", "1"]
    model = ["--model_name_or_path", str(models["base"])]
    assert main(["--benchmark", "drcd", "--output_dir", str(tmp_path), *data, *model]) == 2
    assert "is one of the questions: examples must be of another split" in capsys.readouterr().err


def test_beams_and_sampling(models: dict[str, Path], tmp_path: Path) -> None:
    beams, _ = run(models["seq2seq"], tmp_path / "beams", max_predict_samples=3, num_beams=2)
    assert len(beams) == 3
    sampled = [
        run(models["chat"], tmp_path / str(n), max_predict_samples=3, temperature=1.5, seed=seed)[0]
        for n, seed in enumerate((1, 1, 2))
    ]
    assert sampled[0] == sampled[1] != sampled[2]


class ScriptedModel:
    """Stands in for a causal model: writes given texts, a token at a time, until the criteria end every one."""

    def __init__(self, tokenizer: Any, texts: dict[str, str]) -> None:
        self.config = SimpleNamespace(is_encoder_decoder=False, get_text_config=lambda: SimpleNamespace())
        self.generation_config = SimpleNamespace(eos_token_id=tokenizer.eos_token_id)
        self.device = torch.device("cpu")
        self.tokenizer, self.texts = tokenizer, texts
        self.steps: list[int] = []

    def eval(self) -> None:
        pass

    def generate(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, **options: Any) -> torch.Tensor:
        pad, limit = options["pad_token_id"], options["max_new_tokens"]
        assert torch.equal(attention_mask, (input_ids != pad).long())
        assert attention_mask[:, -1].all()  # padded on the left
        scripts = []
        for prompt in self.tokenizer.batch_decode(input_ids):
            text = next(text for question, text in self.texts.items() if f"Question: {question}\n" in prompt)
            scripts.append(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        ended = torch.zeros(len(scripts), dtype=torch.bool)
        for step in range(limit):
            column = [pad if done else script[step] for script, done in zip(scripts, ended, strict=True)]
            input_ids = torch.cat([input_ids, torch.tensor(column)[:, None]], dim=1)
            for criterion in options["stopping_criteria"]:
                ended |= criterion(input_ids, None)
            if ended.all():
                break
        self.steps.append(step + 1)
        return input_ids


def test_generation_stops_at_the_end_of_the_first_line(models: dict[str, Path]) -> None:
    tokenizer = AutoTokenizer.from_pretrained(models["base"])
    rest = "\nQuestion: And what else is there to be asked?\nAnswer: nothing"
    texts = {"One?": f" 1998{rest}", "Two?": f"\n\nAnswer: the crown of thorns{rest}"}
    prompts = [prompt_of(question=question, passage="It is. " * n) for n, question in enumerate(texts, 1)]
    model: Any = ScriptedModel(tokenizer, texts)
    outputs, report = generate_outputs(prompts, model, tokenizer, GenerationOptions(max_new_tokens=100))
    assert [clean_answer(output, prompt) for output, prompt in zip(outputs, prompts, strict=True)] == [
        "1998",
        "the crown of thorns",
    ]
    assert report.answers_cut == 0
    longest = len(tokenizer(texts["Two?"].partition(rest)[0] + "\n", add_special_tokens=False)["input_ids"])
    assert model.steps == [longest]
    _, report = generate_outputs(prompts, model, tokenizer, GenerationOptions(max_new_tokens=longest - 2))
    assert report.answers_cut == 1


def test_each_beam_is_ended_by_its_own_prompt(models: dict[str, Path]) -> None:
    tokenizer = AutoTokenizer.from_pretrained(models["base"])
    prompts = [prompt_of(question="One?"), prompt_of(question="Two?")]
    texts = ["Question: One?\n", "x\n", "Question: One?\n", "x"]  # two of each prompt
    ids = tokenizer(texts, add_special_tokens=False, padding=True, padding_side="right", return_tensors="pt")
    ended = FirstLineEnds(prompts, tokenizer, 0)(ids["input_ids"], None)
    assert ended.tolist() == [False, True, True, False]


@pytest.mark.parametrize("kind", ["chat", "base"])
def test_prompts_that_are_too_long_lose_examples_then_the_end_of_the_passage(
    models: dict[str, Path], kind: str
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(models[kind])
    prompt = prompt_of(passage="First words. " + "It sleeps all day long. " * 30 + "Last words.")
    written: list[str] = []

    class Recorder(ScriptedModel):
        def generate(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, **options: Any) -> torch.Tensor:
            written.append(tokenizer.decode(input_ids[0]))
            assert input_ids.shape[1] <= limit
            return input_ids

    model: Any = Recorder(tokenizer, {})
    shorter = (prompt, replace(prompt, examples=prompt.examples[:1]), replace(prompt, examples=(), passage=""))
    # A chat's turns take some tokens more.
    limits = [len(tokenizer(one.text())["input_ids"]) + 80 for one in shorter]
    found = []
    for limit in limits:
        options = GenerationOptions(max_input_length=limit)
        _, report = generate_outputs([prompt], model, tokenizer, options)
        found.append((report.examples_left_out, report.passages_cut))
    assert found == [(0, 0), (1, 0), (2, 1)]
    assert [text.count("Last words.") for text in written] == [3, 2, 0]
    assert "Passage: First words. It sleeps" in written[-1]
    assert "Question: What is it?\nAnswer:" in written[-1]
    limit = 20
    with pytest.raises(
        ValueError, match="question 'q': instruction and question have .* the model's input may have 20"
    ):
        generate_outputs([prompt], model, tokenizer, GenerationOptions(max_input_length=limit))


def test_control_tokens_in_a_passage_are_plain_text_to_a_chat_model(models: dict[str, Path]) -> None:
    tokenizer = AutoTokenizer.from_pretrained(models["chat"])
    seen: list[torch.Tensor] = []

    class Recorder(ScriptedModel):
        def generate(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, **options: Any) -> torch.Tensor:
            seen.append(input_ids)
            return input_ids

    model: Any = Recorder(tokenizer, {})
    generate_outputs([prompt_of(passage="It ends </s> here.")], model, tokenizer, GenerationOptions())
    assert tokenizer.eos_token_id not in seen[0]
    assert "It ends </s> here." in tokenizer.decode(seen[0][0])


# Extractive readers.


def test_a_reader_answers_with_spans_whatever_the_batches(models: dict[str, Path], tmp_path: Path) -> None:
    windows = {"max_seq_length": 64, "doc_stride": 16}
    one, results = run(models["reader"], tmp_path / "one", "drcd", per_device_eval_batch_size=1, **windows)
    many, _ = run(models["reader"], tmp_path / "many", "drcd", per_device_eval_batch_size=7, **windows)
    assert one == many
    assert results["kind"] == "extractive"
    assert results["windows"] > SAMPLE_SIZE
    assert all(one[question.id] and one[question.id] in question.context for question in sample("drcd"))


def test_a_reader_reads_the_best_retrieved_paragraphs(models: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "retrieved.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for n, question in enumerate(sample("beerqa")):
            texts = [f"Number {n} is the first.", f"{question.references[0]} is the second.", "Unread."]
            print(json.dumps({"id": question.id, "paragraphs": texts}), file=lines)
    options = {"paragraphs": file, "num_paragraphs": 2}
    predictions, results = run(models["reader"], tmp_path, "beerqa", **options)
    assert results["answer_recall"]["answer_recall_at_1"] == 0
    assert results["answer_recall"]["answer_recall_at_5"] == 1
    for n, question in enumerate(sample("beerqa")):
        assert predictions[question.id] in f"Number {n} is the first.\n{question.references[0]} is the second."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--paragraphs", "none"], "an extractive reader needs paragraphs"),
        (["--num_fewshot", "2"], "an extractive reader takes no examples"),
    ],
)
def test_what_a_reader_cannot_do(
    models: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    data = ["--benchmark", "beerqa", "--data", str(SAMPLES["beerqa"]), "--output_dir", str(tmp_path)]
    assert main([*data, "--model_name_or_path", str(models["reader"]), *options]) == 2
    assert message in capsys.readouterr().err


def test_other_models_are_refused() -> None:
    with pytest.raises(ValueError, match="found BertForMaskedLM"):
        model_kind(BertConfig(architectures=["BertForMaskedLM"]))
    with pytest.raises(ValueError, match="found no architecture"):
        model_kind(BertConfig())


def test_questions_are_loaded_where_no_file_is_named(
    models: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scripts import load_benchmark as loader

    load, asked = loader.load_benchmark, []

    def offline(name: str, split: str, cache_dir: str, source: str) -> Any:
        asked.append((name, split, cache_dir, source))
        return load(name, split, data_files=SAMPLES["orb"], cache_dir=cache_dir)

    monkeypatch.setattr(loader, "load_benchmark", offline)
    cache = tmp_path / "cache"
    arguments = {"benchmark": "orb", "split": "validation", "cache_dir": cache, "max_predict_samples": SAMPLE_SIZE}
    arguments |= {"model_name_or_path": models["reader"], "output_dir": tmp_path / "loaded", "source": "hub"}
    assert main([argument for name, value in arguments.items() for argument in (f"--{name}", str(value))]) == 0
    assert asked == [("orb", "validation", str(cache), "hub")]
    from_file, _ = run(models["reader"], tmp_path / "file")
    assert dict(read_predictions(tmp_path / "loaded/predict_predictions.json", "orb")) == from_file


def test_no_such_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--benchmark", "drcd", "--data", str(SAMPLES["drcd"]), "--output_dir", str(tmp_path)]
    (tmp_path / "empty").mkdir()
    assert main([*data, "--model_name_or_path", str(tmp_path / "empty")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
