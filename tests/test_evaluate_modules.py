"""The three metrics as `evaluate` serves them: loading, adding in pieces, several processes, errors, leftovers."""

import doctest
import json
import os
import pickle
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import MODULES, ROOT

CASES = [(module, config) for module, configs in MODULES.items() for config in configs]
LoadModule = Callable[..., Any]
DATASETS = {"orb_em_f1": ["drop", "squad1", "ropes"], "beerqa_em_f1": ["squad", "hotpotqa", "squad"]}
PREDICTIONS = ["the 12", "Paris, France", "臺北市。"]
REFERENCES = [["12", "twelve"], "Paris", ["臺北", "臺北市"]]


def arguments(module: str, config: str, **changes: Any) -> dict[str, Any]:
    """Three questions as the config takes them."""
    columns: dict[str, Any] = {"predictions": PREDICTIONS, "references": REFERENCES}
    if config == "official" and module in DATASETS:
        columns["datasets"] = DATASETS[module]
    return {**columns, **changes}


def add_one_by_one(metric: Any, columns: dict[str, Any]) -> None:
    rows = zip(columns["predictions"], columns["references"], strict=True)
    for i, (prediction, reference) in enumerate(rows):
        dataset = {"datasets": columns["datasets"][i]} if "datasets" in columns else {}
        metric.add(prediction=prediction, reference=reference, **dataset)


@pytest.mark.parametrize(("module", "config"), CASES)
def test_adding_in_pieces_is_one_compute(module: str, config: str, load: LoadModule) -> None:
    metric, columns = load(module, config), arguments(module, config)
    whole = metric.compute(**columns)
    assert all(type(value) is float and 0.0 <= value <= 1.0 for value in whole.values())
    assert {"exact_match", "f1"} <= whole.keys()
    add_one_by_one(metric, columns)
    assert metric.compute() == whole
    metric.add_batch(**{name: values[:1] for name, values in columns.items()})
    metric.add_batch(**{name: values[1:] for name, values in columns.items()})
    assert metric.compute() == whole
    metric.add_batch(**{name: values[:1] for name, values in columns.items()})
    assert metric.compute(**{name: values[1:] for name, values in columns.items()}) == whole
    in_memory = load(module, config, keep_in_memory=True)
    in_memory.add_batch(**columns)
    assert in_memory.compute() == whole


@pytest.mark.parametrize(("module", "config"), CASES)
def test_one_value_per_question_instead_of_means(module: str, config: str, load: LoadModule) -> None:
    metric, columns = load(module, config), arguments(module, config)
    means = metric.compute(**columns)
    values = metric.compute(**columns, use_aggregator=False)
    assert values.keys() == means.keys()
    for key, listed in values.items():
        assert type(listed) is list and all(type(value) is float for value in listed)
        if not key.startswith(("macro_", "average_")) and (module, config) != ("orb_em_f1", "official"):
            assert np.nanmean(listed) == pytest.approx(means[key])
    metric.add_batch(**columns)
    assert metric.compute(use_aggregator=False) == values


@pytest.mark.parametrize(("module", "config"), CASES)
def test_squads_form_is_matched_by_id(module: str, config: str, load: LoadModule) -> None:
    metric, columns = load(module, config), arguments(module, config)
    lists = [row if isinstance(row, list) else [row] for row in REFERENCES]
    predictions = [{"id": str(i), "prediction_text": text} for i, text in enumerate(PREDICTIONS)][::-1]
    references = [
        {"id": str(i), "answers": {"text": row, "answer_start": [0] * len(row)}} for i, row in enumerate(lists)
    ]
    squad = {**columns, "predictions": predictions, "references": references}
    assert metric.compute(**squad) == metric.compute(**columns)
    metric.add_batch(**squad)
    assert metric.compute() == metric.compute(**columns)
    first, last = ({name: values[part] for name, values in squad.items()} for part in (slice(1), slice(1, None)))
    metric.add_batch(**first)
    metric.add_batch(**last)
    assert metric.compute() == metric.compute(**columns)


def test_ids_are_checked_over_all_that_was_added(load: LoadModule) -> None:
    metric = load("drcd_char_f1")
    row: dict[str, Any] = {"predictions": [{"id": "1", "prediction_text": "a"}]}
    row["references"] = [{"id": "1", "answers": {"text": ["a"], "answer_start": [0]}}]
    metric.add_batch(**row)
    metric.add_batch(**row)
    with pytest.raises(ValueError, match=r"predictions\[1\] has the id '1', which predictions\[0\] has too"):
        metric.compute()
    metric.add_batch(**row)
    with pytest.raises(ValueError, match="predictions is in another form than what was added before"):
        metric.add_batch(predictions=["a"], references=["a"])
    assert metric.compute() == {"exact_match": 1.0, "f1": 1.0}


def test_spans_and_token_spans_through_storage(load: LoadModule) -> None:
    metric = load("orb_em_f1", "official")
    columns = {
        "predictions": ["12", ["Ann", "Bo"], {"context": "in the old town", "start": 2, "end": 3}],
        "references": [["12.0", "twelve"], [["Bo", "Ann"], ["Ann"]], ["the old town"]],
        "datasets": ["DROP", "quoref", "newsqa"],
    }
    expected = {f"{name}_{figure}": 1.0 for name in ("drop", "quoref", "newsqa") for figure in ("exact_match", "f1")}
    expected.update(average_f1=1.0, exact_match=1.0, f1=1.0)
    assert metric.compute(**columns) == expected
    add_one_by_one(metric, columns)
    assert metric.compute() == expected


def test_datasets_in_the_other_configs(load: LoadModule) -> None:
    found = load("drcd_char_f1").compute(
        predictions=["臺北", "高雄", "x"], references=["臺北", "高雄港", "y"], datasets=["dev", "test", "test"]
    )
    assert found == pytest.approx(
        {
            **{"exact_match": 1 / 3, "f1": (1 + 0.8) / 3, "dev_exact_match": 1.0, "dev_f1": 1.0},
            **{"test_exact_match": 0.0, "test_f1": 0.4, "macro_exact_match": 0.5, "macro_f1": 0.7},
        }
    )
    with_mixed_case = load("orb_em_f1").compute(predictions=["a"], references=["a"], datasets=["SQuAD1"])
    assert with_mixed_case["squad1_f1"] == with_mixed_case["macro_f1"] == 1.0


def test_nothing_left_to_average_is_0_and_left_out_is_nan(load: LoadModule) -> None:
    beerqa = load("beerqa_em_f1")
    assert beerqa.compute(predictions=[""], references=[""]) == {"exact_match": 1.0, "f1": 0.0}
    assert np.isnan(beerqa.compute(predictions=["", "a"], references=["b", "a"], use_aggregator=False)["f1"][0])
    assert beerqa.compute(predictions=["", "a"], references=["b", ["", "a"]])["f1"] == 1.0


@pytest.mark.parametrize("module", MODULES)
def test_an_unknown_config_names_the_known_ones(module: str, load: LoadModule) -> None:
    with pytest.raises(ValueError, match="unknown config 'nosuch': expected one of " + ", ".join(MODULES[module])):
        load(module, "nosuch")


BAD_INPUT: list[tuple[dict[str, Any], str]] = [
    ({"predictions": ["a", None, "c"]}, r"predictions\[1\] is None"),
    ({"predictions": ["a", 3, "c"]}, r"predictions\[1\] is the number 3"),
    ({"predictions": ["a", b"b", "c"]}, r"predictions\[1\] is the bytes b'b'"),
    ({"predictions": ["a", float("nan"), "c"]}, r"predictions\[1\] is NaN"),
    ({"predictions": ["a", "\ud800", "c"]}, r"predictions\[1\] holds a lone surrogate"),
    ({"predictions": "abc"}, "predictions is the string 'abc': expected a list"),
    ({"predictions": ["a"]}, "references has 3 entries, but predictions has 1"),
    ({"references": ["a", ["b", [["c"]]], "d"]}, r"references\[1\]\[1\](\[0\])? is a list of 1"),
    ({"references": ["a", [], "c"]}, r"references\[1\] is an empty list"),
    ({"references": None}, "references is None"),
    ({"predictions": None}, "predictions is None"),
    ({"predictions": [], "references": []}, "predictions is empty"),
    ({"datasets": ["squad1", "nosuch", "squad"]}, r"datasets\[[01]\] is '(nosuch|squad1)': expected one of"),
    ({"datasets": ["squad1"]}, "datasets has 1 entries, but predictions has 3"),
]


@pytest.mark.parametrize(("module", "config"), CASES)
def test_bad_input_is_refused_and_leaves_nothing(module: str, config: str, load: LoadModule) -> None:
    metric, columns = load(module, config), arguments(module, config)
    expected = metric.compute(**columns)
    for changes, message in BAD_INPUT:
        if module == "drcd_char_f1" and "nosuch" in str(changes):
            continue  # DRCD has no list of datasets: any name will do
        bad = {**columns, **changes}
        with pytest.raises(ValueError, match=message):
            metric.compute(**bad)
        if "datasets" in columns or "datasets" not in changes:
            with pytest.raises(ValueError, match=message):
                metric.add_batch(**bad)
        assert metric.compute(**columns) == expected
        metric.add_batch(**columns)
        with pytest.raises(ValueError, match="is|has|holds"):
            metric.compute(**bad)
        assert metric.compute(**columns) == expected
        add_one_by_one(metric, columns)
        assert metric.compute() == expected


@pytest.mark.parametrize(("prediction", "message"), [(None, "is None"), (3, "is the number 3"), (b"", "is the bytes")])
def test_add_refuses_too_and_keeps_what_was_added(prediction: Any, message: str, load: LoadModule) -> None:
    metric = load("drcd_char_f1")
    metric.add(prediction="a", reference="a")
    with pytest.raises(ValueError, match=rf"predictions\[0\] {message}"):
        metric.add(prediction=prediction, reference="a")
    assert metric.compute() == {"exact_match": 1.0, "f1": 1.0}
    with pytest.raises(ValueError, match="nothing was added before"):
        metric.compute()


def test_official_needs_datasets(load: LoadModule) -> None:
    for module in DATASETS:
        metric = load(module, "official")
        for call in (metric.compute, metric.add_batch):
            with pytest.raises(ValueError, match="datasets is None: the config 'official' needs one of "):
                call(predictions=["a"], references=["a"])


def test_features_show_the_schema_that_is_stored(load: LoadModule) -> None:
    for module, config in CASES:
        texts, squad = load(module, config).features
        assert texts.keys() == squad.keys() == set(arguments(module, config))
        assert set(squad["predictions"]) == {"id", "prediction_text"}
        assert set(squad["references"]) == {"id", "answers"}


def test_a_loaded_metric_can_be_pickled_and_combined(load: LoadModule, tmp_path: Path) -> None:
    import evaluate

    for module, config in CASES:
        metric, columns = load(module, config), arguments(module, config)
        assert pickle.loads(pickle.dumps(metric)).compute(**columns) == metric.compute(**columns)
    combined = evaluate.combine([load(module) for module in MODULES])
    found = combined.compute(predictions=["the cat"], references=["cat"])
    assert found == pytest.approx(
        {
            **{"orb_em_f1_exact_match": 0.0, "orb_em_f1_f1": 2 / 3, "drcd_char_f1_exact_match": 0.0},
            **{"drcd_char_f1_f1": 0.6, "beerqa_em_f1_exact_match": 0.0, "beerqa_em_f1_f1": 2 / 3},
        }
    )
    path = evaluate.save(tmp_path, **load("drcd_char_f1").compute(predictions=["a"], references=["a"]))
    assert json.loads(path.read_text())["f1"] == 1.0


@pytest.mark.parametrize("module", MODULES)
def test_docstring_examples(module: str, load: LoadModule, monkeypatch: pytest.MonkeyPatch) -> None:
    import evaluate

    monkeypatch.chdir(ROOT)
    description = load(module).inputs_description
    examples = doctest.DocTestParser().get_doctest(description, {"evaluate": evaluate}, module, None, None)
    assert len(examples.examples) >= 4
    assert doctest.DocTestRunner().run(examples).failed == 0


# `evaluate` imports transformers where it is installed, which takes seconds and is of no use here.
WITHOUT_TRANSFORMERS = (
    "import sys; sys.modules['transformers'] = None; import evaluate; del sys.modules['transformers']\n"
)


def run_python(code: str, *arguments: str, cwd: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WITHOUT_TRANSFORMERS + textwrap.dedent(code), *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output_of(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=180)
    assert process.returncode == 0, errors
    return output


@pytest.mark.parametrize("module", MODULES)
def test_each_folder_loads_alone(module: str, load: LoadModule, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere" / module
    shutil.copytree(ROOT / "metrics" / module, folder, ignore=shutil.ignore_patterns("__pycache__"))
    config = MODULES[module][-1]
    code = f"""
        import evaluate
        print(evaluate.load({str(folder)!r}, {config!r}).compute(**{arguments(module, config)!r}))
    """
    printed = output_of(run_python(code, cwd=tmp_path, HF_HOME=str(tmp_path / "cache"), PYTHONPATH=""))
    assert printed.strip() == str(load(module, config).compute(**arguments(module, config)))


def test_three_processes_are_one(load: LoadModule, tmp_path: Path) -> None:
    columns = {name: values * 7 for name, values in arguments("orb_em_f1", "official").items()}
    code = f"""
        import sys
        import evaluate
        rank = int(sys.argv[1])
        metric = evaluate.load({str(ROOT / "metrics" / "orb_em_f1")!r}, "official", num_process=3, process_id=rank,
                               experiment_id="three", cache_dir=sys.argv[2])
        columns = {{name: values[rank::3] for name, values in {columns!r}.items()}}
        half = len(columns["predictions"]) // 2
        metric.add_batch(**{{name: values[:half] for name, values in columns.items()}})
        print(metric.compute(**{{name: values[half:] for name, values in columns.items()}}))
    """
    load("orb_em_f1", "official")  # so that the processes do not write the module at once
    processes = [run_python(code, str(rank), str(tmp_path), cwd=ROOT) for rank in range(3)]
    printed = [output_of(process).strip() for process in processes]
    assert printed[1:] == ["None", "None"]
    assert printed[0] == str(load("orb_em_f1", "official").compute(**columns))


def test_processes_that_share_a_cache_get_their_own_numbers(tmp_path: Path) -> None:
    code = f"""
        import sys
        import evaluate
        right = int(sys.argv[1])
        metric = evaluate.load({str(ROOT / "metrics" / "drcd_char_f1")!r}, cache_dir=sys.argv[2])
        for _ in range(5):
            for i in range(4):
                metric.add(prediction="a", reference="a" if i < right else "b")
            assert metric.compute() == {{"exact_match": right / 4, "f1": right / 4}}
        print(right)
    """
    processes = [run_python(code, str(right), str(tmp_path), cwd=ROOT) for right in range(4)]
    assert [output_of(process).strip() for process in processes] == ["0", "1", "2", "3"]
