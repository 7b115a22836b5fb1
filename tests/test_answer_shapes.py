"""What may be passed as predictions and references, and what bad input gets."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from metrics.shared.answer_shapes import Rows, checked_rows, matched_rows
from metrics.shared.answer_values import ShapeRules, described

TEXTS = ShapeRules()
ORB = ShapeRules(
    span_datasets=("drop", "quoref"), token_spans=True, datasets=("drop", "quoref", "squad1"), case_insensitive=True
)


def rows_of(predictions: Any, references: Any, datasets: Any = None, rules: ShapeRules = TEXTS) -> Rows:
    return matched_rows(checked_rows(predictions, references, datasets, rules), rules)


def test_a_reference_is_a_text_or_a_list_of_texts_in_one_call() -> None:
    found = rows_of(["a", "b", "c"], ["a", ["b", "B"], ("c",)])
    assert found == Rows(["a", "b", "c"], [["a"], ["b", "B"], ["c"]])


def test_an_empty_text_is_a_gold_answer() -> None:
    assert rows_of([""], [""]).references == [[""]]
    assert rows_of([""], [[""]]).references == [[""]]


@pytest.mark.parametrize("column", [tuple, np.array, lambda values: (value for value in values)])
def test_other_columns_than_lists(column: Callable[[list[str]], Any]) -> None:
    assert rows_of(column(["a", "b"]), column(["a", "c"])) == Rows(["a", "b"], [["a"], ["c"]])


def test_texts_come_out_as_plain_strings() -> None:
    found = rows_of(np.array(["a"]), [np.array(["a", "b"])])
    assert [type(text) for text in (*found.predictions, *found.references[0])] == [str, str, str]


def squad_prediction(name: Any, text: Any) -> dict[str, Any]:
    return {"id": name, "prediction_text": text}


def squad_reference(name: Any, *texts: Any) -> dict[str, Any]:
    return {"id": name, "answers": {"text": list(texts), "answer_start": [0] * len(texts)}}


def test_squad_rows_are_matched_by_id() -> None:
    predictions = [squad_prediction("2", "b"), squad_prediction(1, "a")]
    found = rows_of(predictions, [squad_reference("1", "a", "A"), squad_reference(2)], ["x", "y"])
    assert found == Rows(["a", "b"], [["a", "A"], [""]], ["x", "y"])


def test_squad_answers_may_be_a_list_of_dicts_and_rows_may_have_other_keys() -> None:
    reference = {"id": "1", "answers": [{"text": "a", "answer_start": 3}, {"text": "b"}], "title": "t"}
    found = rows_of([{**squad_prediction("1", "a"), "no_answer_probability": 0.1}], [reference])
    assert found == Rows(["a"], [["a", "b"]])
    assert rows_of([squad_prediction("1", "")], [{"id": "1", "answers": []}]).references == [[""]]


@pytest.mark.parametrize("name", [str, int])  # ids that are numbers are brought to shape row by row
def test_squad_rows_in_another_order_and_without_answers(name: Callable[[int], Any]) -> None:
    predictions = [squad_prediction(name(i), f"p{i}") for i in (3, 1, 2)]
    references = [squad_reference(name(1), "a", "A"), squad_reference(name(2)), squad_reference(name(3), "c")]
    assert rows_of(predictions, references) == Rows(["p1", "p2", "p3"], [["a", "A"], [""], ["c"]])
    assert rows_of(predictions[1:], references[:2]) == Rows(["p1", "p2"], [["a", "A"], [""]])
    with pytest.raises(
        ValueError, match=r"references\[1\]\['answers'\]\['answer_start'\]\[0\] is the truth value True"
    ):
        flawed = {"id": name(2), "answers": {"text": ["a"], "answer_start": [True]}}
        rows_of(predictions[1:], [references[0], flawed])


@pytest.mark.parametrize(
    ("predictions", "references", "message"),
    [
        (
            [("1", "a"), ("1", "b")],
            [("1", "a"), ("2", "b")],
            r"predictions\[1\] has the id '1', which predictions\[0\]",
        ),
        ([("1", "a"), ("2", "b")], [("1", "a"), ("1", "b")], r"references\[1\] has the id '1', which references\[0\]"),
        (
            [("1", "a"), ("3", "b")],
            [("1", "a"), ("2", "b")],
            r"predictions\[1\] has the id '3', which no reference has",
        ),
        ([(None, "a")], [("1", "a")], r"predictions\[0\]\['id'\] is None"),
        ([(1.5, "a")], [("1", "a")], r"predictions\[0\]\['id'\] is the number 1.5"),
        ([("1", None)], [("1", "a")], r"predictions\[0\]\['prediction_text'\] is None: expected a string"),
        ([("1", "a")], [("1", 7)], r"references\[0\]\['answers'\]\['text'\]\[0\] is the number 7"),
    ],
)
def test_squad_errors(predictions: list[Any], references: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rows_of([squad_prediction(*row) for row in predictions], [squad_reference(*row) for row in references])


@pytest.mark.parametrize(
    ("prediction", "reference", "message"),
    [
        ({"id": "1"}, squad_reference("1", "a"), r"predictions\[0\] has the keys \['id'\]: expected 'id' and 'predict"),
        (
            squad_prediction("1", "a"),
            {"id": "1"},
            r"references\[0\] has the keys \['id'\]: expected 'id' and 'answers'",
        ),
        (squad_prediction("1", "a"), "a", r"references\[0\] is the string 'a': expected \{'id', 'answers'\}"),
        ("a", squad_reference("1", "a"), r"predictions\[0\] is the string 'a': expected \{'id', 'prediction_text'\}"),
        (squad_prediction("1", "a"), {"id": "1", "answers": "a"}, r"references\[0\]\['answers'\] is the string 'a'"),
        (squad_prediction("1", "a"), {"id": "1", "answers": {}}, r"\['answers'\] has the keys \[\]: expected 'text'"),
        (
            squad_prediction("1", "a"),
            {"id": "1", "answers": {"text": "a"}},
            r"\['text'\] is the string 'a': expected a",
        ),
        (squad_prediction("1", "a"), {"id": "1", "answers": ["a"]}, r"\['answers'\]\[0\] is the string 'a': expected"),
        (
            squad_prediction("1", "a"),
            {"id": "1", "answers": {"text": ["a"], "answer_start": [0, 1]}},
            r"\['answer_start'\] is a list of 2: expected 1 integers",
        ),
        (
            squad_prediction("1", "a"),
            {"id": "1", "answers": {"text": ["a"], "answer_start": ["0"]}},
            r"\['answer_start'\]\[0\] is the string '0': expected an integer",
        ),
    ],
)
def test_squad_rows_that_lack_something(prediction: Any, reference: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rows_of([prediction], [reference])


def test_a_missing_prediction_is_named() -> None:
    predictions = [squad_prediction("1", "a"), squad_prediction("2", "a")]
    references = [squad_reference("1", "a"), squad_reference("2", "a")]
    unmatched = Rows(["a"], [["a"], ["b"]], None, ["1"], ["1", "2"])
    with pytest.raises(ValueError, match=r"references\[1\] has the id '2', for which there is no prediction"):
        matched_rows(unmatched, TEXTS)
    assert rows_of(predictions, references).predictions == ["a", "a"]


def test_spans_of_the_drop_group() -> None:
    found = rows_of(["12", ["Ann", "Bo"]], [["12", "twelve"], [["Bo", "Ann"], ["Ann"]]], ["DROP", "quoref"], ORB)
    assert found == Rows(["12", ["Ann", "Bo"]], [["12", "twelve"], [["Bo", "Ann"], ["Ann"]]], ["drop", "quoref"])


def test_a_span_of_tokens_becomes_its_text() -> None:
    context = "one  two\tthree\nfour"
    spans = [{"context": context, "start": 1, "end": 3}, {"context": context, "start": 0, "end": np.int64(0)}]
    assert rows_of([*spans, "x"], ["a", "b", "c"], None, ORB).predictions == ["two three four", "one", "x"]


@pytest.mark.parametrize(("start", "end"), [(0, 2), (-1, 0), (1, 0), (2, 2)])
def test_a_span_outside_its_context(start: int, end: int) -> None:
    with pytest.raises(ValueError, match=rf"predictions\[1\] is the token span {start} to {end}, .* 2 tokens"):
        rows_of(["a", {"context": "a b", "start": start, "end": end}], ["a", "b"], None, ORB)


@pytest.mark.parametrize(
    ("prediction", "reference", "message"),
    [
        (
            ["a", "b"],
            ["a"],
            r"predictions\[0\] has 2 spans, but its dataset 'squad1' takes one text: only drop, quoref",
        ),
        ("a", ["b", ["a", "b"]], r"references\[0\]\[1\] has 2 spans, but its dataset 'squad1' takes one text"),
        ([], ["a"], r"predictions\[0\] is an empty list of spans"),
        ("a", [[]], r"references\[0\]\[0\] is an empty list of spans"),
        (["a", ["b"]], ["a"], r"predictions\[0\]\[1\] is a list of 1: expected a string \(one span\)"),
        ("a", [[["a"]]], r"references\[0\]\[0\]\[0\] is a list of 1: expected a string"),
        ({"context": "a", "start": 0}, ["a"], r"predictions\[0\] is a dict with the keys \['context', 'start'\]"),
        (
            {"context": "a", "start": "0", "end": 0},
            ["a"],
            r"predictions\[0\]\['start'\] is the string '0': expected an",
        ),
        ({"context": "a", "start": True, "end": 0}, ["a"], r"predictions\[0\]\['start'\] is the truth value True"),
        ({"context": 3, "start": 0, "end": 0}, ["a"], r"predictions\[0\]\['context'\] is the number 3"),
    ],
)
def test_span_errors(prediction: Any, reference: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rows_of([prediction], [reference], ["squad1"], ORB)


def test_one_span_in_a_list_is_one_text_for_any_dataset() -> None:
    assert rows_of([["a"]], [[["a"]]], ["squad1"], ORB).predictions == [["a"]]


BAD_VALUES = [
    (None, "None"),
    (7, "the number 7"),
    (np.float32(0.5), "the number 0.5"),
    (True, "the truth value True"),
    (float("nan"), "NaN"),
    (b"ab", "the bytes b'ab'"),
    (object(), "of type object"),
    (["a"], "a list of 1"),
    ({"a"}, "a set of 1"),
]


@pytest.mark.parametrize(("value", "description"), BAD_VALUES)
def test_values_that_are_not_texts(value: Any, description: str) -> None:
    assert described(value) == description
    with pytest.raises(ValueError, match=rf"predictions\[1\] is {description}: expected a string"):
        rows_of(["a", value], ["a", "b"])
    with pytest.raises(ValueError, match=rf"references\[1\]\[0\] is {description}: expected a string"):
        rows_of(["a", "b"], ["a", [value]])
    with pytest.raises(ValueError, match=rf"datasets\[1\] is {description}: expected the name of a dataset"):
        rows_of(["a", "b"], ["a", "b"], ["x", value])
    if not isinstance(value, list):
        with pytest.raises(ValueError, match=rf"references\[1\] is {description}: expected a string or a list"):
            rows_of(["a", "b"], ["a", value])


@pytest.mark.parametrize("column", ["ab", b"ab", None, 3, {"a": 1}, {"a"}, np.array([["a"]]), float("nan")])
def test_values_that_are_not_columns(column: Any) -> None:
    for arguments in ((column, ["a"]), (["a"], column), (["a"], ["a"], column)):
        if len(arguments) == 3 and column is None:
            continue
        name = ("predictions", "references", "datasets")[len(arguments) - 1 if arguments[0] is not column else 0]
        with pytest.raises(ValueError, match=rf"{name} is .*: expected a list with one entry per question"):
            rows_of(*arguments)


def test_numbers_of_rows() -> None:
    with pytest.raises(ValueError, match="predictions is empty: there is nothing to score"):
        rows_of([], [])
    with pytest.raises(ValueError, match="references has 1 entries, but predictions has 2"):
        rows_of(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="datasets has 1 entries, but predictions has 2"):
        rows_of(["a", "b"], ["a", "b"], ["x"])
    with pytest.raises(ValueError, match=r"references\[1\] is an empty list: expected at least one answer"):
        rows_of(["a", "b"], ["a", []])


@pytest.mark.parametrize("name", ["squad", "", "nosuch"])
def test_unknown_datasets(name: str) -> None:
    with pytest.raises(ValueError, match=rf"datasets\[1\] is '{name}': expected one of drop, quoref, squad1"):
        rows_of(["a", "b"], ["a", "b"], ["drop", name], ORB)
    if not name:
        with pytest.raises(ValueError, match=r"datasets\[0\] is '': expected a name"):
            rows_of(["a"], ["a"], [name])


@pytest.mark.parametrize("name", [["drop"], None, 7, float("nan"), b"drop"])
def test_datasets_that_are_no_names(name: Any) -> None:
    with pytest.raises(ValueError, match=r"datasets\[1\] is .*: expected the name of a dataset"):
        rows_of(["a", "b"], ["a", "b"], ["drop", name], ORB)


def test_two_halves_of_a_surrogate_pair_in_two_texts_are_lone() -> None:
    with pytest.raises(ValueError, match=r"predictions\[0\] holds a lone surrogate"):
        rows_of(["a\ud83d", "\ude00b"], ["a", "b"])
    with pytest.raises(ValueError, match=r"references\[1\]\[0\]\[1\] holds a lone surrogate"):
        rows_of(["a", ["b", "c"]], ["a", [["b", "\ude00"]]], ["squad1", "drop"], ORB)


@pytest.mark.parametrize("text", ["a\ud800", "\udfff"])
def test_lone_surrogates(text: str) -> None:
    with pytest.raises(ValueError, match=r"predictions\[1\] holds a lone surrogate"):
        rows_of(["a", text], ["a", "b"])
    with pytest.raises(ValueError, match=r"references\[1\]\[1\] holds a lone surrogate"):
        rows_of(["a", "b"], [["a"], ["b", text]])


def test_surrogate_pairs_in_unicode_are_ordinary_texts() -> None:
    assert rows_of(["😀"], [["😀"]]).predictions == ["😀"]
