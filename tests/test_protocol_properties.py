"""Every protocol equals its plain transcription on any input, and behaves as the protocol says."""

import importlib
import math
from typing import Any

import numpy as np
import plain_protocols
import pytest
from answer_texts import related_rows, rows, texts
from conftest import MODULES
from hypothesis import example, given, settings
from hypothesis import strategies as st

CASES = [(module, config) for module, configs in MODULES.items() for config in configs]
ORB_GROUPS = ("drop", "quoref_syn", "squad1", "duorc_syn")
Questions = list[tuple[str, list[str]]]


def protocols(module: str) -> dict[str, Any]:
    return importlib.import_module(f"metrics.{module}.protocols").PROTOCOLS


def scored(module: str, config: str, questions: Questions, dataset: str = "squad1") -> dict[str, np.ndarray]:
    predictions, references = [list(column) for column in zip(*questions, strict=True)]
    return protocols(module)[config].score(predictions, references, [dataset] * len(questions))


def plain(module: str, config: str, questions: Questions, dataset: str = "squad1") -> list[dict[str, float]]:
    if (module, config) == ("orb_em_f1", "official"):
        return [plain_protocols.orb_official(prediction, answers, dataset) for prediction, answers in questions]
    return [plain_protocols.PLAIN[module, config](prediction, answers) for prediction, answers in questions]


def assert_equal_to_plain(module: str, config: str, questions: Questions, dataset: str = "squad1") -> None:
    found = scored(module, config, questions, dataset)
    for i, expected in enumerate(plain(module, config, questions, dataset)):
        for figure, value in expected.items():
            np.testing.assert_equal(found[figure][i], value, err_msg=f"{figure} of {questions[i]!r}")


@settings(max_examples=150, deadline=None)
@given(questions=st.one_of(rows, related_rows()))
@example(questions=[("\0", ["\0\0"]), ("yes\0", ["yes"]), ("a\n", ["\n"]), ("the", ["a an"]), ("", [""])])
@example(questions=[("x" * 16, ["x" * 8 + "y" + "x" * 7]), ("x" * 24, ["x" * 8 + "y" * 8 + "x" * 8])])
@example(questions=[("ΟΔΟΣ", ["οδος"]), ("ΟΔΟΣ\n", ["οδοσ"]), ("İ", ["i̇"]), ("the\x01", ["\x01"])])
@example(questions=[("b b b", ["b b"]), ("b c b", ["c c b"]), ("b b", ["b", "b b"]), ("。 a 。", [" a ", "a"])])
def test_fast_path_equals_plain_transcription(questions: Questions) -> None:
    for module, config in CASES:
        for dataset in ORB_GROUPS if (module, config) == ("orb_em_f1", "official") else ("squad1",):
            assert_equal_to_plain(module, config, questions, dataset)


@pytest.mark.parametrize(("module", "config"), CASES)
def test_batches_do_not_mix(module: str, config: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"metrics.{module}.question_batches.BATCH", 16)
    monkeypatch.setattr(f"metrics.{module}.question_batches.LONGEST_BATCH", 400)
    vocabulary = ["the", "cat", "sat", "on", "mat", "臺", "北", "市", "12", "é", "internationally", "yes"]
    random = np.random.default_rng(7)

    def text() -> str:
        return " ".join(random.choice(vocabulary, size=random.integers(0, 5)))

    questions = [(text(), [text() for _ in range(random.integers(1, 4))]) for _ in range(200)]
    assert_equal_to_plain(module, config, questions)


@pytest.mark.parametrize(("module", "config"), CASES)
@pytest.mark.parametrize("text", ["the cat ", "臺北市", "x", "é b "])
def test_very_long_texts(module: str, config: str, text: str) -> None:
    long = text * (1_000_000 // len(text))
    found = scored(module, config, [(long, [long, "cat"]), (long, ["the dog"]), ("cat", [long])])
    assert found[next(iter(found))].tolist() == [1.0, 0.0, 0.0]
    if config != "cmrc2018":  # the plain longest common run takes quadratic time
        assert_equal_to_plain(module, config, [(text * 5_000, ["cat 臺 x é"]), ("cat 臺 x é", [text * 5_000])])


@settings(max_examples=50, deadline=None)
@given(questions=st.one_of(rows, related_rows()))
def test_scores_lie_between_0_and_1_and_the_answers_order_does_not_matter(questions: Questions) -> None:
    backwards = [(prediction, answers[::-1]) for prediction, answers in questions]
    for module, config in CASES:
        found, other = scored(module, config, questions), scored(module, config, backwards)
        for figure, values in found.items():
            assert all(math.isnan(value) or 0.0 <= value <= 1.0 for value in values)
            if (module, config) != ("beerqa_em_f1", "official") or figure == "f1":  # the first of equals decides
                np.testing.assert_equal(other[figure], values)


@settings(max_examples=30, deadline=None)
@given(questions=related_rows(), seed=st.randoms(use_true_random=False))
def test_the_questions_order_does_not_matter(questions: Questions, seed: Any) -> None:
    shuffled = questions.copy()
    seed.shuffle(shuffled)
    for module, config in CASES:
        protocol = protocols(module)[config]
        datasets = ["squad1" if module == "orb_em_f1" else "squad"] * len(questions)
        means = protocol.aggregate(scored(module, config, questions), datasets)
        assert protocol.aggregate(scored(module, config, shuffled), datasets) == pytest.approx(means)


@pytest.mark.parametrize(("module", "config"), CASES)
@settings(max_examples=40, deadline=None)
@given(text=texts)
def test_an_exact_match_has_f1_1_unless_nothing_is_left_to_compare(module: str, config: str, text: str) -> None:
    found = scored(module, config, [(text, [text])])
    figure = "em" if (module, config) == ("beerqa_em_f1", "official") else "exact_match"
    exact_match, f1 = found[figure][0], found["f1"][0]
    marks = plain_protocols.FULL_WIDTH_MARKS if module == "drcd_char_f1" else ""
    is_empty = {
        "default": lambda: (
            not (text.split() if module != "drcd_char_f1" else plain_protocols._without_punctuation(text))
        ),
        "recipe": lambda: not plain_protocols._without_punctuation(text),
        "official": lambda: not plain_protocols.squad_normalised(text, plain_protocols.string.punctuation + marks),
        "cmrc2018": lambda: not plain_protocols._cmrc_tokens(text),
    }
    if not is_empty[config]() or (module, config) == ("orb_em_f1", "official"):
        assert (exact_match, f1) == (1.0, 1.0)
    elif (module, config) == ("beerqa_em_f1", "official"):
        assert (exact_match, f1) == (0.0, 0.0)
    elif (module, config) == ("beerqa_em_f1", "default"):
        assert exact_match == 1.0 and math.isnan(f1)
    else:
        assert (exact_match, f1) == (1.0, 0.0)
