"""A local OpenAI-compatible server that answers, fails, stalls or hangs up as a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


@dataclass
class Reply:
    """What the server does with a request.

    Attributes:
        status: The status; 0 closes the connection without a word.
        body: The body, JSON or a raw text.
        headers: Further headers.
        stall: Do not reply while the server runs.
    """

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    stall: bool = False


def completion(text: str | None, finish_reason: str = "stop") -> Reply:
    """A reply of a chat model."""
    message = {"role": "assistant", "content": text}
    return Reply(body={"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]})


def failure(status: int, message: str = "on purpose", **headers: str) -> Reply:
    """A reply that is an error, as OpenAI words them; in header names ``_`` stands for ``-``."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, {"error": {"message": message, "type": "test"}}, named)


def question_of(body: dict[str, Any]) -> str:
    """The question that a request asks."""
    text = body["messages"][-1]["content"] if "messages" in body else body["prompt"]
    return text.rpartition("Question: ")[2].partition("\nAnswer:")[0]


def answer_to(question: str) -> str:
    """The server's usual answer: nothing that two questions share."""
    return sha256(question.encode()).hexdigest()[:12]


def usual(number: int, body: dict[str, Any]) -> Reply:
    """The usual behaviour: an answer behind an echo of the prompt's label, in quotation marks."""
    return completion(f'Answer: "{answer_to(question_of(body))}"')


class EndpointStandIn:
    """The server; use it as a context manager.

    Attributes:
        behave: Called with the number of the request, from 1, and its body.
        asked: The question of each request, in the order of arrival.
        replied: The questions for which a reply with an answer was sent.
        arrivals: When each request came.
        headers: The headers of each request.
        paths: The path of each request.
        under_way: Requests without a reply yet.
        most_under_way: The most at once.
    """

    def __init__(self, behave: Callable[[int, dict[str, Any]], Reply] = usual) -> None:
        self.behave = behave
        self.asked: list[str] = []
        self.replied: list[str] = []
        self.arrivals: list[float] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.under_way = self.most_under_way = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> EndpointStandIn:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        stand_in = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle(self) -> None:
                with suppress(ConnectionError):  # the client was killed
                    super().handle()

            def do_POST(self) -> None:
                size = int(self.headers["Content-Length"])
                content = self.rfile.read(size)
                if len(content) < size:
                    raise ConnectionError("the client was killed while it asked")
                body = json.loads(content)
                number = stand_in._arrived(self, body)
                try:
                    self._send(stand_in.behave(number, body), body)
                finally:
                    with stand_in._lock:
                        stand_in.under_way -= 1

            def _send(self, reply: Reply, body: dict[str, Any]) -> None:
                if reply.stall:
                    stand_in._closing.wait()
                if reply.stall or reply.status == 0:
                    self.close_connection = True
                    return
                content = reply.body if isinstance(reply.body, str) else json.dumps(reply.body)
                self.send_response(reply.status)
                for name, value in (reply.headers | {"Content-Length": str(len(content.encode()))}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content.encode())
                if reply.status == 200:
                    with stand_in._lock:
                        stand_in.replied.append(question_of(body))

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler

    def _arrived(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> int:
        with self._lock:
            self.asked.append(question_of(body))
            self.arrivals.append(time.monotonic())
            self.headers.append(dict(handler.headers))
            self.paths.append(handler.path)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            return len(self.asked)
