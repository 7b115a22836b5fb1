"""Which kind of model a checkpoint holds, told from the architecture that its configuration names."""

from __future__ import annotations

from typing import Literal

from transformers import PretrainedConfig
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_QUESTION_ANSWERING_MAPPING_NAMES,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
)

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
        f"expected a checkpoint for question answering, sequence-to-sequence or causal language modelling, found {found}"
    )
