"""Load a model of whatever kind its checkpoint holds, told from the architecture that the configuration names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoModelForQuestionAnswering,
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    PretrainedConfig,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
)

from scripts.predict_arguments import ModelArguments

ModelKind = Literal["extractive", "seq2seq", "causal"]

_ARCHITECTURES: dict[ModelKind, dict[str, str]] = {
    "extractive": MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES,
    "seq2seq": MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    "causal": MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
}


def model_kind(config: PretrainedConfig) -> ModelKind:
    """The kind of a model.

    Args:
        config: Its configuration.

    Returns:
        ``extractive`` for ``AutoModelForQuestionAnswering``, ``seq2seq`` for ``AutoModelForSeq2SeqLM``, ``causal`` for
        ``AutoModelForCausalLM``.

    Raises:
        ValueError: The architecture is of none of these, or not named.
    """
    named = config.architectures or []
    for kind, names in _ARCHITECTURES.items():
        if any(name in names.values() for name in named):
            return kind
    found = ", ".join(named) or "no architecture"
    raise ValueError(
        f"expected a model for question answering, sequence-to-sequence or causal language modelling, found {found}"
    )


@dataclass(frozen=True)
class LocalModel:
    """A model on its device, and its tokenizer."""

    kind: ModelKind
    model: Any
    tokenizer: Any


def load_model(name: str, arguments: ModelArguments, cache_dir: str | None) -> LocalModel:
    """Load a model for prediction, onto an accelerator where there is one.

    Args:
        name: A model of the Hub, or a folder.
        arguments: What else tells which model.
        cache_dir: Where downloads are kept.

    Returns:
        The model in evaluation mode.

    Raises:
        ValueError: The checkpoint is of no kind that answers questions.
        OSError: There is no such model.
    """
    source: dict[str, Any] = {
        "cache_dir": cache_dir,
        "revision": arguments.model_revision,
        "trust_remote_code": arguments.trust_remote_code,
    }
    config = AutoConfig.from_pretrained(name, **source)
    kind = model_kind(config)
    auto_class = {
        "extractive": AutoModelForQuestionAnswering,
        "seq2seq": AutoModelForSeq2SeqLM,
        "causal": AutoModelForCausalLM,
    }[kind]
    model = auto_class.from_pretrained(name, config=config, dtype=arguments.dtype, **source)
    tokenizer = AutoTokenizer.from_pretrained(arguments.tokenizer_name or name, **source)
    device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else "cpu"
    return LocalModel(kind, model.to(device).eval(), tokenizer)
