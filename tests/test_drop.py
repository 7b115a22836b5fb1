"""The DROP group of ORB: normalised spans in arrays equal those of one text, sets of spans equal the plain code."""

import struct

import numpy as np
import plain_protocols
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from metrics.orb_em_f1.drop import score_drop
from metrics.orb_em_f1.drop_normalization import is_number, normalised_span, tokenised_spans

NUMBER_PIECES = (
    *("0", "007", "12", "1,000", "$12.50", "12.", ".5", "1.5", "1.2.3", "99999999", "123456789", "12345678.9", "0.1"),
    *("+5", "+1.5", "1_000", "1_0.5", "_1", "1__0", "1e5", "1e+5", "1.5e3", ".5e3", "1E5", "1x5", "e5", "5e", "1990s"),
    *(
        "nan",
        "NaN",
        "n.a.n",
        "inf",
        "Infinity",
        "+inf",
        "in_f",
        "nano",
        "1" * 30,
        "9" * 400,
        "0.00001",
        "1e400",
        "1e-7",
    ),
    *("20%", "3rd", "u.s.1", "no.1", "1.", "..1", "1.!", "(12)", "12;", "0.30000000000000004", "1e22", "4.35", "00.10"),
)
WORD_PIECES = (
    "the",
    "a",
    "An",
    "a.",
    "th-e",
    "cat",
    "cat's",
    "internationally",
    "x" * 9,
    "x" * 17,
    "--",
    "!",
    "",
    "a\n12",
)
FOREIGN_PIECES = (
    "é",
    "١٢",
    "１２",
    "12\t3",
    "the\n12",
    "\n",
    "\0",
    "\1",
    "İ",
    "½",
    "−5",
    "臺北",
    "1\u00a02",
    "nan\x0b",
)
pieces = st.one_of(
    st.sampled_from(NUMBER_PIECES),
    st.sampled_from(WORD_PIECES),
    st.sampled_from(FOREIGN_PIECES),
    st.text(alphabet="0123456789.,+_-e $n", max_size=12),
    st.floats(min_value=0, allow_nan=False).map(str),
    st.integers(min_value=0).map(str),
)
spans = st.lists(pieces, max_size=4).map(" ".join)
sides = st.one_of(spans, st.lists(spans, min_size=1, max_size=4))


@pytest.mark.parametrize(
    ("span", "normalised"),
    [
        ("The 3rd-best, of 1,000!", "3rd best of 1000.0"),
        ("12", "12.0"),
        ("$12.50", "1250.0"),
        ("12.50", "12.5"),
        ("1e5 -7 NaN", "100000.0 7.0 nan"),
        ("the\n12", "12"),
        ("１２", "12.0"),
        (" - ", ""),
    ],
)
def test_normalised_span(span: str, normalised: str) -> None:
    assert normalised_span(span) == plain_protocols.drop_normalised(span) == normalised


@settings(max_examples=150, deadline=None)
@given(texts=st.lists(spans, min_size=1, max_size=6))
@example(texts=list(NUMBER_PIECES))
@example(texts=[f"{one} {other}" for one in NUMBER_PIECES for other in ("12.0", "x", "é")])
@example(texts=list(WORD_PIECES + FOREIGN_PIECES))
def test_tokens_of_many_spans_are_those_of_each(texts: list[str]) -> None:
    tokens, number = tokenised_spans(texts)
    normalised = [normalised_span(text).split() for text in texts]
    assert [plain_protocols.drop_normalised(text).split() for text in texts] == normalised
    assert tokens.count.tolist() == list(map(len, normalised))
    assert number.tolist() == [is_number(token) for row in normalised for token in row]
    left, right = (index.ravel() for index in np.indices((len(texts), len(texts))))
    equal = tokens.equal(left, right).reshape(len(texts), len(texts)).tolist()
    assert equal == [[one == other for other in normalised] for one in normalised]


def test_no_word_is_taken_for_a_number() -> None:
    word = "臺北é"  # its bytes are those of a very small number with the sign bit
    number = f"{struct.unpack('<d', word.encode())[0]:.400f}"
    found = {figure: values.tolist() for figure, values in score_drop([word], [[number]]).items()}
    assert found == {"exact_match": [0.0], "f1": [0.0]}
    assert plain_protocols.orb_drop(word, [number]) == {"exact_match": 0.0, "f1": 0.0}


@settings(max_examples=150, deadline=None)
@given(questions=st.lists(st.tuples(sides, st.lists(sides, min_size=1, max_size=3)), min_size=1, max_size=6))
@example(questions=[(["a b", "a b"], [["b", "b"], ["a b"]]), (["x", "x", "y"], [["x", "y", "y"]])])
@example(questions=[(["1", "2", "3"], [["3", "2 b", "1 c"], ["4"]]), ("12", [["12", "13"]]), (["12", "13"], ["13"])])
def test_sets_of_spans_equal_the_plain_transcription(questions: list) -> None:
    predictions, references = (list(column) for column in zip(*questions, strict=True))
    found = score_drop(predictions, references)
    for i, (prediction, answers) in enumerate(questions):
        expected = plain_protocols.orb_drop(prediction, answers)
        assert {figure: values[i] for figure, values in found.items()} == expected, questions[i]


def test_spans_are_paired_one_to_one_for_the_highest_total() -> None:
    score = lambda prediction, answer: score_drop([prediction], [[answer]])["f1"].tolist()  # noqa: E731
    assert score(["b c", "b"], ["b", "b c"]) == [1.0]
    assert score(["b c", "d e"], ["b", "d"]) == [0.67]
    assert score(["b", "c", "d"], ["b", "c", "e"]) == [0.67]
    assert score(["b"], ["b", "c", "d"]) == [0.33]
    assert score(["12 b"], ["13 b"]) == [0.0]


def test_batches_of_sides_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metrics.orb_em_f1.question_batches.BATCH", 7)
    random = np.random.default_rng(11)
    words = [*NUMBER_PIECES[:20], *WORD_PIECES, "é"]

    def side() -> str | list[str]:
        spans = [" ".join(random.choice(words, size=random.integers(1, 4))) for _ in range(random.integers(1, 4))]
        return spans[0] if len(spans) == 1 else spans

    predictions = [side() for _ in range(100)]
    references = [[prediction if random.random() < 0.3 else side(), side()] for prediction in predictions]
    found = score_drop(predictions, references)
    expected = [plain_protocols.orb_drop(one, rows) for one, rows in zip(predictions, references, strict=True)]
    assert {figure: values.tolist() for figure, values in found.items()} == {
        figure: [row[figure] for row in expected] for figure in ("exact_match", "f1")
    }
