"""The demos in a real browser, as people use them, and through gradio_client, as programs do."""

import csv
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from metrics.beerqa_em_f1.space_content import SPACE as BEERQA
from metrics.drcd_char_f1.space_content import SPACE as DRCD
from metrics.orb_em_f1.space_content import SPACE as ORB
from tests.space_browser import CHROMIUM, FLAGS, ROOT, SECONDS, served

playwright = pytest.importorskip("playwright.sync_api")
gradio_client = pytest.importorskip("gradio_client")
expect = playwright.expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="needs Debian's chromium"),
]
SPACES: dict[str, Any] = {"orb_em_f1": ORB, "drcd_char_f1": DRCD, "beerqa_em_f1": BEERQA}
SIZES = {"wide": (1280, 900), "phone": (390, 844)}


@pytest.fixture(scope="module")
def addresses(tmp_path_factory) -> Iterator[dict[str, str]]:
    """All three demos, started at once."""
    from concurrent.futures import ThreadPoolExecutor
    from contextlib import ExitStack

    with ExitStack() as running, ThreadPoolExecutor() as pool:
        demos = [served(folder, tmp_path_factory.mktemp(folder)) for folder in SPACES]
        started = list(pool.map(running.enter_context, demos))
        yield dict(zip(SPACES, started, strict=True))


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        expect.set_options(timeout=SECONDS * 1000)
        with started.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as chromium:
            yield chromium


@pytest.fixture(scope="module")
def pages(addresses, browser):
    """Opens a demo in a session of its own, and notes what fails in the page and what it asks of other hosts."""
    problems: list[str] = []

    def note_request(request) -> None:
        if not re.match(r"(http://127\.0\.0\.1:\d+/|data:|blob:)", request.url):
            problems.append(f"asked for {request.url}")

    def open_page(folder: str, size: str = "wide", scheme: str = "light"):
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            permissions=["clipboard-read", "clipboard-write"],
        )
        page = context.new_page()
        page.set_default_timeout(SECONDS * 1000)
        page.on("request", note_request)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(addresses[folder], wait_until="domcontentloaded")
        expect(page.locator("section.protocol").first).to_be_visible()
        return page

    yield open_page
    assert not problems


@pytest.fixture(scope="module")
def opened(pages):
    """Opens a demo, or goes back to the first tab of the page that another test has opened."""
    known: dict[str, Any] = {}

    def go_to(folder: str):
        if folder not in known:
            known[folder] = pages(folder)
        page = known[folder]
        page.get_by_role("tab").first.click()
        return page

    return go_to


def typed(page, name: str):
    """The text box with a name, as a screen reader finds it."""
    return page.get_by_role("textbox", name=re.compile(f"^{name}"))


def expect_figures(page, protocol: str, expected: list[str]) -> None:
    expect(page.locator(f'section[data-protocol="{protocol}"] dd')).to_have_text(expected)


def upload(page, predictions: Path, gold: Path) -> None:
    for field, path in (("#predictions-file", predictions), ("#gold-file", gold)):
        page.locator(f"{field} input[type=file]").set_input_files(path)
        expect(page.locator(field).get_by_test_id("download-link")).to_have_attribute("download", path.name)


# Try it.


def test_a_pair_is_scored_as_it_is_typed(opened):
    page = opened("drcd_char_f1")
    typed(page, "Prediction 預測答案").fill("《臺北》市")
    typed(page, "Acceptable answers 標準答案").fill("高雄\n臺北市。")
    for protocol in DRCD.protocols:
        expect_figures(page, protocol, ["1.0000", "1.0000"])
    card = page.locator('section[data-protocol="default"]')
    assert card.locator("del").all_inner_texts() == ["《", "》", "。"]
    assert card.locator("mark").all_inner_texts() == ["臺北", "市", "臺北市"]
    expect(card).to_contain_text("Answer 標準答案 2 of 2")
    typed(page, "Prediction 預測答案").fill("臺中市")
    expect_figures(page, "default", ["0.0000", "0.6667"])


def test_user_text_is_shown_as_it_is(opened):
    page = opened("beerqa_em_f1")
    text = "<img src=x onerror=alert(1)> ${1+1} {{value}} & “q”"
    typed(page, "Prediction").fill(text)
    expect(page.locator('section[data-protocol="default"] .marked').first).to_have_text(text)
    assert page.locator("section.protocol img").count() == 0


@pytest.mark.parametrize("folder", SPACES)
def test_every_example_shows_its_lesson_and_scores(folder, opened):
    page, content = opened(folder), SPACES[folder]
    for example in [*content.examples[1:], content.examples[0]]:
        page.locator("#examples").get_by_role("button", name=example.name, exact=True).click()
        expect(page.locator("#lesson")).to_have_text(example.lesson)
        assert page.locator("#prediction textarea").input_value() == example.prediction
        marked = page.locator('section[data-protocol="default"] .marked').first
        expect(marked).to_have_text(example.prediction.replace(" | ", " ") or "(empty)")


def test_the_dataset_decides_the_official_rules(opened):
    page = opened("orb_em_f1")
    typed(page, "Prediction").fill("Ann | Bo")
    typed(page, "Acceptable answers").fill("Bo | Ann")
    expect_figures(page, "official", ["0.0000", "1.0000"])
    page.get_by_role("combobox", name="Dataset").click()
    page.get_by_role("option", name="quoref", exact=True).click()
    expect_figures(page, "official", ["1.0000", "1.0000"])
    expect(page.locator('section[data-protocol="official"] .between-spans')).to_have_count(2)


def test_too_long_a_text_gets_a_message(addresses):
    client = gradio_client.Client(addresses["drcd_char_f1"], verbose=False)
    with pytest.raises(Exception, match="1,001 characters, expected at most 1,000"):
        client.predict("x" * 1001, ["x"], api_name="/score")


# Score a file.


def scored_sample(page):
    page.get_by_role("tab").nth(1).click()
    page.locator("#use-sample").click()
    expect(page.locator("#drawn svg")).to_have_count(3)
    return page


def test_the_sample_is_scored_and_downloaded(opened):
    page = scored_sample(opened("drcd_char_f1"))
    assert page.locator('#board table[data-protocol="default"] [data-figure="f1"]').inner_text().startswith("0.7143")
    with page.expect_download() as download:
        page.locator("#per-question").click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 42
    assert sum(float(row["default_f1"]) for row in rows) / 42 == pytest.approx(0.71426, abs=1e-5)
    with page.expect_download() as download:
        page.locator("#results-json").click()
    found = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert found["predictions"]["file"] == "predictions.json"
    assert found["protocols"]["default"]["aggregate"]["f1"] == pytest.approx(0.71426, abs=1e-5)


def test_files_are_uploaded_and_bad_ones_get_a_message(opened, tmp_path):
    sample = ROOT / "metrics" / "beerqa_em_f1" / "sample"
    predictions = json.loads((sample / "predictions.json").read_text(encoding="utf-8"))["answer"]
    rows = [{"id": id_, "prediction": text} for id_, text in predictions.items()]
    gold = tmp_path / "goldfile.json.gz"
    gold.write_bytes(gzip.compress((sample / "gold.json").read_bytes()))
    good, fewer, broken = (tmp_path / name for name in ("as_lines.jsonl", "too_few1.jsonl", "brokenxx.json"))
    good.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    fewer.write_text("".join(json.dumps(row) + "\n" for row in rows[1:]), encoding="utf-8")
    broken.write_text('{"squad-01": "5895', encoding="utf-8")
    page = opened("beerqa_em_f1")
    page.get_by_role("tab").nth(1).click()
    page.locator("#score-files").click()
    alert = page.locator("#board").get_by_role("alert")
    expect(alert).to_contain_text("Predictions: no file yet")
    for file, expected in ((broken, "brokenxx.json: truncated JSON"), (fewer, "too_few1.jsonl: 1 of 36 questions")):
        upload(page, file, gold)
        page.locator("#score-files").click()
        expect(alert).to_contain_text(expected)
        assert str(tmp_path) not in alert.inner_text() and "Traceback" not in alert.inner_text()
        for field in ("#predictions-file", "#gold-file"):
            page.locator(field).get_by_role("button", name="Clear").click()
    upload(page, good, gold)
    page.locator("#score-files").click()
    expect(page.locator('#board table[data-protocol="official"] [data-row="overall"]')).to_contain_text("0.5000")
    expect(alert).to_have_count(0)


def test_too_large_an_upload_is_refused(opened, tmp_path):
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate(21 * 2**20)
    page = opened("orb_em_f1")
    page.get_by_role("tab").nth(1).click()
    page.locator("#predictions-file input[type=file]").set_input_files(large)
    expect(page.get_by_text(re.compile("exceeds the maximum|maximum.*size", re.IGNORECASE)).first).to_be_visible()
    answer = page.request.post(
        page.url + "gradio_api/upload",
        multipart={"files": {"name": "large.json", "mimeType": "application/json", "buffer": large.read_bytes()}},
    )
    assert answer.status == 413


def test_two_users_do_not_see_each_other(pages):
    one, other = pages("drcd_char_f1"), pages("drcd_char_f1")
    typed(one, "Prediction").fill("甲")
    typed(other, "Prediction").fill("乙")
    scored_sample(one)
    other.get_by_role("tab").nth(1).click()
    expect(other.locator("#board table")).to_have_count(0)
    expect(other.locator("#predictions-file")).not_to_contain_text("predictions.json")
    for page, text in ((one, "甲"), (other, "乙")):
        page.get_by_role("tab").first.click()
        expect(page.locator('section[data-protocol="default"] .marked').first).to_have_text(text)


# About, sizes and schemes.


def test_the_citation_is_copied(opened):
    page = opened("orb_em_f1")
    page.get_by_role("tab").last.click()
    expect(page.locator("#protocols")).to_contain_text("is left out")
    code = page.locator("#card .code_wrap", has_text="dua2019orb")
    code.get_by_role("button").click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.includes('dua2019orb'))")


@pytest.mark.parametrize(("folder", "scheme"), list(zip(SPACES, ("light", "dark", "dark"), strict=True)))
def test_a_phone_shows_it_all_in_light_and_dark(folder, scheme, pages):
    page = pages(folder, "phone", scheme)
    for tab in range(3):
        page.get_by_role("tab").nth(tab).click()
        expect(page.get_by_role("tab").nth(tab)).to_have_attribute("aria-selected", "true")
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES["phone"][0]
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 150) == (scheme == "dark")


def test_the_keyboard_reaches_everything(opened):
    page = opened("beerqa_em_f1")
    typed(page, "Prediction").focus()
    page.keyboard.press("Tab")
    expect(typed(page, "Acceptable answers")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#lesson")).to_have_text(BEERQA.examples[1].lesson)


# Programs.


def test_programs_score_pairs_and_files(addresses):
    client = gradio_client.Client(addresses["orb_em_f1"], verbose=False)
    assert client.predict("Ann | Bo", ["Bo | Ann", "Ann"], "quoref", api_name="/score") == {
        "default": {"exact_match": 0.0, "f1": 1.0},
        "official": {"exact_match": 1.0, "f1": 1.0},
    }
    client = gradio_client.Client(addresses["beerqa_em_f1"], verbose=False)
    assert client.predict("", ["x"], api_name="/score")["default"] == {"exact_match": 0.0, "f1": None}
    sample = ROOT / "metrics" / "beerqa_em_f1" / "sample"
    files = [gradio_client.handle_file(sample / name) for name in ("predictions.json", "gold.json")]
    found = client.predict(*files, "", "", False, api_name="/score_file")
    assert found["protocols"]["official"]["aggregate"]["em"] == 0.5
    with pytest.raises(Exception, match="gold.json: found a list under 'data'"):
        client.predict(files[1], files[1], "", "", False, api_name="/score_file")
