"""Questions to an OpenAI-compatible endpoint: many at once, politely, and never one twice.

What goes wrong is sorted by whom it concerns:

- *Transient*: no connection, no answer in time, an answer without the expected JSON, or status 408, 409, 425, 429 or
  5xx. The request is repeated after waits that double, with jitter; ``Retry-After`` holds back all requests.
- *Refused*: status 400, 413 or 422 (the prompt is too long, say). The question is left without an answer and counted.
- *Unusable*: any other status (a wrong key, address or model). Nothing more is asked.

Questions whose request stayed without success are not in the output, so the same command asks them again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import stamina
from aiolimiter import AsyncLimiter
from tqdm import tqdm

from scripts.answer_cleaning import clean_answer
from scripts.answer_journal import AnswerJournal
from scripts.endpoint_options import LONGEST_WAIT, EndpointOptions, EndpointReport
from scripts.prompts import Prompt

LONGEST_RETRY_AFTER = 600.0  # an endpoint that asks for more is not waited for
FAILED_IN_A_ROW = 10  # questions without success after all attempts, none answered between them: the endpoint is down
REFUSED_AT_FIRST = 20  # questions refused while none was ever answered: the request itself is wrong
_TRANSIENT = frozenset((408, 409, 425, 429))
_REFUSED = frozenset((400, 413, 422))


class EndpointUnusable(Exception):
    """Nothing more can be asked; why."""


class _Failure(Exception):
    """An attempt that failed: of which kind, and what the endpoint said."""

    def __init__(self, kind: str, message: str = "") -> None:
        super().__init__(f"{kind}: {message}" if message else kind)
        self.kind = kind


class _Transient(_Failure):
    """It may succeed when repeated."""


class _Refused(_Failure):
    """The endpoint does not take this request."""


class _Unusable(_Failure):
    """The endpoint takes no request at all."""


def ask_all(
    prompts: Sequence[Prompt], journal: AnswerJournal, options: EndpointOptions, api_key: str | None
) -> EndpointReport:
    """Ask what the journal does not hold yet, and write every answer to it as it comes.

    Args:
        prompts: The questions.
        journal: Where answers go: ``id``, ``prediction``, ``response`` (the model's text before cleaning),
            ``finish_reason`` and ``request`` (the digest).
        options: How the endpoint is asked.
        api_key: Sent as bearer token; None for an endpoint without keys.

    Returns:
        What happened.

    Raises:
        ValueError: A question was asked before with another model, prompt or option; the address is not one.
        EndpointUnusable: See the module's rule, and ``FAILED_IN_A_ROW`` and ``REFUSED_AT_FIRST``. All answers that
            came are in the journal.
        OSError: The journal cannot be written.
    """
    for prompt in prompts:
        before = journal.answered.get(prompt.question_id)
        if before is not None and before != options.digest(prompt):
            raise ValueError(
                f"{journal.path}: question {prompt.question_id!r} was asked with another model, prompt or option; "
                "choose another output directory"
            )
    return asyncio.run(_Run(prompts, journal, options, api_key).finish())


class _Run:
    """One run over all questions."""

    def __init__(
        self, prompts: Sequence[Prompt], journal: AnswerJournal, options: EndpointOptions, api_key: str | None
    ) -> None:
        self._url = _address(options)
        self._options = options
        self._api_key = api_key
        self._journal = journal
        open_prompts = [prompt for prompt in prompts if prompt.question_id not in journal.answered]
        self._report = EndpointReport(answered_before=len(prompts) - len(open_prompts))
        self._to_ask = len(open_prompts)
        self._queue: Iterator[Prompt] = iter(open_prompts)
        self._pause_ends = 0.0
        self._failed_in_a_row = 0
        self._stopped: Exception | None = None

    async def finish(self) -> EndpointReport:
        options = self._options
        self._limiter = AsyncLimiter(1, 60 / options.requests_per_minute) if options.requests_per_minute else None
        most = options.concurrent_requests
        limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most)
        headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        # The time limit is set around each attempt as a whole, where the client's own start again with every byte.
        async with httpx2.AsyncClient(headers=headers, limits=limits, timeout=None) as self._client:
            with tqdm(total=self._to_ask, desc="asking", unit="question", disable=None) as self._progress:
                await asyncio.gather(*(self._work() for _ in range(min(most, self._to_ask))))
        if self._stopped:
            raise self._stopped
        return self._report

    async def _work(self) -> None:
        """Ask one question after the other. What is under way when the run stops is finished, not thrown away."""
        for prompt in self._queue:
            try:
                await self._ask(prompt)
            except _Unusable as error:
                self._stopped = self._stopped or EndpointUnusable(str(error))
            except (EndpointUnusable, OSError) as error:
                self._stopped = self._stopped or error
            if self._stopped:
                return
            self._progress.update()

    async def _ask(self, prompt: Prompt) -> None:
        report = self._report
        try:
            text, finish_reason = await self._answer(self._options.body(prompt))
        except _Refused as error:
            report.unanswered[prompt.question_id] = str(error)
            if not self._journal.answered and len(report.unanswered) >= REFUSED_AT_FIRST:
                raise EndpointUnusable(f"the first {REFUSED_AT_FIRST} questions failed, the last by {error}") from None
        except _Transient as error:
            report.unanswered[prompt.question_id] = str(error)
            self._failed_in_a_row += 1
            if self._failed_in_a_row >= FAILED_IN_A_ROW:
                raise EndpointUnusable(f"{FAILED_IN_A_ROW} questions in a row failed, the last by {error}") from None
        else:
            self._failed_in_a_row = 0
            report.answered += 1
            report.cut += finish_reason == "length"
            report.without_text += not text.strip()
            self._journal.append(
                prompt.question_id,
                self._options.digest(prompt),
                prediction=clean_answer(text, prompt),
                response=text,
                finish_reason=finish_reason,
            )

    async def _answer(self, body: dict[str, Any]) -> tuple[str, str | None]:
        options = self._options
        async for attempt in stamina.retry_context(
            on=_Transient,
            attempts=options.max_attempts,
            timeout=None,
            wait_initial=options.retry_wait,
            wait_max=LONGEST_WAIT,
            wait_jitter=options.retry_wait,
        ):
            with attempt:
                await self._turn()
                self._report.requests += 1
                try:
                    return await self._attempt(body)
                except _Failure as failure:
                    self._report.failures[failure.kind] += 1
                    raise
        raise AssertionError("the last attempt returns or raises")

    async def _turn(self) -> None:
        """Wait until a request may be sent."""
        while True:
            if self._limiter:
                await self._limiter.acquire()
            if self._stopped:
                raise self._stopped
            wait = self._pause_ends - time.monotonic()
            if wait <= 0:
                return
            await asyncio.sleep(min(wait, 1))

    async def _attempt(self, body: dict[str, Any]) -> tuple[str, str | None]:
        try:
            response = await asyncio.wait_for(self._client.post(self._url, json=body), self._options.timeout)
        except asyncio.TimeoutError:
            raise _Transient(f"no answer within {self._options.timeout:g} s") from None
        except httpx2.RequestError as error:
            raise _Transient(type(error).__name__, str(error)) from None
        if response.status_code == 200:
            return _text_of(response)
        kind, message = f"status {response.status_code}", self._message(response)
        if response.status_code in _REFUSED:
            raise _Refused(kind, message)
        if response.status_code not in _TRANSIENT and response.status_code < 500:
            raise _Unusable(kind, message)
        seconds = _retry_after(response.headers.get("Retry-After", ""))
        if seconds > LONGEST_RETRY_AFTER:
            raise _Unusable(kind, f"it asks to wait for {seconds:.0f} s: {message}")
        self._pause_ends = max(self._pause_ends, time.monotonic() + seconds)
        raise _Transient(kind, message)

    def _message(self, response: httpx2.Response) -> str:
        """What a response says, in one line and without the key that some endpoints repeat."""
        try:
            message = str(response.json()["error"]["message"])
        except (ValueError, KeyError, TypeError):
            message = response.text
        if self._api_key:
            message = message.replace(self._api_key, "***")
        return " ".join(message.split())[:200]


def _address(options: EndpointOptions) -> httpx2.URL:
    try:
        base = httpx2.URL(options.base_url.rstrip("/"))
    except httpx2.InvalidURL as error:
        raise ValueError(f"--base_url: {error}") from None
    if base.scheme not in ("http", "https") or not base.host or base.userinfo:
        raise ValueError("--base_url: expected an address as in http://localhost:8000/v1, without a password")
    return base.copy_with(path=f"{base.path.rstrip('/')}/{'' if options.completions else 'chat/'}completions")


def _text_of(response: httpx2.Response) -> tuple[str, str | None]:
    """The first choice's text and why it ended."""
    try:
        choice = response.json()["choices"][0]
        text = choice["message"]["content"] if "message" in choice else choice["text"]
        finish_reason = choice.get("finish_reason")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        raise _Transient("status 200 without the text of a first choice") from None
    if not isinstance(text, str | None):
        raise _Transient("status 200 with a first choice that is not text")
    # JSON may hold half of a surrogate pair, which no file can.
    return (text or "").encode(errors="replace").decode(), finish_reason


def _retry_after(value: str) -> float:
    """Seconds that a ``Retry-After`` header asks for: a number, or the time until a date; 0 where it is neither."""
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    return max(0.0, (date.astimezone(timezone.utc) - datetime.now(timezone.utc)).total_seconds())
