"""``compute_metrics`` gives what the metric modules give, for extractive readers and for generated ids."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from datasets import Dataset
from transformers import AutoTokenizer, EvalPrediction

from scripts.qa_features import gold_span, prepare_features
from scripts.qa_metrics import decode_answers, figures, make_compute_metrics, make_seq2seq_compute_metrics
from tests.test_qa_features import example, rows, sample
from tests.tiny_models import SAMPLES, save_reader, save_seq2seq, saved

pytestmark = pytest.mark.training

MODULES = {"drcd": "drcd_char_f1", "orb": "orb_em_f1", "beerqa": "beerqa_em_f1"}
PROTOCOLS = [
    *(("drcd", name) for name in ("default", "recipe", "official", "cmrc2018")),
    *((benchmark, name) for benchmark in ("orb", "beerqa") for name in ("default", "official")),
]


def without_narrativeqa(benchmark: str) -> Dataset:
    """The sample, without questions whose scoring needs WordNet."""
    return sample(benchmark).filter(lambda one: one["dataset"] != "narrativeqa")


def tokenizer_of(save: Callable[..., Any]) -> Any:
    return AutoTokenizer.from_pretrained(saved(save))


def right_and_wrong(examples: Dataset, features: Dataset) -> tuple[EvalPrediction, dict[str, str]]:
    """Logits that point to the gold span of every other question, to the first token of the others; and the answers."""
    width = max(len(ids) for ids in features["input_ids"][:])
    logits = np.full((2, len(features), width), -100.0)
    answers = {}
    by_id = {one["id"]: one for one in examples}
    right = {one["id"] for i, one in enumerate(examples) if i % 2 and gold_span(one) not in (None, (0, 0))}
    for row, feature in enumerate(features):
        one, offsets = by_id[feature["example_id"]], feature["offset_mapping"]
        first, last = feature["start_positions"], feature["end_positions"]
        if one["id"] in right and first != feature["null_position"]:
            logits[0, row, first] = logits[1, row, last] = 5.0
            answers[one["id"]] = one["context"][offsets[first][0] : offsets[last][1]]
        elif one["id"] not in right and one["id"] not in answers:
            token = next(i for i, pair in enumerate(offsets) if pair is not None)
            logits[0, row, token] = logits[1, row, token] = 5.0
            answers[one["id"]] = one["context"][slice(*offsets[token])]
    labels = tuple(np.array(features[name][:]) for name in ("start_positions", "end_positions"))
    return EvalPrediction((*logits, "a hidden state"), labels), answers  # type: ignore[arg-type]


@pytest.mark.parametrize(("benchmark", "protocol"), PROTOCOLS)
def test_figures_are_those_of_the_metric_module(benchmark: str, protocol: str, load: Callable[..., Any]) -> None:
    examples = without_narrativeqa(benchmark)
    features = prepare_features(examples, tokenizer_of(save_reader), max_seq_length=128, doc_stride=32)
    prediction, answers = right_and_wrong(examples, features)
    found = make_compute_metrics(benchmark, examples, features, protocol)(prediction)
    names = {} if benchmark == "drcd" else {"datasets": examples["dataset"][:]}
    texts = [answers[id_] for id_ in examples["id"][:]]
    expected = load(MODULES[benchmark], protocol).compute(
        predictions=texts, references=examples["references"][:], **names
    )
    assert found == expected
    assert 0.05 < found["exact_match"] < 0.95
    assert found["f1"] > 0.05
    if benchmark != "drcd":
        figure = "em" if (benchmark, protocol) == ("beerqa", "official") else "exact_match"
        assert {f"{name}_{figure}" for name in examples["dataset"][:]} <= set(found)


def test_windows_may_come_in_another_order_than_questions_but_not_than_features() -> None:
    examples = without_narrativeqa("drcd")
    features = prepare_features(examples, tokenizer_of(save_reader), max_seq_length=128, doc_stride=32)
    prediction, _ = right_and_wrong(examples, features)
    order = random.Random(5).sample(range(len(features)), len(features))
    expected = make_compute_metrics("drcd", examples, features)(prediction)

    def reordered(arrays: Any) -> Any:
        return tuple(array[order] if isinstance(array, np.ndarray) else array for array in arrays)

    shuffled = EvalPrediction(reordered(prediction.predictions), reordered(prediction.label_ids))
    assert make_compute_metrics("drcd", examples, features.select(order))(shuffled) == expected
    with pytest.raises(ValueError, match="the labels are not those of features, row by row"):
        make_compute_metrics("drcd", examples, features)(shuffled)


def test_features_as_run_qa_makes_them() -> None:
    examples = without_narrativeqa("drcd")
    features = prepare_features(examples, tokenizer_of(save_reader), max_seq_length=128, doc_stride=32)
    prediction, _ = right_and_wrong(examples, features)
    plain = [{name: one[name] for name in ("example_id", "offset_mapping")} for one in features]
    expected = make_compute_metrics("drcd", examples, features)(prediction)
    assert make_compute_metrics("drcd", examples, plain)(prediction) == expected


def generated(tokenizer: Any, texts: list[str], padding: int) -> np.ndarray:
    ids = [[tokenizer.pad_token_id, *tokenizer(text)["input_ids"]] for text in texts]
    width = max(map(len, ids))
    return np.array([row + [padding] * (width - len(row)) for row in ids])


@pytest.mark.parametrize("benchmark", SAMPLES)
@pytest.mark.parametrize("padding", ["pad", "-100"])
def test_generated_ids_are_scored_against_all_references(
    benchmark: str, padding: str, load: Callable[..., Any]
) -> None:
    examples, tokenizer = without_narrativeqa(benchmark), tokenizer_of(save_seq2seq)
    pad = -100 if padding == "-100" else tokenizer.pad_token_id
    golds = [one["references"][-1] for one in examples]
    texts = [gold if isinstance(gold, str) else gold[0] for gold in golds]
    texts[::3] = ["別的"] * len(texts[::3])
    labels = generated(tokenizer, texts, -100)
    features = [{"labels": tokenizer(text)["input_ids"]} for text in texts]
    compute_metrics = make_seq2seq_compute_metrics(benchmark, examples, features, tokenizer)
    found = compute_metrics(EvalPrediction(generated(tokenizer, texts, pad), labels))
    names = {} if benchmark == "drcd" else {"datasets": examples["dataset"][:]}
    expected = load(MODULES[benchmark], "official").compute(
        predictions=[text.strip() for text in texts], references=examples["references"][:], **names
    )
    assert found == expected
    assert 0.3 < found["exact_match"] < 0.9
    with pytest.raises(ValueError, match="the labels are not those of features, row by row"):
        compute_metrics(EvalPrediction(generated(tokenizer, texts, pad), labels[::-1]))
    with pytest.raises(ValueError, match=f"1 texts were generated, but there are {len(texts)} questions"):
        compute_metrics(EvalPrediction(labels[:1], labels[:1]))


def test_decoding_puts_no_spaces_between_chinese_characters() -> None:
    reader, seq2seq = tokenizer_of(save_reader), tokenizer_of(save_seq2seq)
    ids = reader("臺灣，1985年 in the sea")["input_ids"]
    assert " " in reader.decode(ids, skip_special_tokens=True)[:5]
    assert decode_answers([[*ids, -100, -100]], reader) == ["臺灣，1985年in the sea"]
    assert decode_answers([seq2seq(" 臺灣 is 一座 島 ")["input_ids"]], seq2seq) == ["臺灣 is 一座 島"]


def test_errors() -> None:
    tokenizer = tokenizer_of(save_reader)
    answered, test_split = rows(example()), rows(example(references=[], answers={"text": [], "answer_start": []}))
    with pytest.raises(ValueError, match="unknown protocol 'squad' of drcd: expected one of default, recipe"):
        make_compute_metrics("drcd", answered, prepare_features(answered, tokenizer), protocol="squad")
    with pytest.raises(ValueError, match="unknown benchmark 'squad'"):
        make_compute_metrics("squad", answered, prepare_features(answered, tokenizer))
    with pytest.raises(ValueError, match="question 'q' has no references"):
        figures("drcd", test_split, {"q": "臺灣"})
    with pytest.raises(ValueError, match="1 questions have no answer, the first is 'q'"):
        figures("drcd", answered, {})
    with pytest.raises(ValueError, match="features has 0 rows, but there are 1 questions: expected as many"):
        make_seq2seq_compute_metrics("drcd", answered, [], tokenizer)
