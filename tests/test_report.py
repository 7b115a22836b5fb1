"""Reports: what stands in the page, that no text becomes markup, and the page in a browser without a network."""

import json
import math
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

from metrics.shared.scoreboard import Scoreboard, score_files
from scripts import score
from scripts.question_groups import QUESTION_WORDS, length_group, length_groups, question_word
from scripts.report import report_html, write_report
from tests.space_browser import CHROMIUM, FLAGS

HOSTILE = [
    "<script>window.hit = 1</script>",
    "</script><img src=x onerror='window.hit = 1'>",
    "<!--<script>",
    "</p></li></ol><iframe src='https://example.org/'></iframe>",
    '" onmouseover="window.hit = 1" \' ` & &lt;b&gt;',
    "line\u2028separator\u2029and\u0000nothing\u202eturned",
    "{{ 7 * 7 }}{% raw %}${window.hit = 1}`",
    "\\u003cscript\\u003e \\",
    "𠮷野家 👩‍👩‍👧 𝒜",
    "javascript:window.hit = 1//]]>",
]


class Page(HTMLParser):
    """The elements of a page with their attributes, and the texts of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self._script = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")
            self._script = True

    def handle_endtag(self, tag: str) -> None:
        self._script = self._script and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[-1] += data
        else:
            self.text += data

    @property
    def questions(self) -> dict:
        """The data of the list of questions."""
        return json.loads(self.scripts[0])


def _board(benchmark: str, predictions: Path, gold: Path, allow_missing: bool = False) -> Scoreboard:
    protocols = score.protocols_of(benchmark)
    return score_files(
        protocols, benchmark, predictions, gold, keep_texts=True, resamples=20, allow_missing=allow_missing
    )


def _page(board: Scoreboard) -> Page:
    return Page(report_html(board, score.markers_of(board.benchmark)))


@pytest.fixture(scope="module")
def drcd() -> Scoreboard:
    gold, predictions = score.sample_files("drcd")
    return _board("drcd", predictions, gold)


@pytest.fixture(scope="module")
def orb(tmp_path_factory: pytest.TempPathFactory) -> Scoreboard:
    """ORB's sample but for NarrativeQA, which needs WordNet; one question has no prediction."""
    gold, predictions = score.sample_files("orb")
    folder = tmp_path_factory.mktemp("orb")
    records = [json.loads(line) for line in gold.read_text(encoding="utf-8").splitlines()]
    for record in records:
        record["qa_pairs"] = [pair for pair in record["qa_pairs"] if pair["dataset"] != "narrativeqa"]
    kept = {pair["qid"] for record in records for pair in record["qa_pairs"]}
    answers = {key: text for key, text in json.loads(predictions.read_text("utf-8")).items() if key in kept}
    answers.pop("reef-03")
    (folder / "gold.jsonl").write_text("\n".join(map(json.dumps, (r for r in records if r["qa_pairs"]))), "utf-8")
    (folder / "predictions.json").write_text(json.dumps(answers), "utf-8")
    return _board("orb", folder / "predictions.json", folder / "gold.jsonl", allow_missing=True)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Scoreboard:
    """Texts that try to become markup, everywhere where a file may hold text."""
    folder = tmp_path_factory.mktemp("hostile")
    pairs = [
        {
            "question": f"What is {text}?",
            "answers": [[text], [f"{text} and more"]],
            "dataset": "squad1",
            "qid": f"{number} {text}",
        }
        for number, text in enumerate(HOSTILE)
    ]
    variants = [
        {**pair, "dataset": "squad1_syn", "qid": f"{pair['qid']} again", "kind": text, "original_qid": pair["qid"]}
        for pair, text in zip(pairs, HOSTILE, strict=True)
    ]
    pairs += variants
    gold, predictions = folder / "<img src=x onerror='window.hit = 1'>.jsonl", folder / '<b>&amp;".json'
    gold.write_text(json.dumps({"context": HOSTILE[0], "qa_pairs": pairs}), "utf-8")
    texts = {pair["qid"]: HOSTILE[(number + number % 3) % len(HOSTILE)] for number, pair in enumerate(pairs)}
    predictions.write_text(json.dumps(texts), "utf-8")
    return _board("orb", predictions, gold)


# What stands in the page.


def test_every_number_interval_count_and_signature_is_in_the_tables(orb: Scoreboard) -> None:
    page = _page(orb)
    for scores in orb.protocols.values():
        assert scores.signature in page.text
        for one in scores.scores:
            ends = "" if math.isnan(one.low) else f"{one.low:.3f}–{one.high:.3f}"
            assert f"{one.value:.4f}{ends}" in page.text
            cells = [attributes.get("title") for tag, attributes in page.elements if tag == "td"]
            assert f"{one.key}: {one.count:,} questions counted" in cells
    count = len(orb.questions)
    rules = "default counts them as 0; official leaves them out"
    assert f"1 of {count} questions have no prediction: {rules}." in page.text


def test_every_question_is_in_the_list_with_its_figures(orb: Scoreboard) -> None:
    listed = _page(orb).questions
    table = orb.questions
    assert (listed["ids"], listed["predictions"], listed["references"]) == (
        table.ids,
        table.predictions,
        table.references,
    )
    assert [listed["datasetNames"][at] for at in listed["datasets"]] == table.datasets
    for protocol in listed["protocols"]:
        columns = orb.protocols[protocol["name"]].columns
        assert [figure["key"] for figure in protocol["figures"]] == list(columns)
        for figure in protocol["figures"]:
            wanted = [None if math.isnan(value) else round(value, 4) for value in columns[figure["key"]].tolist()]
            assert figure["values"] == wanted


def test_marks_of_characters_lead_to_f1(drcd: Scoreboard) -> None:
    from metrics.drcd_char_f1.characters import without_punctuation

    listed = _page(drcd).questions
    protocol = next(one for one in listed["protocols"] if one["name"] == "default")
    f1 = next(figure["values"] for figure in protocol["figures"] if figure["key"] == "f1")
    for at, (predicted, answered) in enumerate(protocol["marks"]):
        prediction, answer = listed["predictions"][at], listed["references"][at][protocol["nearest"][at]]
        shared = ["".join(_marked(prediction, predicted[0])), "".join(_marked(answer, answered[0]))]
        assert sorted(shared[0]) == sorted(shared[1])
        lengths = len(without_punctuation(prediction + answer))
        assert round(2 * len(shared[0]) / lengths, 4) == f1[at], listed["ids"][at]


def test_marks_of_several_spans_stand_in_their_spans(orb: Scoreboard) -> None:
    listed = _page(orb).questions
    several = [at for at, one in enumerate(listed["predictions"]) if isinstance(one, list) and len(one) > 1]
    assert several
    for protocol in listed["protocols"]:
        for at in several:
            sides = listed["predictions"][at], listed["references"][at][protocol["nearest"][at]]
            bags = []
            for side, marks in zip(sides, protocol["marks"][at], strict=True):
                spans = [side] if isinstance(side, str) else side
                assert len(marks) == len(spans)
                bags.append(sorted(one.lower() for pair in zip(spans, marks, strict=True) for one in _marked(*pair)))
            if protocol["name"] == "default":
                assert bags[0] == bags[1]


def _marked(text: str, runs: list[int]) -> list[str]:
    assert runs == sorted(runs) and len(runs) % 2 == 0 and (not runs or 0 <= runs[0] < runs[-1] <= len(text))
    return [text[start:end] for start, end in zip(runs[::2], runs[1::2], strict=True)]


def test_charts_and_tables_of_variants_only_where_there_are_variants(drcd: Scoreboard, orb: Scoreboard) -> None:
    for board, gaps in ((drcd, 0), (orb, 2)):
        page = _page(board)
        assert sum(tag == "figure" for tag, _ in page.elements) == 5 + gaps
        assert page.text.count("What synthetic variants cost") == gaps
        assert ("Synthetic variants" in page.text) == bool(gaps)
    assert orb.robustness is not None
    for gap in orb.robustness.gaps:
        assert f"{gap.difference:+.4f}" in page.text


def test_groups_hold_the_means_of_their_questions(drcd: Scoreboard) -> None:
    page = _page(drcd)
    words = [question_word(text) for text in drcd.questions.questions]
    for word in {*words}:
        members = [at for at, one in enumerate(words) if one == word]
        assert f"{word} ({len(members):,})" in page.text
        for scores in drcd.protocols.values():
            assert f"{sum(scores.columns['f1'][members]) / len(members):.4f}" in page.text


def test_a_board_without_texts_is_refused() -> None:
    gold, predictions = score.sample_files("drcd")
    board = score_files(score.protocols_of("drcd"), "drcd", predictions, gold, resamples=5)
    with pytest.raises(ValueError, match="keep_texts=True"):
        report_html(board, score.markers_of("drcd"))


# Groups of questions.


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("In which year did the war end?", "which"),
        ("What happened when the reef was struck?", "what"),
        ("Did the man who left return?", "yes or no"),
        ("Isn't it the largest?", "yes or no"),
        ("How  many reefs are there?", "how many, how much"),
        ("How old is it?", "how"),
        ("The man to whom they wrote was called what?", "who, whose"),
        ("Name the somewhat small village.", "other"),
        ("", "other"),
        ("玉山國家公園在哪一年成立?", "何時 when"),
        ("什麼時候開始?", "何時 when"),
        ("哪一位皇帝禪讓?", "誰 who"),
        ("是哪一個城市?", "哪裡 where"),
        ("由哪一個民族建立?", "哪 which"),
        ("有多少公里?", "多少 how many"),
        ("分為幾個省?", "多少 how many"),
        ("幾內亞的官方語言是什麼?", "什麼 what"),
        ("任何人都使用的方法為何?", "什麼 what"),
        ("名稱為什麼?", "什麼 what"),
        ("香山縣為什麼被改名?", "為什麼 why"),
        ("為何在生前成立基金?", "為什麼 why"),
        ("是如何產生的?", "如何 how"),
        ("是否為哪個國家的制度?", "哪裡 where"),
        ("機槍可不可以連發?", "yes or no"),
        ("當時省長的職責是?", "other"),
    ],
)
def test_question_words(question: str, word: str) -> None:
    assert question_word(question) == word
    assert word in QUESTION_WORDS


def test_answer_lengths() -> None:
    assert [length_group(["a " * count], "tokens") for count in (0, 1, 2, 3, 4, 5, 6, 10, 11, 99)] == [
        *("no answer", "1", "2", "3", "4–5", "4–5", "6–10", "6–10", "11+", "11+")
    ]
    assert [length_group(["字 " * count], "characters") for count in (0, 1, 2, 3, 14, 15)] == [
        *("no answer", "1–2", "1–2", "3–4", "10–14", "15+")
    ]
    assert length_group([["two words", "three more words"], "a b c"], "tokens") == "3"
    assert length_groups("tokens")[0] == length_groups("characters")[0] == "no answer"


# No text becomes markup.


def test_hostile_texts_stay_texts(hostile: Scoreboard, tmp_path: Path) -> None:
    write_report(hostile, score.markers_of("orb"), tmp_path / "report.html")
    raw = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(raw)
    tags = [tag for tag, _ in page.elements]
    assert tags.count("script") == 2 and not {"img", "iframe", "b", "link", "base"} & {*tags} - {"b"}
    assert tags.count("b") == len(hostile.protocols)  # the protocols' names in the notes
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    addresses = [
        value for _, attributes in page.elements for name, value in attributes.items() if name in ("src", "href")
    ]
    assert not [address for address in addresses if address]
    assert not {"\u2028", "\u2029"} & {*page.scripts[0]} and "<" not in page.scripts[0]
    assert page.questions["predictions"] == hostile.questions.predictions
    assert page.questions["questions"] == hostile.questions.questions
    assert hostile.predictions_path.name in page.text and hostile.gold_path.name in page.text


def test_nothing_in_the_page_is_fetched(orb: Scoreboard) -> None:
    page = _page(orb)
    policies = [attributes.get("content") for tag, attributes in page.elements if "http-equiv" in attributes]
    assert len(policies) == 1 and policies[0] is not None and policies[0].startswith("default-src 'none';")
    assert not {"link", "img", "iframe", "object", "embed"} & {tag for tag, _ in page.elements}


# The command.


def test_the_command_writes_the_page(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    report = tmp_path / "report.html"
    assert score.run(["drcd", "--sample", "--resamples", "5", "--report", str(report)]) == 0
    assert f"written: {report}" in capsys.readouterr().out
    assert len(Page(report.read_text(encoding="utf-8")).questions["ids"]) == 42


@pytest.mark.parametrize(
    ("name", "error"), [("report.pdf", "must end in .html"), ("nowhere/report.html", "there is no directory")]
)
def test_what_cannot_be_written_is_said_first(
    tmp_path: Path, capsys: pytest.CaptureFixture, name: str, error: str
) -> None:
    assert score.run(["drcd", "--sample", "--report", str(tmp_path / name)]) == 2
    shown = capsys.readouterr()
    assert error in shown.err and shown.err.count("\n") == 1 and not shown.out


def test_missing_packages_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score, "find_spec", lambda name: None)
    assert score.run(["drcd", "--sample", "--report", str(tmp_path / "report.html")]) == 2
    assert capsys.readouterr().err == "error: --report needs jinja2 and matplotlib: pip install jinja2 matplotlib\n"


# In a browser.

needs_browser = pytest.mark.skipif(not Path(CHROMIUM).exists(), reason="needs Debian's chromium")
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def chromium() -> Iterator:
    playwright = pytest.importorskip("playwright.sync_api")
    with (
        playwright.sync_playwright() as started,
        started.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=240_000) as browser,
    ):
        yield browser


@pytest.fixture
def opened(chromium, tmp_path: Path) -> Iterator[Open]:
    """Opens a scoreboard's report; afterwards nothing may have been fetched or gone wrong."""
    requests: list[str] = []
    errors: list[str] = []
    contexts = []

    def open_report(board: Scoreboard, width: int = 1280, scheme: str = "light"):
        file = tmp_path / "report.html"
        write_report(board, score.markers_of(board.benchmark), file)
        contexts.append(chromium.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme))
        page = contexts[-1].new_page()
        page.set_default_timeout(120_000)
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(file.as_uri())
        page.wait_for_selector("#list li")
        return page

    yield open_report
    for context in contexts:
        context.close()
    assert errors == []
    assert {url.partition(":")[0] for url in requests} == {"file"} and len(requests) == len(contexts)


def _ids(page) -> list[str]:
    return page.locator("#list .about code").all_inner_texts()


@pytest.mark.browser
@needs_browser
def test_sort_filter_search_and_page(opened: Open, orb: Scoreboard) -> None:
    page = opened(orb)
    table = orb.questions
    f1 = dict(zip(table.ids, orb.protocols["official"].columns["f1"].tolist(), strict=True))
    assert _ids(page) == table.ids[:20]
    assert page.locator("#count").inner_text() == f"1–20 of {len(table)} questions"

    page.click("#next")
    assert _ids(page) == table.ids[20:40]
    page.fill("#page", "99")
    page.press("#page", "Enter")
    assert _ids(page) == table.ids[(len(table) - 1) // 20 * 20 :]
    assert page.locator("#next").is_disabled()

    page.select_option("#protocol", label="official")
    page.select_option("#order", "worst")
    ordered = sorted(table.ids, key=lambda id_: (math.isnan(f1[id_]), f1[id_], table.ids.index(id_)))
    assert _ids(page) == ordered[:20]
    page.select_option("#order", "best")
    assert _ids(page)[0] == next(id_ for id_ in table.ids if f1[id_] == 1)

    page.select_option("#order", "file")
    page.select_option("#dataset", label="drop")
    assert _ids(page) == [id_ for id_, name in zip(table.ids, table.datasets, strict=True) if name == "drop"]
    page.select_option("#dataset", "")
    page.select_option("#result", "missing")
    assert _ids(page) == ["reef-03"]
    assert page.locator("#list li").inner_text().count("no prediction") == 1
    page.select_option("#result", "exact")
    exact = orb.protocols["official"].columns["exact_match"]
    assert page.locator("#count").inner_text().endswith(f" of {int((exact == 1).sum())} questions")
    page.select_option("#result", "")

    page.select_option("#word", label="who, whose")
    assert (
        page.locator("#count")
        .inner_text()
        .endswith(f" of {[question_word(text) for text in table.questions].count('who, whose')} questions")
    )
    page.select_option("#word", "")
    page.fill("#search", "BARRIER reef")
    page.wait_for_selector("#list li:nth-child(20)", state="detached")
    wanted = [
        id_
        for id_, *texts in zip(table.ids, table.questions, table.predictions, table.references, strict=True)
        if "barrier reef" in json.dumps(texts).lower()
    ]
    assert _ids(page) == wanted and wanted
    page.fill("#search", "no such text anywhere")
    page.wait_for_selector("#list:empty", state="attached")
    assert page.locator("#count").inner_text() == "No question fits these filters."


@pytest.mark.browser
@needs_browser
def test_marks_follow_the_protocol(opened: Open, drcd: Scoreboard) -> None:
    page = opened(drcd)
    listed = _page(drcd).questions
    for number, protocol in enumerate(listed["protocols"]):
        page.select_option("#protocol", str(number))
        for at in range(20):
            shown = page.locator("#list li").nth(at).locator(".sides > div").first.locator("mark").all_inner_texts()
            runs = protocol["marks"][at][0][0]
            text = listed["predictions"][at]
            assert shown == [text[start:end] for start, end in zip(runs[::2], runs[1::2], strict=True)]


@pytest.mark.browser
@needs_browser
def test_hostile_texts_in_a_browser(opened: Open, hostile: Scoreboard) -> None:
    page = opened(hostile)
    shown = page.evaluate("[...document.querySelectorAll('#list li')].map((row) => row.textContent)")
    assert len(shown) == 2 * len(HOSTILE)
    for text, question, prediction in zip(
        shown, hostile.questions.questions, hostile.questions.predictions, strict=True
    ):
        assert question in text and prediction in text
    assert page.evaluate("window.hit === undefined && document.querySelectorAll('img, iframe').length === 0")
    marked = page.locator("#list li").nth(HOSTILE.index("𠮷野家 👩‍👩‍👧 𝒜")).locator(".sides > div").nth(1)
    assert not any("\ufffd" in text for text in marked.locator("mark").all_inner_texts())


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("name", ["drcd", "orb", "hostile"])
def test_at_phone_width_nothing_is_wider_than_the_page(opened: Open, request: pytest.FixtureRequest, name: str) -> None:
    page = opened(request.getfixturevalue(name), width=360)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.click("details summary")
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.browser
@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_light_and_dark(opened: Open, orb: Scoreboard, scheme: str) -> None:
    page = opened(orb, scheme=scheme)
    assert (_lightness(page, "body", "backgroundColor") < 0.2) == (scheme == "dark")
    for selector in ("body", ".notes", "#list .asked", "#list mark", "figure svg text", "#list .text.other"):
        ground = "#list mark" if selector == "#list mark" else "#list li"
        lights = sorted([_lightness(page, selector, "color"), _lightness(page, ground, "backgroundColor")])
        assert (lights[1] + 0.05) / (lights[0] + 0.05) >= 4.5, selector
    page.click("#shade")
    assert (_lightness(page, "body", "backgroundColor") < 0.2) == (scheme == "light")


def _lightness(page, selector: str, colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    value = page.evaluate(
        "([selector, colour]) => {"
        "const canvas = new OffscreenCanvas(1, 1).getContext('2d');"
        "const style = getComputedStyle(document.querySelector(selector));"
        "canvas.fillStyle = selector.includes('svg') ? style.fill : style[colour];"
        "canvas.fillRect(0, 0, 1, 1);"
        "return [...canvas.getImageData(0, 0, 1, 1).data]; }",
        [selector, colour],
    )
    linear = [part / 255 / 12.92 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in value[:3]]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
