"""Small models with random weights, saved as the Hub would serve them: a reader, a seq2seq and a causal model.

Their tokenizers are trained on the project's samples and, where it stands beside the project, on DRCD.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tokenizers import Regex, Tokenizer, decoders, pre_tokenizers, processors
from tokenizers.models import BPE
from tokenizers.trainers import BpeTrainer
from transformers import (
    BertConfig,
    BertForQuestionAnswering,
    BertTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
    set_seed,
)

from metrics.shared.gold_files import read_gold, spans_of

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = {
    "drcd": ROOT / "metrics/drcd_char_f1/sample/gold.json",
    "orb": ROOT / "metrics/orb_em_f1/sample/gold.jsonl",
    "beerqa": ROOT / "metrics/beerqa_em_f1/sample/gold.json",
}
DRCD_DEV = ROOT.parent / "shared/data/DRCD_dev.json"
_FOLDERS = TemporaryDirectory(prefix="tiny-models-")

CHAT_TEMPLATE = (
    "{% for message in messages %}<{{ message.role }}> {{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant> {% endif %}"
)


def training_texts() -> Iterator[str]:
    """The contexts, questions and answers of the samples and, where it is there, of DRCD's development file."""
    files = [*SAMPLES.items(), *([("drcd", DRCD_DEV)] if DRCD_DEV.exists() else [])]
    for benchmark, path in files:
        contexts: set[str] = set()
        for question in read_gold(benchmark, path):
            yield question.question
            yield from spans_of(question.references)
            if question.context not in contexts:
                contexts.add(question.context)
                yield question.context


@cache
def saved(save: Callable[[Path], Path]) -> Path:
    """The folder of a model that all tests of a run share: ``saved(save_reader)``."""
    return save(Path(_FOLDERS.name) / save.__name__)


def save_reader(folder: Path, seed: int = 13) -> Path:
    """Save a BERT for extractive reading: one layer, 512 positions, WordPiece with a token per Chinese character.

    Args:
        folder: where to save model and tokenizer.
        seed: of the random weights.

    Returns:
        The folder, for ``from_pretrained``.
    """
    tokenizer = BertTokenizer(do_lower_case=False).train_new_from_iterator(training_texts(), vocab_size=6000)
    tokenizer.model_max_length = 512
    tokenizer.save_pretrained(folder)
    set_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=1,
        num_attention_heads=4,
        intermediate_size=128,
        initializer_range=0.1,  # so that few steps suffice to learn something
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pad_token_id=tokenizer.pad_token_id,
    )
    BertForQuestionAnswering(config).save_pretrained(folder)
    return folder


def save_seq2seq(folder: Path, seed: int = 13) -> Path:
    """Save a T5 of two layers with a byte-level tokenizer. Arguments and result as of ``save_reader``."""
    tokenizer = _byte_level_tokenizer("$A </s>", eos_token="</s>", pad_token="<pad>")
    tokenizer.save_pretrained(folder)
    set_seed(seed)
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=64,
        d_kv=16,
        d_ff=128,
        num_layers=2,
        num_heads=4,
        dropout_rate=0.0,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,  # type: ignore[call-arg]
    )
    T5ForConditionalGeneration(config).save_pretrained(folder)
    return folder


def save_causal(folder: Path, seed: int = 13, chat: bool = True) -> Path:
    """Save a Llama of two layers with a byte-level tokenizer.

    Args:
        folder: where to save model and tokenizer.
        seed: of the random weights.
        chat: whether the tokenizer has a chat template.

    Returns:
        The folder, for ``from_pretrained``.
    """
    tokenizer = _byte_level_tokenizer("<s> $A", bos_token="<s>", eos_token="</s>", pad_token="<pad>")
    tokenizer.chat_template = CHAT_TEMPLATE if chat else None
    tokenizer.save_pretrained(folder)
    set_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def _byte_level_tokenizer(template: str, **special_tokens: str) -> PreTrainedTokenizerFast:
    """A BPE over bytes, which can write any text; a text becomes what the template says (``"$A </s>"``)."""
    bpe = Tokenizer(BPE())
    # Chinese has no spaces: without the split a whole sentence would be one word, and training slow.
    split = pre_tokenizers.Split(Regex(r"\p{Han}"), "isolated")
    bpe.pre_tokenizer = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    bpe.decoder = decoders.ByteLevel()
    trainer = BpeTrainer(
        vocab_size=2000,
        special_tokens=list(special_tokens.values()),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(training_texts(), trainer)
    ids = [(token, bpe.token_to_id(token)) for token in special_tokens.values()]
    bpe.post_processor = processors.TemplateProcessing(single=template, special_tokens=ids)
    return PreTrainedTokenizerFast(tokenizer_object=bpe, model_max_length=2048, **special_tokens)
