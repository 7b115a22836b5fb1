"""How the output of a generative model becomes an answer.

The rule, in this order; nothing else is changed:

1. A reasoning part is dropped: everything up to the last ``</think>``, or all of it where ``<think>`` is never closed.
2. The first line counts that is neither blank nor an echo of the prompt: a line of the instruction, the question, the
   line ``Question: …`` (what follows it on the same line stays), the line ``Passage: …`` and the passage's lines behind
   it. A line ``Passage: …`` or ``Question: …`` that is not in the prompt begins another question: the answer is empty.
3. A label in front of the answer goes: ``Answer:``, ``The answer is``, 答案：, 答案是.
4. Quotation marks (also 「」, 『』), backticks and asterisks around the whole answer go, as often as they enclose it.
5. Where a question may have no answer, ``unanswerable``, in any case and with or without a full stop, becomes the empty
   text.
6. In DROP and Quoref the answer is cut at ``|``, and 4 is done to each span.
"""

from __future__ import annotations

import re
from itertools import accumulate

from scripts.prompts import NO_ANSWER, Prompt

_QUOTES = (*((mark, mark) for mark in "\"'`*"), ("“", "”"), ("‘", "’"), ("«", "»"), ("「", "」"), ("『", "』"))
_ANSWER_LABEL = re.compile(
    r"\**\s*(?:(?:the\s+)?(?:final\s+|correct\s+)?answer\s*(?:[:：]|is\b\s*[:：]?)|答案\s*(?:[:：]|是\s*[:：]?))\**\s*",
    re.IGNORECASE,
)


def answer_line(output: str, prompt: Prompt) -> tuple[str, bool]:
    """The line of an output that holds the answer (steps 1 to 3 of the cleaning rule).

    Args:
        output: What the model wrote, or what it has written so far.
        prompt: What it was asked.

    Returns:
        The line, and whether it is complete, so that nothing written later can change it.
    """
    text = output.rpartition("</think>")[2]
    if "<think>" in text:
        return "", False
    passage_start, *passage_rest = map(_folded, f"{prompt.labels.passage}{prompt.passage}".split("\n"))
    echoes = {"", _folded(prompt.instruction), _folded(prompt.question), passage_start}
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        complete = number < len(lines)
        folded = _folded(line)
        if folded == passage_start:
            echoes.update(passage_rest)
        if folded in echoes:
            continue
        line = _behind_question(line.strip(), prompt)
        if _folded(line).startswith((_folded(prompt.labels.passage), _folded(prompt.labels.question))):
            return "", complete
        label = _ANSWER_LABEL.match(line)
        line = line[label.end() :] if label else line
        if line:
            return line, complete
    return "", False


def _behind_question(line: str, prompt: Prompt) -> str:
    """What follows on a line that begins as the prompt's own line ``Question: …`` does; else the line itself."""
    words = f"{prompt.labels.question}{prompt.question}".split()
    echo = re.match(r"\s+".join(map(re.escape, words)), line, re.IGNORECASE)
    return line[echo.end() :].lstrip() if echo else line


def clean_answer(output: str, prompt: Prompt) -> str | list[str]:
    """The answer in a model's output, by the rule of this module.

    Args:
        output: What the model wrote.
        prompt: What it was asked.

    Returns:
        The answer, empty where there is none; in DROP and Quoref a list where it has two or more spans.
    """
    line, _ = answer_line(output.encode(errors="replace").decode(), prompt)
    answer = _unquoted(line.strip())
    if prompt.may_lack_answer and answer.rstrip(".").casefold() == NO_ANSWER:
        return ""
    if prompt.may_have_spans:
        spans = [span for part in answer.split("|") if (span := _unquoted(part.strip()))]
        return spans if len(spans) > 1 else "".join(spans)
    return answer


def _unquoted(text: str) -> str:
    while any(_is_enclosed(text, *pair) for pair in _QUOTES):
        text = text[1:-1].strip()
    return text


def _is_enclosed(text: str, opening: str, closing: str) -> bool:
    """Whether the first and the last character are a pair, which ``"a" and "b"`` has not."""
    if len(text) < 2 or text[0] != opening or text[-1] != closing:
        return False
    if opening == closing:
        return opening not in text.strip(opening)
    return min(accumulate((mark == opening) - (mark == closing) for mark in text[:-1])) > 0


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
