"""Answers of sequence-to-sequence and causal models, in batches of prompts of similar length.

A causal model whose tokenizer has a chat template is asked in turns of a chat, with control tokens in the question's
own text taken as plain text and thinking switched off where the template has a switch; any other model gets the prompt
as one text. Decoding is greedy unless a temperature is given, and ends with the first line of the answer.

A prompt that is too long for the model loses its examples, the last first, then the end of its passage; never its
instruction or question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from tqdm import tqdm
from transformers import PreTrainedModel, PreTrainedTokenizerBase, StoppingCriteria, set_seed

from scripts.answer_cleaning import answer_line
from scripts.prompts import Prompt

_NO_LENGTH = 10**9  # tokenizers without a limit state a number above this


@dataclass(frozen=True)
class GenerationOptions:
    """How answers are generated.

    Attributes:
        max_new_tokens: The most tokens of an answer.
        batch_size: Prompts at a time.
        num_beams: Beams of the search; 1 is none.
        temperature: 0 is greedy; above, answers are sampled.
        seed: Of the sampling.
        max_input_length: The most tokens of a prompt; None for what model and tokenizer state.
    """

    max_new_tokens: int = 64
    batch_size: int = 16
    num_beams: int = 1
    temperature: float = 0.0
    seed: int = 42
    max_input_length: int | None = None


@dataclass
class GenerationReport:
    """What did not fit.

    Attributes:
        examples_left_out: Examples that were left out, over all questions.
        passages_cut: Questions whose passage was cut.
        answers_cut: Answers that end at ``max_new_tokens``.
    """

    examples_left_out: int = 0
    passages_cut: int = 0
    answers_cut: int = 0


def generate_outputs(
    prompts: Sequence[Prompt],
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    options: GenerationOptions,
) -> tuple[list[str], GenerationReport]:
    """What a model writes for each prompt.

    Args:
        prompts: The questions.
        model: A model that generates, on its device.
        tokenizer: Its tokenizer; without a padding token it gets its end token as one.
        options: How to generate.

    Returns:
        The texts in the order of the prompts, not cleaned; and what did not fit.

    Raises:
        ValueError: Instruction and question of a prompt are longer than the model's input may be.
    """
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    report = GenerationReport()
    limit = _input_limit(model, tokenizer, options)
    fitted = [_fitted(prompt, tokenizer, limit, report) for prompt in prompts]
    longest_first = sorted(range(len(prompts)), key=lambda i: len(fitted[i][1]), reverse=True)
    outputs = [""] * len(prompts)
    set_seed(options.seed)
    model.eval()
    with tqdm(total=len(prompts), desc="generating", unit="question", disable=None) as progress:
        for start in range(0, len(prompts), options.batch_size):
            batch = longest_first[start : start + options.batch_size]
            texts, cut = _generate_batch([fitted[i] for i in batch], model, tokenizer, options)
            for i, text in zip(batch, texts, strict=True):
                outputs[i] = text
            report.answers_cut += cut
            progress.update(len(batch))
    return outputs, report


def _input_limit(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, options: GenerationOptions) -> float:
    if options.max_input_length:
        return options.max_input_length
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None) or math.inf
    stated = tokenizer.model_max_length if tokenizer.model_max_length < _NO_LENGTH else math.inf
    # A causal model's answer stands in the same window as its prompt.
    return min(positions, stated) - (0 if model.config.is_encoder_decoder else options.max_new_tokens)


def _fitted(
    prompt: Prompt, tokenizer: PreTrainedTokenizerBase, limit: float, report: GenerationReport
) -> tuple[Prompt, list[int]]:
    """The prompt, shortened where it must be, and its token ids."""
    ids = _token_ids(prompt, tokenizer)
    while len(ids) > limit and prompt.examples:
        prompt = replace(prompt, examples=prompt.examples[:-1])
        ids = _token_ids(prompt, tokenizer)
        report.examples_left_out += 1
    if len(ids) > limit and prompt.passage:
        report.passages_cut += 1
    while len(ids) > limit and prompt.passage:
        passage_tokens = len(tokenizer(prompt.passage, add_special_tokens=False, verbose=False)["input_ids"])
        too_many = math.ceil(len(prompt.passage) * (len(ids) - limit) / max(passage_tokens, 1))
        prompt = replace(prompt, passage=prompt.passage[: max(len(prompt.passage) - too_many, 0)])
        ids = _token_ids(prompt, tokenizer)
    if len(ids) > limit:
        raise ValueError(
            f"question {prompt.question_id!r}: instruction and question have {len(ids)} tokens, the model's input may "
            f"have {limit}"
        )
    return prompt, ids


def _token_ids(prompt: Prompt, tokenizer: PreTrainedTokenizerBase) -> list[int]:
    if tokenizer.chat_template is None:
        return tokenizer(prompt.text(), verbose=False)["input_ids"]
    encoded: Any = tokenizer.apply_chat_template(
        prompt.messages(),
        add_generation_prompt=True,
        return_dict=True,
        sanitize_control_tokens=True,
        tokenizer_kwargs={"verbose": False},
        enable_thinking=False,
    )
    return encoded["input_ids"]


def _generate_batch(
    batch: Sequence[tuple[Prompt, list[int]]],
    model: Any,
    tokenizer: PreTrainedTokenizerBase,
    options: GenerationOptions,
) -> tuple[list[str], int]:
    """The texts of a batch, and how many of them end at the limit of tokens."""
    prompts = [prompt for prompt, _ in batch]
    encoder_decoder = model.config.is_encoder_decoder
    inputs = tokenizer.pad(
        {"input_ids": [ids for _, ids in batch]},
        padding_side="right" if encoder_decoder else "left",
        return_tensors="pt",
    ).to(model.device)
    answer_start = 1 if encoder_decoder else inputs["input_ids"].shape[1]
    sampling = {"do_sample": True, "temperature": options.temperature} if options.temperature else _GREEDY
    with torch.inference_mode():
        sequences = model.generate(
            input_ids=inputs["input_ids"],
            attention_mask=inputs["attention_mask"],
            max_new_tokens=options.max_new_tokens,
            num_beams=options.num_beams,
            stopping_criteria=[FirstLineEnds(prompts, tokenizer, answer_start)],
            pad_token_id=tokenizer.pad_token_id,
            **sampling,
        )
    answers = sequences[:, answer_start:]
    texts = tokenizer.batch_decode(answers, skip_special_tokens=True)
    ended = torch.isin(answers, torch.tensor(_end_tokens(model), device=answers.device)).any(dim=1).tolist()
    unfinished = (
        not end and not answer_line(text, prompt)[1] for prompt, text, end in zip(prompts, texts, ended, strict=True)
    )
    return texts, sum(unfinished)


# The model's own defaults for sampling are taken out, as they would only be warned of.
_GREEDY = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}


def _end_tokens(model: PreTrainedModel) -> list[int]:
    stated = model.generation_config.eos_token_id
    return [] if stated is None else [stated] if isinstance(stated, int) else list(stated)


class FirstLineEnds(StoppingCriteria):
    """Ends a sequence once the line that holds its answer is complete.

    Args:
        prompts: What was asked, in the order of the batch.
        tokenizer: Turns token ids into text.
        answer_start: Where answers start in the sequences.
    """

    def __init__(self, prompts: Sequence[Prompt], tokenizer: PreTrainedTokenizerBase, answer_start: int) -> None:
        self._prompts = prompts
        self._tokenizer = tokenizer
        self._answer_start = answer_start

    def __call__(self, input_ids: torch.Tensor, scores: Any, **kwargs: Any) -> torch.Tensor:
        texts = self._tokenizer.batch_decode(input_ids[:, self._answer_start :], skip_special_tokens=True)
        sequences_each = len(texts) // len(self._prompts)  # a beam search follows several at once
        ended = [
            "\n" in text and answer_line(text, self._prompts[i // sequences_each])[1] for i, text in enumerate(texts)
        ]
        return torch.tensor(ended, dtype=torch.bool, device=input_ids.device)
