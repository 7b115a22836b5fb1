"""Asking an OpenAI-compatible endpoint: politely, whatever fails, and nothing twice however often it is killed."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from metrics.shared.gold_files import read_gold
from metrics.shared.prediction_files import read_predictions
from scripts.answer_journal import AnswerJournal
from scripts.endpoint import _retry_after
from scripts.predict import main
from tests.endpoint_stand_in import EndpointStandIn, Reply, answer_to, completion, failure, question_of, usual

ROOT = Path(__file__).resolve().parents[1]
GOLD = ROOT / "metrics/beerqa_em_f1/sample/gold.json"
KEY = "sk-secret-0123456789"


@pytest.fixture(scope="module")
def questions() -> dict[str, str]:
    return {question.id: question.question for question in read_gold("beerqa", GOLD)}


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def command(server: EndpointStandIn | str, output: Path, **options: Any) -> list[str]:
    url = server if isinstance(server, str) else server.base_url
    given = {"benchmark": "beerqa", "data": GOLD, "base_url": url, "model": "test", "output_dir": output}
    given |= {"retry_wait": 0.01, "timeout": 60} | options
    return [argument for name, value in given.items() for argument in (f"--{name}", str(value))]


def predictions_in(output: Path) -> dict[str, Any]:
    return dict(read_predictions(output / "predict_predictions.jsonl", "beerqa"))


def results_in(output: Path) -> dict[str, Any]:
    return json.loads((output / "all_results.json").read_text(encoding="utf-8"))


def test_every_question_is_asked_once_and_several_at_a_time(
    tmp_path: Path, questions: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    together = threading.Barrier(4)  # the first four are replied to only when all of them are under way

    def behave(number: int, body: dict[str, Any]) -> Reply:
        if number <= 4:
            together.wait(timeout=60)
        return usual(number, body)

    with EndpointStandIn(behave) as server:
        assert main(command(server, tmp_path, concurrent_requests=4)) == 0
        assert main(command(server, tmp_path, concurrent_requests=4)) == 0
    assert sorted(server.asked) == sorted(questions.values())
    assert server.most_under_way == 4
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
    assert set(server.paths) == {"/v1/chat/completions"}
    assert predictions_in(tmp_path) == {id_: answer_to(question) for id_, question in questions.items()}
    results = results_in(tmp_path)
    assert (results["requests"], results["answered_before"], results["unanswered"]) == (0, 36, {})
    written = [file.read_text(encoding="utf-8") for file in tmp_path.iterdir()]
    assert KEY not in "".join([*written, *capfd.readouterr()])


def test_a_request_holds_model_prompt_and_options(tmp_path: Path) -> None:
    bodies = []

    def behave(number: int, body: dict[str, Any]) -> Reply:
        bodies.append(body)
        return usual(number, body)

    more = {"max_new_tokens": 9, "max_predict_samples": 1}
    with EndpointStandIn(behave) as server:
        body = json.dumps({"top_p": 0.5, "max_tokens": None, "max_completion_tokens": 300})
        assert main(command(server, tmp_path / "chat", extra_body=body, **more)) == 0
        assert main(command(server, tmp_path / "base", completions=True, **more)) == 0
    chat, base = bodies
    assert chat.keys() == {"model", "messages", "temperature", "top_p", "max_completion_tokens"}
    assert chat["model"] == "test"
    assert chat["temperature"] == 0
    assert base.keys() == {"model", "prompt", "temperature", "max_tokens", "stop"}
    assert base["max_tokens"] == 9
    assert base["prompt"] == chat["messages"][0]["content"]
    assert server.paths == ["/v1/chat/completions", "/v1/completions"]


FAILURES: dict[str, Callable[[], Reply]] = {
    "status 500": lambda: failure(500),
    "status 429": lambda: failure(429, Retry_After="0.05"),
    "status 503": lambda: failure(503, Retry_After="soon"),
    "status 408": lambda: Reply(408, "not JSON"),
    "RemoteProtocolError": lambda: Reply(0),
    "status 200 without the text of a first choice": lambda: Reply(200, "<html>a proxy</html>"),
    "status 200 with a first choice that is not text": lambda: completion([1]),  # type: ignore[arg-type]
}


def test_transient_failures_are_repeated(tmp_path: Path, questions: dict[str, str]) -> None:
    seen: Counter[str] = Counter()
    kinds = list(FAILURES)
    place = {question: index for index, question in enumerate(questions.values())}

    def behave(number: int, body: dict[str, Any]) -> Reply:
        question = question_of(body)
        seen[question] += 1
        # Each question fails as often as its place says, each time in another way.
        if seen[question] <= place[question] % 3:
            return FAILURES[kinds[(place[question] + seen[question]) % len(kinds)]]()
        return usual(number, body)

    with EndpointStandIn(behave) as server:
        assert main(command(server, tmp_path)) == 0
    assert predictions_in(tmp_path) == {id_: answer_to(question) for id_, question in questions.items()}
    results = results_in(tmp_path)
    assert results["failures"].keys() <= FAILURES.keys()
    assert len(results["failures"]) == len(FAILURES)
    assert sum(results["failures"].values()) == 36
    assert results["requests"] == len(server.asked) == 36 + 36


def test_what_stalls_is_given_up_and_repeated(tmp_path: Path, questions: dict[str, str]) -> None:
    stalled: set[str] = set()

    def behave(number: int, body: dict[str, Any]) -> Reply:
        if number <= 2:
            stalled.add(question_of(body))
            return Reply(stall=True)
        return usual(number, body)

    with EndpointStandIn(behave) as server:
        assert main(command(server, tmp_path, timeout=3, concurrent_requests=2, max_predict_samples=4)) == 0
    assert len(stalled) == 2
    assert len(predictions_in(tmp_path)) == 4
    assert results_in(tmp_path)["failures"]["no answer within 3 s"] >= 2


@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_honoured(tmp_path: Path, as_date: bool) -> None:
    earliest = []

    def behave(number: int, body: dict[str, Any]) -> Reply:
        if number > 1:
            return usual(number, body)
        # A date has no fractions of a second, so that of two seconds ahead is more than one away.
        when = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=2), usegmt=True)
        earliest.append(time.monotonic() + 1)
        return failure(429, Retry_After=when if as_date else "1")

    with EndpointStandIn(behave) as server:
        assert main(command(server, tmp_path, concurrent_requests=1, max_predict_samples=2)) == 0
    assert min(server.arrivals[1:]) >= earliest[0]


def test_retry_after_in_words_is_no_time() -> None:
    assert [_retry_after(value) for value in ("", "soon", "-3", "2.5")] == [0, 0, 0, 2.5]
    assert _retry_after("Wed, 21 Oct 2015 07:28:00 GMT") == 0


def test_an_endpoint_that_asks_for_an_hour_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with EndpointStandIn(lambda number, body: failure(429, "quota", Retry_After="3600")) as server:
        assert main(command(server, tmp_path)) == 2
    assert "it asks to wait for 3600 s: quota" in capsys.readouterr().err


def test_requests_are_spaced(tmp_path: Path) -> None:
    with EndpointStandIn() as server:
        started = time.monotonic()
        assert main(command(server, tmp_path, requests_per_minute=600, max_predict_samples=8)) == 0
        assert time.monotonic() - started >= 7 * 0.1


def test_a_refused_question_is_left_for_the_next_run(
    tmp_path: Path, questions: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    id_, refused = list(questions.items())[7]

    def behave(number: int, body: dict[str, Any]) -> Reply:
        return failure(400, "too long") if question_of(body) == refused else usual(number, body)

    with EndpointStandIn(behave) as server:
        assert main(command(server, tmp_path)) == 1
        assert predictions_in(tmp_path).keys() == questions.keys() - {id_}
        assert results_in(tmp_path)["unanswered"] == {id_: "status 400: too long"}
        error = capsys.readouterr().err
        assert f"no answer to question {id_!r}: status 400: too long" in error
        assert "1 of 36 questions have no answer yet" in error
        server.behave = usual
        assert main(command(server, tmp_path)) == 0
    assert Counter(server.asked) == Counter(questions.values()) + Counter([refused])
    assert predictions_in(tmp_path).keys() == questions.keys()


@pytest.mark.parametrize(
    ("reply", "options", "message", "most_requests"),
    [
        (failure(401, f"Incorrect API key provided: {KEY}"), {}, "status 401: Incorrect API key provided: ***", 8),
        (failure(404, "no such model"), {}, "status 404: no such model", 8),
        (Reply(302, "", {"Location": "http://127.0.0.1:9/"}), {}, "status 302", 8),
        (failure(400, "unknown field"), {}, "the first 20 questions failed, the last by status 400", 20 + 7),
        (failure(500), {"max_attempts": 2}, "10 questions in a row failed, the last by status 500", 2 * (10 + 7)),
    ],
)
def test_an_unusable_endpoint_ends_the_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    reply: Reply,
    options: dict[str, Any],
    message: str,
    most_requests: int,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with EndpointStandIn(lambda number, body: reply) as server:
        assert main(command(server, tmp_path, **options)) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "0 answers are kept, and the same command continues" in captured.err
    assert captured.err.count("\n") == 1
    assert KEY not in captured.out + captured.err
    assert len(server.asked) <= most_requests


def test_no_server_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with EndpointStandIn() as server:
        pass
    assert main(command(server, tmp_path, max_attempts=1)) == 2
    assert "10 questions in a row failed, the last by ConnectError" in capsys.readouterr().err


def test_answers_without_text_and_cut_ones_are_counted(tmp_path: Path) -> None:
    replies = [completion(None, "content_filter"), completion("a long", "length"), completion("half \ud83d of it")]
    with EndpointStandIn(lambda number, body: replies[number - 1]) as server:
        assert main(command(server, tmp_path, concurrent_requests=1, max_predict_samples=3)) == 0
    assert list(predictions_in(tmp_path).values()) == ["", "a long", "half ? of it"]
    results = results_in(tmp_path)
    assert (results["without_text"], results["cut"]) == (1, 1)


def test_other_settings_do_not_mix_with_what_is_there(
    tmp_path: Path, questions: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with EndpointStandIn() as server:
        assert main(command(server, tmp_path, max_predict_samples=3)) == 0
        before = (tmp_path / "predict_predictions.jsonl").read_bytes()
        for options in ({"model": "other"}, {"temperature": 0.5}, {"paragraphs": "none"}):
            assert main(command(server, tmp_path, **options)) == 2
            error = capsys.readouterr().err
            assert f"question {next(iter(questions))!r} was asked with another model, prompt or option" in error
        assert (tmp_path / "predict_predictions.jsonl").read_bytes() == before
        assert main(command(server, tmp_path)) == 0  # more questions are no other settings
    assert sorted(server.asked) == sorted(questions.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": "localhost:8000/v1"}, "--base_url: expected an address"),
        ({"base_url": "http://user:word@localhost/v1"}, "--base_url: expected an address"),
        ({"extra_body": "[1]"}, "--extra_body: expected a JSON object, found [1]"),
        ({"extra_body": "{"}, "--extra_body: not JSON"),
        ({"concurrent_requests": 0}, "--concurrent_requests: expected a number above 0, found 0"),
        ({"model_name_or_path": "here"}, "expected either --model_name_or_path or --base_url"),
        ({"data": "nowhere.json"}, "nowhere.json"),
    ],
)
def test_bad_arguments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: dict[str, Any], message: str
) -> None:
    assert main(command("http://127.0.0.1:9/v1", tmp_path, **options)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "word@" not in error
    assert error.count("\n") == 1


# Killed, and started again.

# The command as users run it, but for PyTorch, which an endpoint does not need.
WITHOUT_TORCH = "import sys; sys.modules['torch'] = None; from scripts.predict import main; sys.exit(main())"


def test_killed_at_random_it_loses_nothing_and_asks_nothing_twice(tmp_path: Path, questions: dict[str, str]) -> None:
    draw = random.Random(5)
    failed: set[str] = set()
    reached = threading.Event()
    kill_at = 0

    def behave(number: int, body: dict[str, Any]) -> Reply:
        question = question_of(body)
        if number == kill_at:
            reached.set()
        time.sleep(draw.random() * 0.02)
        if question not in failed and draw.random() < 0.2:
            failed.add(question)
            return draw.choice((failure(429, Retry_After="0.01"), failure(500), Reply(0)))
        return usual(number, body)

    kills, concurrent = 4, 3
    with EndpointStandIn(behave) as server:
        arguments = command(server, tmp_path, concurrent_requests=concurrent)
        run = [sys.executable, "-c", WITHOUT_TORCH, *arguments]
        for _ in range(kills):
            reached.clear()
            kill_at = len(server.asked) + draw.randint(2, 9)
            with subprocess.Popen(run, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                assert reached.wait(timeout=300)
                time.sleep(draw.random() * 0.02)
                process.send_signal(signal.SIGKILL)
            assert process.returncode == -signal.SIGKILL
        asked_before = len(server.asked)
        finished = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stderr
    lines = (tmp_path / "predict_predictions.jsonl").read_text(encoding="utf-8").splitlines()
    assert sorted(json.loads(line)["id"] for line in lines) == sorted(questions)
    assert predictions_in(tmp_path) == {id_: answer_to(question) for id_, question in questions.items()}
    assert len(server.asked) <= len(questions) + len(failed) + kills * concurrent
    results = results_in(tmp_path)
    assert results["answered_before"] > 0
    assert results["requests"] == len(server.asked) - asked_before


@pytest.fixture
def journal_bytes(tmp_path: Path) -> bytes:
    with AnswerJournal(tmp_path / "first.jsonl") as journal:
        for id_ in ("a", "甲", "c"):
            journal.append(id_, f"digest of {id_}", prediction=f"答{id_}\n", response="")
    return (tmp_path / "first.jsonl").read_bytes()


def test_a_journal_cut_anywhere_keeps_its_whole_lines(tmp_path: Path, journal_bytes: bytes) -> None:
    path = tmp_path / "cut.jsonl"
    for size in range(len(journal_bytes) + 1):
        path.write_bytes(journal_bytes[:size])
        whole = journal_bytes[: journal_bytes.rfind(b"\n", 0, size) + 1]
        with AnswerJournal(path) as journal:
            assert list(journal.answered) == ["a", "甲", "c"][: whole.count(b"\n")]
            assert journal.torn_bytes == size - len(whole)
            journal.append("d", "digest", prediction="")
        assert path.read_bytes() == whole + b'{"id": "d", "prediction": "", "request": "digest"}\n'


def test_zeros_that_a_power_cut_left_are_torn_too(tmp_path: Path, journal_bytes: bytes) -> None:
    path = tmp_path / "zeros.jsonl"
    for tail in (b"\0" * 40, b"\0" * 40 + b"\n"):
        path.write_bytes(journal_bytes + tail)
        with AnswerJournal(path) as journal:
            assert (len(journal.answered), journal.torn_bytes) == (3, len(tail))
        assert path.read_bytes() == journal_bytes


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"id": "a", "req\n{"id": "b", "request": "1"}\n', "line 1: truncated or not JSON"),
        (b'{"id": "a", "prediction": "not ours"}\n', "line 1: key 'request' is missing"),
        (b'{"id": "a", "request": "1"}\n{"id": "a", "request": "1"}\n', "line 2: the id 'a' occurs twice"),
        (b'["a"]\n', "line 1: must be an object"),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_and_not_touched(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "foreign.jsonl"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message):
        AnswerJournal(path)
    assert path.read_bytes() == content


def test_two_processes_cannot_write_to_one_journal(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    with AnswerJournal(path), pytest.raises(ValueError, match=r"one\.jsonl: another process is writing"):
        AnswerJournal(path)
    AnswerJournal(path).close()


def test_a_full_disk_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "full.jsonl"
    write = os.write

    def half(descriptor: int, data: Any) -> int:
        if len(data) < 20:
            raise OSError(28, "No space left on device")
        return write(descriptor, data[: len(data) // 2])

    with AnswerJournal(path) as journal:
        journal.append("a", "1")
        before = path.read_bytes()
        with monkeypatch.context() as patched:
            patched.setattr(os, "write", half)
            with pytest.raises(OSError, match="No space left"):
                journal.append("b", "2")
        assert path.read_bytes() == before
        assert "b" not in journal.answered
        journal.append("c", "3")
    assert len(path.read_bytes().splitlines()) == 2
