"""`evaluate.load("someone/…")` over HTTP, in fresh processes with caches of their own, from a Hub of our own."""

import json
import shutil
import subprocess
import sys
import venv
from importlib import import_module
from pathlib import Path

import evaluate
import pytest
from huggingface_hub import HfApi

from metrics.shared.gold_files import read_gold
from metrics.shared.prediction_files import read_predictions
from scripts.push_to_hub import METRICS, Publication, create_repositories, metric_names, push
from tests.hub_clients import LIGHT_EVALUATE, NAMESPACE, TOKEN, run_client, tiny_metric
from tests.hub_stand_in import HubStandIn

NO_HUB = "http://127.0.0.1:9"
BENCHMARKS = {"orb_em_f1": "orb", "drcd_char_f1": "drcd", "beerqa_em_f1": "beerqa"}
TINY_SCORE = (
    LIGHT_EVALUATE
    + """
def score(revision=None):
    metric = evaluate.load("someone/tiny", revision=revision)
    return metric.compute(predictions=["a", "b"], references=["a", "b"])["right"]
print(json.dumps([score(revision or None) for revision in sys.argv[1:]]))
"""
)
ALL_SCORES = (
    LIGHT_EVALUATE
    + """
asked = json.load(open(sys.argv[1]))
print(json.dumps([evaluate.load(name, config).compute(**rows) for name, config, rows in asked]))
"""
)


def publish(hub: HubStandIn, folder: Path, tag: str) -> None:
    """Push a metric folder without the checks, which have tests of their own."""
    api = HfApi(endpoint=hub.url, token=TOKEN)
    publication = Publication(folder, f"{NAMESPACE}/{folder.name}", "space")
    create_repositories(api, [publication], private=False)
    push(api, publication, "main", tag)


def configs(name: str) -> list[str]:
    """List a metric's configs."""
    return list(import_module(f"metrics.{name}.protocols").PROTOCOLS)


def sample_rows(name: str) -> dict[str, list]:
    """Read the sample that a metric folder ships with as `compute` takes it."""
    benchmark = BENCHMARKS[name]
    (gold,) = (METRICS / name / "sample").glob("gold*")
    (predicted,) = (METRICS / name / "sample").glob("predictions*")
    questions = list(read_gold(benchmark, gold))
    predictions = read_predictions(predicted, benchmark)
    # NarrativeQA's need WordNet, which is not what is tested here.
    answered = [each for each in questions if each.id in predictions and each.dataset != "narrativeqa"]
    assert len(answered) >= 20
    return {
        "predictions": [predictions[question.id] for question in answered],
        "references": [question.references for question in answered],
        "datasets": [question.dataset for question in answered],
    }


def test_all_three_from_the_hub_score_as_from_their_folders(tmp_path):
    assert set(metric_names()) == set(BENCHMARKS)
    asked = []
    for name in metric_names():
        rows = sample_rows(name)
        asked += [(name, config, rows) for config in configs(name)]
    expected = [evaluate.load(str(METRICS / name), config).compute(**rows) for name, config, rows in asked]
    file = tmp_path / "asked.json"
    file.write_text(json.dumps([(f"{NAMESPACE}/{name}", config, rows) for name, config, rows in asked]))
    with HubStandIn(tmp_path / "hub", {TOKEN: [NAMESPACE]}) as hub:
        for name in metric_names():
            publish(hub, METRICS / name, "v1.0.0")
        scored = run_client(ALL_SCORES, hub.url, tmp_path / "home", str(file))
    assert scored == expected
    assert all(0 < scores["f1"] < 1 for scores in expected), "a sample is right in part"


def test_second_push_older_revision_and_a_hub_that_is_down(tmp_path):
    folder = tiny_metric(tmp_path)
    home = tmp_path / "home"
    with HubStandIn(tmp_path / "hub", {TOKEN: [NAMESPACE]}) as hub:
        publish(hub, folder, "v1.0.0")
        assert run_client(TINY_SCORE, hub.url, home, "") == [1.0]
        first = hub.repositories.all["spaces", "someone/tiny"].branches["main"]

        (folder / "tiny_factor.py").write_text("FACTOR = 0.5\n")
        publish(hub, folder, "v1.1.0")
        # The same caches, so that the older files are there to be mistaken for the newer ones.
        scores = run_client(TINY_SCORE, hub.url, home, "", "v1.0.0", "1.0.0", first, "v1.1.0", "main")
        assert scores == [0.5, 1.0, 1.0, 1.0, 0.5, 0.5]
    assert run_client(TINY_SCORE, hub.url, home, "") == [0.5], "from the cache: the Hub is down"
    with pytest.raises(RuntimeError, match="^FileNotFoundError: Couldn't find a module script .*someone/tiny"):
        run_client(TINY_SCORE, hub.url, tmp_path / "cold", "")


def test_private_metric_loads_with_its_owners_token(tmp_path):
    folder = tiny_metric(tmp_path)
    with HubStandIn(tmp_path / "hub", {TOKEN: [NAMESPACE]}) as hub:
        api = HfApi(endpoint=hub.url, token=TOKEN)
        create_repositories(api, [Publication(folder, "someone/tiny", "space")], private=True)
        publish(hub, folder, "v1.0.0")
        assert run_client(TINY_SCORE, hub.url, tmp_path / "owner", "", token=TOKEN) == [1.0]


@pytest.mark.slow_install
def test_requirements_of_the_folders_are_enough(tmp_path):
    """An environment with nothing but what the three files ask for runs the three modules and imports their apps."""
    venv.create(tmp_path / "environment")
    python = str(tmp_path / "environment" / "bin" / "python")
    wanted = [part for name in metric_names() for part in ("-r", str(METRICS / name / "requirements.txt"))]
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile"]
    subprocess.run([*pip, *wanted], check=True)
    for name in metric_names():
        folder = shutil.copytree(METRICS / name, tmp_path / "alone" / name)
        (tmp_path / "rows.json").write_text(json.dumps(sample_rows(name)))
        code = f"""
import app, evaluate, json
rows = json.load(open({str(tmp_path / "rows.json")!r}))
print(evaluate.load({str(folder)!r}).compute(**rows)["f1"])
"""
        f1 = run_client(code, NO_HUB, tmp_path / "home", python=python, directory=folder)
        assert isinstance(f1, float) and 0 < f1 < 1
