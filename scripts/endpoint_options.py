"""How an OpenAI-compatible endpoint is asked, and what is counted meanwhile."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from scripts.prompts import Prompt

LONGEST_WAIT = 60.0  # seconds between two attempts, where the endpoint names no time


@dataclass(frozen=True)
class EndpointOptions:
    """How an endpoint is asked.

    Attributes:
        base_url: Up to and without ``/chat/completions``.
        model: The model's name there.
        completions: Send the prompt as one text to ``/completions``, as base models need it.
        max_new_tokens: The most tokens of an answer.
        temperature: 0 is greedy.
        extra_body: Further fields of every request; None takes a field out.
        concurrent_requests: The most requests under way at once.
        requests_per_minute: The most requests a minute, evenly spaced; None for no limit.
        timeout: Seconds that an attempt may take from connecting to the last byte.
        max_attempts: How often a request is sent at most.
        retry_wait: Seconds before the second attempt; they double up to ``LONGEST_WAIT``.
    """

    base_url: str
    model: str
    completions: bool = False
    max_new_tokens: int = 64
    temperature: float = 0.0
    extra_body: dict[str, Any] = field(default_factory=dict)
    concurrent_requests: int = 8
    requests_per_minute: float | None = None
    timeout: float = 120.0
    max_attempts: int = 8
    retry_wait: float = 1.0

    def body(self, prompt: Prompt) -> dict[str, Any]:
        """The request for a prompt, the same for the same prompt and options."""
        asked: dict[str, Any] = {"prompt": prompt.text(), "stop": ["\n"]}
        body = {
            "model": self.model,
            **(asked if self.completions else {"messages": prompt.messages()}),
            "max_tokens": self.max_new_tokens,
            "temperature": self.temperature,
            **self.extra_body,
        }
        return {name: value for name, value in body.items() if value is not None}

    def digest(self, prompt: Prompt) -> str:
        """Sixteen hexadecimal digits that tell a prompt's request from any other."""
        return sha256(json.dumps(self.body(prompt), sort_keys=True).encode()).hexdigest()[:16]


@dataclass
class EndpointReport:
    """What happened in one run.

    Attributes:
        answered_before: Questions that the output already held.
        answered: Questions answered in this run.
        requests: Requests sent.
        failures: Requests that failed, by kind.
        unanswered: Why a question that was asked got no answer, by id.
        cut: Answers that end at the limit of tokens.
        without_text: Answers without any text (a filter of the endpoint, or reasoning that used up all tokens).
    """

    answered_before: int = 0
    answered: int = 0
    requests: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    unanswered: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    without_text: int = 0
