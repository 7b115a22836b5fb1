"""What the demos do with typed pairs and uploaded files, without a browser."""

import gzip
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metrics.beerqa_em_f1 import space_scoring
from metrics.beerqa_em_f1.space_board import board_tables
from metrics.beerqa_em_f1.space_cards import cards, message
from metrics.beerqa_em_f1.space_charts import charts
from metrics.beerqa_em_f1.space_content import SPACE as BEERQA
from metrics.beerqa_em_f1.space_pair import MOST_ANSWERS, checked_sides, pair_scores, typed_answers
from metrics.drcd_char_f1.space_content import SPACE as DRCD
from metrics.drcd_char_f1.space_pair import checked_sides as drcd_checked_sides
from metrics.drcd_char_f1.space_pair import pair_scores as drcd_pair_scores
from metrics.orb_em_f1.space_content import SPACE as ORB
from metrics.orb_em_f1.space_pair import checked_sides as orb_checked_sides
from tests.space_browser import ROOT, on_fork, variables

SAMPLE = ROOT / "metrics" / "beerqa_em_f1" / "sample"


def scored(predictions: Path | None, gold: Path | None, content=BEERQA, **options):
    chosen: dict[str, Any] = {"id_column": "", "prediction_column": "", "allow_missing": False, **options}
    chosen |= {"predictions": predictions and str(predictions), "gold": gold and str(gold)}
    return space_scoring.scored_upload(content, **chosen, progress=lambda items, heading: items)


# Pairs.


def test_answers_stand_one_a_line():
    assert typed_answers("a\n\n  \n b") == ["a", " b"]
    assert typed_answers(" \n") == [""]
    assert typed_answers("a\u2028b\x0bc") == ["a\u2028b\x0bc"]


def test_spans_stand_between_bars_where_a_dataset_has_several():
    assert checked_sides(BEERQA, "a | b", ["c | d"], None) == ("a | b", ["c | d"])
    assert orb_checked_sides(ORB, "a | b", ["c | d", "e"], "drop") == (["a", "b"], [["c", "d"], "e"])
    assert orb_checked_sides(ORB, "a | b", ["c | d"], "squad1") == ("a | b", ["c | d"])


@pytest.mark.parametrize(
    ("prediction", "answers", "dataset", "expected"),
    [
        ("x" * 1001, ["a"], "drop", "the prediction: 1,001 characters"),
        ("x", ["a" * 2001] * 2, "drop", "the acceptable answers: 4,002 characters"),
        ("x", ["a"] * (MOST_ANSWERS + 1), "drop", f"a list of {MOST_ANSWERS + 1}, expected 1 to {MOST_ANSWERS}"),
        ("x", [], "drop", "the acceptable answers: a list of 0"),
        ("x", "a", "drop", "the acceptable answers: the string 'a'"),
        ("x", [None], "drop", "the acceptable answers is None"),
        (None, ["a"], "drop", "the prediction is None"),
        ("\ud800", ["a"], "drop", "the prediction holds a lone surrogate"),
        ("x", ["a"], "<b>", "the dataset is '<b>': expected one of narrativeqa"),
        ("x", ["a"], None, "the dataset is None"),
    ],
)
def test_what_cannot_be_scored_is_named(prediction, answers, dataset, expected):
    with pytest.raises(ValueError, match=expected):
        orb_checked_sides(ORB, prediction, answers, dataset)


def test_each_protocol_shows_the_answer_that_is_closest_for_it():
    default, official = pair_scores(BEERQA, "the cat", ["the dog", "cat"], None)
    assert (default.closest, official.closest) == (1, 1)
    default, official = pair_scores(BEERQA, "", ["a", ""], None)
    assert math.isnan(default.figures["f1"]) and official.figures["em"] == 0


def test_figures_are_those_of_the_protocol():
    for example in DRCD.examples:
        side, answers = drcd_checked_sides(DRCD, example.prediction, typed_answers(example.answers), None)
        for score in drcd_pair_scores(DRCD, side, answers, None):
            columns = score.protocol.score([side], [answers])
            assert score.figures == {figure: values[0] for figure, values in columns.items()}


def test_a_missing_package_is_said_on_the_card():
    def missing(*_):
        raise ImportError("nltk is needed <here>")

    official = replace(BEERQA.protocols["official"], score=missing)
    content = replace(BEERQA, protocols={**BEERQA.protocols, "official": official})
    scores = pair_scores(content, "x", ["x"], None)
    assert scores[0].figures["f1"] == 1 and scores[1].missing == "nltk is needed <here>"
    assert "nltk is needed &lt;here&gt;" in cards(content, scores, 1)


def test_user_text_cannot_inject_markup():
    text = "<script>alert(1)</script>\"'&"
    shown = cards(BEERQA, pair_scores(BEERQA, text, [text, "</p>"], None), 2)
    assert "<script" not in shown and "&lt;script" in shown
    assert "<script" not in message(text)


# Files.


def test_the_samples_are_scored():
    board = scored(SAMPLE / "predictions.json", SAMPLE / "gold.json", id_column=None, prediction_column=None)
    assert board.protocols["official"].aggregate["em"] == 0.5
    assert str(board.gold_path) == "gold.json"
    shown = board_tables(board)
    assert shown.count("<table") == 2 and 'data-row="overall"' in shown
    assert charts(board).count("<svg") == 3


def bad_files(folder: Path) -> dict[str, tuple[Path | None, Path | None]]:
    """(predictions, gold) by what the message must hold."""
    predictions, gold = SAMPLE / "predictions.json", SAMPLE / "gold.json"
    empty, cut, binary, torn = (folder / name for name in ("empty.json", "cut.json", "noise.bin", "torn.json.gz"))
    empty.write_bytes(b"")
    cut.write_text('{"a": "b', encoding="utf-8")
    binary.write_bytes(bytes(range(256)))
    torn.write_bytes(gzip.compress(gold.read_bytes())[:200])
    parquet = folder / "torn.parquet"
    parquet.write_bytes(b"PAR1 and no more")
    return {
        "Predictions: no file yet": (None, gold),
        "Gold answers: no file yet": (predictions, None),
        "empty.json: the file is empty": (empty, gold),
        "cut.json: truncated JSON": (cut, gold),
        "noise.bin: ": (binary, gold),
        "torn.json.gz: truncated or damaged gzip": (predictions, torn),
        "torn.parquet: truncated or damaged Parquet": (parquet, gold),
        "gold.json: found a list under 'data'": (gold, gold),
        "predictions.json: ": (predictions, predictions),
        "this is a file in DRCD's format": (predictions, ROOT / "metrics" / "drcd_char_f1" / "sample" / "gold.json"),
        "no prediction is for any of the questions": (
            ROOT / "metrics" / "drcd_char_f1" / "sample" / "predictions.json",
            gold,
        ),
    }


def test_bad_files_get_a_message_without_paths_of_the_server(tmp_path):
    for expected, files in bad_files(tmp_path).items():
        with pytest.raises(ValueError) as caught:
            scored(*files)
        assert expected in str(caught.value)
        assert str(tmp_path) not in str(caught.value) and str(ROOT) not in str(caught.value)


def test_limits_are_enforced(tmp_path, monkeypatch):
    predictions, gold = SAMPLE / "predictions.json", SAMPLE / "gold.json"
    monkeypatch.setattr(space_scoring, "MOST_QUESTIONS", 35)
    with pytest.raises(ValueError, match="over 35 questions"):
        scored(predictions, gold)
    monkeypatch.setattr(space_scoring, "MOST_QUESTIONS", 36)
    assert len(scored(predictions, gold).questions) == 36
    large, bomb = tmp_path / "large.json", tmp_path / "bomb.json.gz"
    with large.open("wb") as file:
        file.truncate(space_scoring.LARGEST_UPLOAD + 1)
    with pytest.raises(ValueError, match="large.json: 20,971,521 bytes, expected at most 20 MB"):
        scored(large, gold)
    monkeypatch.setattr(space_scoring, "LARGEST_CONTENT", 2**20)
    bomb.write_bytes(gzip.compress(b" " * 2**22))
    with pytest.raises(ValueError, match="bomb.json.gz: decompressed, over 1 MB"):
        scored(bomb, gold)


def test_a_large_parquet_file_is_refused_by_its_content(tmp_path, monkeypatch):
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"id": [str(i) for i in range(50_000)], "prediction": [f"answer {i}" for i in range(50_000)]})
    pq.write_table(table, tmp_path / "large.parquet")
    monkeypatch.setattr(space_scoring, "LARGEST_CONTENT", 2**18)
    with pytest.raises(ValueError, match="large.parquet: decompressed"):
        scored(tmp_path / "large.parquet", SAMPLE / "gold.json")


def test_dataset_names_cannot_inject_markup_or_formulas(tmp_path):
    gold = json.loads((SAMPLE / "gold.json").read_text(encoding="utf-8"))
    for question in gold["data"]:
        question["src"] = question["src"].replace("squad", "<b>$x^2$</b>")
    changed = tmp_path / "gold.json"
    changed.write_text(json.dumps(gold), encoding="utf-8")
    board = scored(SAMPLE / "predictions.json", changed)
    shown = board_tables(board) + charts(board)
    assert "<b>" not in shown
    assert shown.count("&lt;b&gt;$x^2$&lt;/b&gt;") >= 4


def test_missing_predictions_are_counted_where_that_is_allowed(tmp_path):
    predictions = json.loads((SAMPLE / "predictions.json").read_text(encoding="utf-8"))["answer"]
    fewer = tmp_path / "fewer.json"
    fewer.write_text(json.dumps(dict(list(predictions.items())[1:])), encoding="utf-8")
    with pytest.raises(ValueError, match="fewer.json: 1 of 36 questions have no prediction"):
        scored(fewer, SAMPLE / "gold.json")
    board = scored(fewer, SAMPLE / "gold.json", allow_missing=True)
    assert "1 questions have no prediction: default counts them as 0" in board_tables(board)


def use_and_clean(work: Path) -> None:
    """Score uploads in a demo; then Gradio's cleaning, which runs every few minutes, must find every file."""
    import gradio_client
    from gradio.route_utils import delete_files_created_by_app

    from metrics.beerqa_em_f1.space_page import page_of

    demo = page_of(BEERQA)
    assert demo.delete_cache == (300, 1800)
    _, address, _ = demo.launch(prevent_thread_lock=True, quiet=True, ssr_mode=False)
    client = gradio_client.Client(address, verbose=False)
    uploads = [gradio_client.handle_file(SAMPLE / name) for name in ("predictions.json", "gold.json")]
    client.predict(*uploads, "", "", False, api_name="/score_file")

    def files() -> list[Path]:
        return [path for path in work.rglob("*") if path.is_file()]

    assert {"predictions.json", "gold.json"} <= {path.name for path in files()}
    delete_files_created_by_app(demo, age=None)
    assert not [path for path in files() if path.stat().st_size]  # Gradio leaves empty ones behind
    demo.close()


@pytest.mark.browser
def test_uploads_are_deleted(tmp_path):
    pytest.importorskip("gradio")
    assert on_fork(use_and_clean, tmp_path, environment={**variables(tmp_path), "TMPDIR": str(tmp_path)}) == 0


def test_a_file_that_is_gone_is_to_be_uploaded_again(tmp_path):
    with pytest.raises(ValueError, match="was.json: no longer here, upload it again"):
        scored(tmp_path / "was.json", SAMPLE / "gold.json")
