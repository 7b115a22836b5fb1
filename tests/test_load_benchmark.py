"""The loader: sources, splits, checks, cache, Parquet with its card, and the command."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys
import warnings
from ast import literal_eval
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner
from datasets import Dataset, DatasetDict, concatenate_datasets, load_dataset
from huggingface_hub import DatasetCard, HfApi

from metrics.shared.gold_files import read_gold
from metrics.shared.question import COLUMNS
from scripts.benchmark_sources import SOURCES, SourceFile
from scripts.dataset_card import write_folder
from scripts.hub_sources import HUB_SOURCES
from scripts.load_benchmark import load_benchmark, main
from tests.hub_clients import TOKEN, client_environment
from tests.hub_stand_in import HubStandIn
from tests.hub_tables import ROWS, table

ROOT = Path(__file__).resolve().parents[1]
CONTEXT = "臺北市位於臺灣北部。"


def drcd_content(*ids: str, start: int = 5) -> bytes:
    qas = [
        {"id": id_, "question": "在哪？", "answers": [{"id": "1", "text": "臺灣北部", "answer_start": start}]}
        for id_ in ids
    ]
    paragraphs = [{"id": "1", "context": CONTEXT, "qas": qas}]
    document = {"version": "1.3", "data": [{"title": "臺北", "id": "1", "paragraphs": paragraphs}]}
    return json.dumps(document, ensure_ascii=False).encode()


BEERQA = {
    "id": "b1",
    "src": "squad",
    "question": "Who?",
    "answers": ["Ann"],
    "context": [["Ann", "Ann sang."], ["Bo", "Bo ran."]],
}
BEERQA_TEST = {"id": "b2", "src": "three-hop", "question": "Who?"}
ORB = {
    "context": "Ann met Bo.",
    "qa_pairs": [
        {"question": "Who?", "answers": [["Ann"], ["she"]], "dataset": "squad1", "qid": "o1"},
        {"question": "Who?", "answers": [[["Ann", "Bo"]], ["Bo"]], "dataset": "DROP", "qid": "o2"},
    ],
}


@pytest.fixture
def gold(tmp_path) -> Path:
    """A folder with a small file of each benchmark."""
    folder = tmp_path / "gold"
    folder.mkdir()
    (folder / "DRCD_dev.json").write_bytes(drcd_content("d1", "d2"))
    (folder / "DRCD_training.json").write_bytes(drcd_content("t1"))
    (folder / "beerqa_dev_v1.0.json").write_text(json.dumps({"data": [BEERQA]}))
    (folder / "beerqa_test_questions_v1.0.json").write_text(json.dumps({"data": [BEERQA_TEST]}))
    (folder / "orb_dev.jsonl").write_text(json.dumps(ORB) + "\n")
    return folder


@pytest.fixture
def load(tmp_path):
    """The loader with a cache of its own, and without warnings of sizes."""

    def load_quietly(name, **options):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*published are")
            return load_benchmark(name, cache_dir=tmp_path / "cache", **options)

    return load_quietly


class Site(ThreadingHTTPServer):
    """An authors' site: serves a folder, and remembers what was asked."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        assert isinstance(self.server, Site)
        self.server.asked.append(self.requestline)


@pytest.fixture
def site(gold, monkeypatch):
    """The authors' sites, played by a server on this machine."""
    server = Site(gold)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    for benchmark in ("drcd", "beerqa"):
        for split, file in SOURCES[benchmark].files.items():
            name = file.url.rpartition("/")[2]
            sizes = {"DRCD_dev.json": 2}.get(name, 1)
            monkeypatch.setitem(SOURCES[benchmark].files, split, SourceFile(f"{server.url}/{name}", sizes))
    yield server
    server.shutdown()
    server.server_close()


# The authors' files


def test_authors_file_is_downloaded_once(site, load):
    first = load("drcd", split="dev")
    assert isinstance(first, Dataset)
    assert first["id"][:] == ["d1", "d2"]
    assert str(first.split) == "validation"
    assert [line for line in site.asked if line.startswith("GET")] == ["GET /DRCD_dev.json HTTP/1.1"]
    site.asked.clear()
    assert load("drcd", split="validation")[:] == first[:]
    assert site.asked == []


def test_all_splits(site, gold, load):
    (gold / "DRCD_test.json").write_bytes(drcd_content("s1"))
    splits = load("drcd")
    assert isinstance(splits, DatasetDict)
    assert {split: dataset["id"][:] for split, dataset in splits.items()} == {
        "train": ["t1"],
        "validation": ["d1", "d2"],
        "test": ["s1"],
    }


def test_checksum_of_a_download(site, gold, load, monkeypatch):
    sha256 = hashlib.sha256((gold / "DRCD_dev.json").read_bytes()).hexdigest()
    file = SourceFile(f"{site.url}/DRCD_dev.json", 2, sha256=sha256)
    monkeypatch.setitem(SOURCES["drcd"].files, "validation", file)
    assert len(load("drcd", split="dev")) == 2
    wrong = SourceFile(file.url, 2, sha256="0" * 64)
    monkeypatch.setitem(SOURCES["drcd"].files, "validation", wrong)
    with pytest.raises(ValueError, match=rf"its SHA-256 is {sha256}, published is {'0' * 64} \(downloaded from http"):
        load("drcd", split="dev")


def test_damaged_download_says_where_it_came_from(site, gold, load):
    (gold / "DRCD_dev.json").write_bytes(drcd_content("d1")[:200])
    message = r"truncated or not JSON.*\(downloaded from http://127.0.0.1:\d+/DRCD_dev.json; delete that file"
    with pytest.raises(ValueError, match=message):
        load("drcd", split="dev")


def test_without_network_the_error_says_what_to_do_and_that_works(site, gold, load, tmp_path, monkeypatch):
    site.shutdown()
    site.server_close()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConnectionError) as error:
        load("drcd", split="dev")
    message = str(error.value)
    assert message.startswith(f"cannot download {site.url}/DRCD_dev.json: ")
    assert f"Bring that file to {tmp_path / 'DRCD_dev.json'} by other means" in message
    assert "--data-files validation=DRCD_dev.json" in message
    shutil.copy(gold / "DRCD_dev.json", tmp_path)
    (advice,) = re.findall(r"pass data_files=(\{.*?\})", message)
    assert len(load("drcd", split="dev", data_files=literal_eval(advice))) == 2


def test_file_that_the_site_lacks(site, load):
    with pytest.raises(ConnectionError, match=r"cannot download http.*/DRCD_test.json: .*404"):
        load("drcd", split="test")


def test_published_addresses_sizes_and_checksums():
    drcd, beerqa = SOURCES["drcd"].files, SOURCES["beerqa"].files
    base = "https://raw.githubusercontent.com/DRCKnowledgeTeam/DRCD/master/DRCD_"
    assert [file.url for file in drcd.values()] == [f"{base}{name}.json" for name in ("training", "dev", "test")]
    assert [file.questions for file in drcd.values()] == [26_936, 3_524, 3_493]
    assert [file.questions for file in beerqa.values()] == [134_043, 14_121, 14_932]
    for split in ("train", "validation"):
        assert sum(beerqa[split].datasets.values()) == beerqa[split].questions
    assert sum(beerqa["test"].datasets.values()) + 530 == beerqa["test"].questions


# Local files


@pytest.mark.parametrize(
    "wrap", [str, Path, lambda path: [path], lambda path: {"dev": path}, lambda path: {"validation": [path]}]
)
def test_data_files_in_every_form(gold, load, wrap):
    data_files = wrap(gold / "DRCD_dev.json")
    assert load("drcd", data_files=data_files)["validation"]["id"][:] == ["d1", "d2"]
    assert load("drcd", split="validation", data_files=data_files)["id"][:] == ["d1", "d2"]


def test_files_find_their_splits_by_name(gold, load):
    splits = load("drcd", data_files=[gold / "DRCD_training.json", gold / "DRCD_dev.json"])
    assert {split: len(dataset) for split, dataset in splits.items()} == {"train": 1, "validation": 2}


def test_several_files_make_one_split(gold, load):
    files = [gold / "DRCD_training.json", gold / "DRCD_dev.json"]
    assert load("drcd", split="train", data_files=files)["id"][:] == ["t1", "d1", "d2"]
    with pytest.raises(ValueError, match=r"DRCD_dev.json: question 'd1': this id occurs in an earlier file too"):
        load("drcd", split="train", data_files=[files[1], files[1]])


def test_name_that_tells_no_split_is_train_with_a_warning(gold, load):
    (gold / "DRCD_dev.json").rename(gold / "mine.json")
    with pytest.warns(UserWarning, match=r"mine.json: no split was named, so it is called train; name it with split="):
        assert list(load("drcd", data_files=gold / "mine.json")) == ["train"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"split": "eval", "data_files": "x"}, r"unknown split 'eval'; known are train, validation, test and dev"),
        ({"data_files": {"eval": "x"}}, r"unknown split 'eval'"),
        ({"data_files": {"dev": "x", "validation": "y"}}, r"data_files names the split 'validation' twice"),
        ({"split": "test", "data_files": {"dev": "x"}}, r"data_files has no split 'test', only validation"),
        ({"data_files": []}, r"data_files names no file"),
        ({"source": "authors"}, r"source must be 'hub' or None, found 'authors'"),
        ({"source": "hub"}, r"source='hub' goes with orb and its datasets"),
    ],
)
def test_unknown_arguments(load, arguments, message):
    with pytest.raises(ValueError, match=message):
        load("drcd", **arguments)


def test_orb_has_no_authors_file(load):
    with pytest.raises(
        ValueError, match=r"on request at https://leaderboard.allenai.org/orb; .*--data-files.*--source"
    ):
        load("orb")
    with pytest.raises(ValueError, match=r"orb has no test split on the Hub"):
        load("orb", split="test", source="hub")
    with pytest.raises(ValueError, match=r"orb/drop_syn is not on the Hub, only squad1, "):
        load("orb/drop_syn", source="hub")


def test_test_split_without_answers(gold, load):
    file = gold / "beerqa_test_questions_v1.0.json"
    dataset = load("beerqa", data_files=file)["test"]
    assert dataset[0] == {
        "id": "b2",
        "dataset": "three-hop",
        "title": "",
        "question": "Who?",
        "context": "",
        "paragraphs": [],
        "answers": {"text": [], "answer_start": []},
        "references": [],
    }
    with pytest.raises(ValueError, match=r"question 'b2': key 'answers' is missing or empty, which only a test split"):
        load("beerqa", split="validation", data_files=file)


def test_columns_are_the_same_for_all_three(gold, load):
    loaded = {
        "drcd": load("drcd", split="dev", data_files=gold / "DRCD_dev.json"),
        "beerqa": load("beerqa", split="dev", data_files=gold / "beerqa_dev_v1.0.json"),
        "orb": load("orb", split="dev", data_files=gold / "orb_dev.jsonl"),
    }
    assert tuple(loaded["drcd"].features) == COLUMNS
    assert loaded["drcd"].features == loaded["beerqa"].features == loaded["orb"].features
    together = concatenate_datasets(list(loaded.values()))
    assert together["dataset"][:] == ["drcd", "drcd", "squad", "squad1", "drop"]
    assert together["references"][:] == [["臺灣北部"], ["臺灣北部"], ["Ann"], ["Ann", "she"], [["Ann", "Bo"], "Bo"]]
    assert together[3]["answers"] == {"text": ["Ann", "she"], "answer_start": [0, -1]}
    assert together[2]["context"] == "Ann sang.\nBo ran."


def test_one_dataset_of_orb(gold, load):
    assert load("orb/drop", split="dev", data_files=gold / "orb_dev.jsonl")["id"][:] == ["o2"]
    with pytest.raises(ValueError, match=r"orb_dev.jsonl: holds no questions of ropes"):
        load("orb/ropes", split="dev", data_files=gold / "orb_dev.jsonl")


@pytest.mark.parametrize(
    ("module", "benchmark", "file", "perfect"),
    [
        ("drcd_char_f1", "drcd", "DRCD_dev.json", ["臺灣北部", "臺灣北部"]),
        ("beerqa_em_f1", "beerqa", "beerqa_dev_v1.0.json", ["Ann"]),
        ("orb_em_f1", "orb", "orb_dev.jsonl", ["she", ["Bo", "Ann"]]),
    ],
)
def test_columns_go_into_the_official_config(gold, load, module, benchmark, file, perfect):
    evaluate = pytest.importorskip("evaluate")
    dataset = load(benchmark, split="dev", data_files=gold / file)
    metric = evaluate.load(str(ROOT / "metrics" / module), "official")
    columns = {"references": dataset["references"]}
    if benchmark != "drcd":
        columns["datasets"] = dataset["dataset"]
    scores = metric.compute(predictions=perfect, **columns)
    assert (scores["exact_match"], scores["f1"]) == (1.0, 1.0)


# Checks, and what is said of them


def test_sizes_that_are_not_as_published(gold, tmp_path):
    message = r"beerqa validation: 1 questions, published are 14,121; 1 questions of squad, published are 8,132; 0 ques"
    for _ in range(2):  # also when the questions come from the cache
        with pytest.warns(UserWarning, match=message):
            load_benchmark("beerqa", "dev", gold / "beerqa_dev_v1.0.json", cache_dir=tmp_path / "cache")


def test_local_file_of_the_right_size_with_another_checksum(gold, tmp_path, monkeypatch):
    monkeypatch.setitem(SOURCES["drcd"].files, "validation", SourceFile("http://x/y", 2, sha256="0" * 64))
    with pytest.warns(UserWarning, match=rf"drcd validation: SHA-256 is [0-9a-f]{{64}}, published is {'0' * 64}"):
        load_benchmark("drcd", "dev", gold / "DRCD_dev.json", cache_dir=tmp_path / "cache")


@pytest.mark.filterwarnings("ignore:.*published are")
def test_repaired_starts_are_counted_whether_from_the_file_or_from_the_cache(gold, tmp_path):
    path = gold / "DRCD_dev.json"
    path.write_bytes(drcd_content("d1", "d2", start=0))
    cache = tmp_path / "cache"
    for left in ("everything", "everything", "no counts"):
        if left == "no counts":
            shutil.rmtree(cache / "reading_reports")
        with pytest.warns(UserWarning, match=r"drcd validation: 2 questions; 2 repaired answer_start"):
            dataset = load_benchmark("drcd", "dev", path, cache_dir=cache)
        assert dataset["answers"][0] == {"text": ["臺灣北部"], "answer_start": [5]}
    assert dataset.info.description.startswith("drcd validation: 2 questions; 2 repaired")


def test_changed_file_is_read_again(gold, load):
    path = gold / "DRCD_dev.json"
    assert len(load("drcd", split="dev", data_files=path)) == 2
    path.write_bytes(drcd_content("d1", "d3"))
    assert load("drcd", split="dev", data_files=path)["id"][:] == ["d1", "d3"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (drcd_content("d1", "d1"), r"DRCD_dev.json: question 'd1': this id occurs twice"),
        (drcd_content("d1")[:150], r"DRCD_dev.json: truncated or not JSON"),
        (drcd_content("d1").replace(b'"title"', b'"name"'), r"DRCD_dev.json: data\[0\]: key 'title' is missing"),
        (json.dumps(ORB).encode(), r"DRCD_dev.json: this is a file in ORB's format, not in DRCD's"),
        (gzip.compress(drcd_content("d1"))[:-20], r"DRCD_dev.json: truncated or damaged gzip data"),
    ],
)
def test_flaws_of_a_file_come_through_as_they_are(gold, load, content, message):
    (gold / "DRCD_dev.json").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        load("drcd", split="dev", data_files=gold / "DRCD_dev.json")


def test_real_drcd(shared, tmp_path):
    files = {split: shared / f"data/DRCD_{split}.json" for split in ("dev", "test")}
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        splits = load_benchmark("drcd", data_files=files, cache_dir=tmp_path / "cache")
    assert {split: len(dataset) for split, dataset in splits.items()} == {"validation": 3_524, "test": 3_493}
    rows = splits["test"].to_list()
    assert rows == [question.columns() for question in read_gold("drcd", files["test"])]


# Parquet and card


def test_folder_loads_as_it_is(gold, load, tmp_path):
    files = {"dev": gold / "beerqa_dev_v1.0.json", "test": gold / "beerqa_test_questions_v1.0.json"}
    splits = load("beerqa", data_files=files)
    folder = tmp_path / "folder"
    write_folder(splits, "beerqa", folder)
    again = load_dataset(str(folder), cache_dir=str(tmp_path / "other"))
    assert list(again) == ["validation", "test"]
    for split, dataset in splits.items():
        assert again[split].to_list() == dataset.to_list()
        assert again[split].features == dataset.features
    for split in splits:
        from_parquet = [question.columns() for question in read_gold("beerqa", folder / f"{split}.parquet")]
        assert from_parquet == splits[split].to_list()


def test_orb_answers_of_several_spans_survive_parquet(gold, load, tmp_path):
    splits = load("orb", data_files={"dev": gold / "orb_dev.jsonl"})
    write_folder(splits, "orb", tmp_path / "folder")
    again = load_dataset(str(tmp_path / "folder"), split="validation", cache_dir=str(tmp_path / "other"))
    assert again["references"][:] == [["Ann", "she"], [["Ann", "Bo"], "Bo"]]
    questions = read_gold("orb/drop", tmp_path / "folder" / "validation.parquet")
    assert [question.references for question in questions] == [[["Ann", "Bo"], "Bo"]]


@pytest.mark.parametrize(
    ("name", "file", "licence", "language", "title"),
    [
        ("drcd", "DRCD_dev.json", "cc-by-sa-3.0", "zh", "DRCD"),
        ("beerqa", "beerqa_dev_v1.0.json", "cc-by-sa-4.0", "en", "BeerQA"),
        ("orb/drop", "orb_dev.jsonl", "other", "en", "ORB (drop)"),
    ],
)
def test_card(gold, load, tmp_path, name, file, licence, language, title):
    splits = load(name, data_files=gold / file)
    write_folder(splits, name, tmp_path / "folder")
    card = DatasetCard.load(tmp_path / "folder" / "README.md")
    data = card.data.to_dict()
    assert (data["license"], data["language"], data["pretty_name"]) == (licence, [language], title)
    files = [{"split": "validation", "path": "validation.parquet"}]
    assert data["configs"] == [{"config_name": "default", "data_files": files}]
    assert [feature["name"] for feature in data["dataset_info"]["features"]] == list(COLUMNS)
    assert data["dataset_info"]["splits"][0]["num_examples"] == len(splits["validation"])
    assert data["citation"].startswith("@misc{")
    assert data["citation"] in card.text
    assert splits["validation"].info.description in card.text


# The command


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def test_command_writes_a_folder(gold, tmp_path):
    folder = tmp_path / "folder"
    common = ("--cache-dir", tmp_path / "cache", "--output", folder)
    code, out, err = run("beerqa", "--data-files", f"dev={gold / 'beerqa_dev_v1.0.json'}", *common)
    assert code == 0
    assert re.search(r"validation\W+squad\W+1\W+0\W", out)
    assert "beerqa validation: 1 questions\n" in out
    assert err.startswith("warning: beerqa validation: 1 questions, published are 14,121")
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "validation.parquet"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["squad"], "error: unknown benchmark 'squad'"),
        (["orb"], "error: orb: its development file is given on request"),
        (
            ["drcd", "--data-files", "nowhere_dev.json"],
            "error: [Errno 2] No such file or directory: 'nowhere",
        ),
        (["drcd", "--data-files", "eval=x.json"], "error: unknown split 'eval'"),
        (["drcd", "--data-files", "dev=x.json", "--data-files", "y.json"], "error: name the split of every file, or"),
        (["drcd", "--split", "eval"], "error: unknown split 'eval'"),
    ],
)
def test_command_refuses_in_one_line(tmp_path, arguments, message):
    code, out, err = run(*arguments, "--cache-dir", tmp_path)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert err.count("\n") == 1


def test_command_takes_a_file_whose_name_has_an_equals_sign(gold, tmp_path):
    file = (gold / "DRCD_dev.json").rename(gold / "dev=1.json")
    code, out, _ = run("drcd", "--split", "dev", "--data-files", file, "--cache-dir", tmp_path / "cache")
    assert (code, "2 questions" in out) == (0, True)


def fill_hub(hub: HubStandIn, folder: Path) -> None:
    """Put the small tables into the repositories of ORB's source datasets."""
    api = HfApi(endpoint=hub.url, token=TOKEN)
    for dataset, config in ROWS:
        repository = HUB_SOURCES[dataset].hub_id
        api.create_repo(repository, repo_type="dataset", exist_ok=True)
        file = folder / "table.parquet"
        table(dataset, config).to_parquet(file)
        place = f"{config or 'data'}/validation-00000-of-00001.parquet"
        api.upload_file(path_or_fileobj=file, path_in_repo=place, repo_id=repository, repo_type="dataset")
    duorc = HUB_SOURCES["duorc"]
    places = {name: [{"split": "validation", "path": f"{name}/validation-*"}] for name in duorc.configs}
    configs = [{"config_name": name, "data_files": files} for name, files in places.items()]
    card = f"---\nconfigs: {json.dumps(configs)}\n---\n".encode()
    api.upload_file(path_or_fileobj=card, path_in_repo="README.md", repo_id=duorc.hub_id, repo_type="dataset")


def test_orb_from_the_hub_and_back_to_it(tmp_path, monkeypatch):
    """The real clients, in a fresh process, against a Hub of our own."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    owners = {source.hub_id.split("/")[0] for source in HUB_SOURCES.values()}
    with HubStandIn(tmp_path / "hub", {TOKEN: ["someone", *owners]}) as hub:
        fill_hub(hub, tmp_path)
        script = ROOT / "scripts" / "load_benchmark.py"
        asked = ["orb", "--source", "hub", "--split", "validation", "--push-to-hub", "someone/orb", "--private"]
        environment = client_environment(hub.url, tmp_path / "home", TOKEN) | {"HF_HUB_DISABLE_XET": "1"}
        done = subprocess.run(
            [sys.executable, script, *asked], env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        assert "this is not the sample that ORB's leaderboard uses" in done.stderr
        assert "15 questions; 1 repaired answer_start" in done.stdout
        assert "2 ids that two datasets share" in done.stdout
        assert f"pushed to {hub.url}/datasets/someone/orb" in done.stdout
        api = HfApi(endpoint=hub.url, token=TOKEN)
        pushed = api.snapshot_download("someone/orb", repo_type="dataset", local_dir=tmp_path / "pushed")
    questions = {question.id: question for question in read_gold("orb", Path(pushed) / "validation.parquet")}
    assert len(questions) == 15
    assert questions["ac6b"].references == [["Ann", "Bo"]]
    assert questions["squad2:56be"].references == ["twice"]
    assert load_dataset(pushed, split="validation", cache_dir=str(tmp_path / "other")).num_rows == 15
