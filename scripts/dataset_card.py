"""Write a loaded benchmark as a folder that ``datasets.load_dataset`` and the Hub's viewer read as it is."""

from __future__ import annotations

import sys
from pathlib import Path

from datasets import DatasetDict, DatasetInfo, SplitDict, SplitInfo
from datasets.info import DatasetInfosDict
from datasets.utils.metadata import MetadataConfigs
from huggingface_hub import DatasetCard, DatasetCardData, HfApi

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from metrics.shared.gold_files import parse_benchmark
from scripts.benchmark_sources import SOURCES

_BODY = """# {title} in standard columns

{summary} Homepage: {homepage}

{splits}

| column | type | meaning |
|---|---|---|
| `id` | string | the benchmark's own id |
| `dataset` | string | `drcd`; BeerQA's source; ORB's dataset name |
| `title`, `question` | string | |
| `context` | string | what a reader reads; empty where a split has none |
| `paragraphs` | list of {{title, text}} | BeerQA's supporting paragraphs; one entry elsewhere |
| `answers` | {{text, answer_start}} | SQuAD's form, for training; -1 where the text is not in the context |
| `references` | JSON | acceptable answers, for scoring; empty in a test split without answers |

## Licence

{licence_note}

## Citation

```bibtex
{citation}
```
"""


def write_folder(splits: DatasetDict, name: str, folder: Path) -> None:
    """Write one Parquet file a split, and a dataset card.

    Args:
        splits: What ``load_benchmark`` returns.
        name: The benchmark's name, as given to ``load_benchmark``.
        folder: Created if need be; files of the same names are overwritten.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sizes = SplitDict()
    for split, dataset in splits.items():
        written = dataset.to_parquet(folder / f"{split}.parquet")
        sizes.add(SplitInfo(name=str(split), num_bytes=written, num_examples=len(dataset)))
    download_size = sum((folder / f"{split}.parquet").stat().st_size for split in splits)
    features = next(iter(splits.values())).features
    info = DatasetInfo(
        features=features,
        splits=sizes,
        download_size=download_size,
        dataset_size=sum(size.num_bytes for size in sizes.values()),
    )
    _card(splits, name, info).save(folder / "README.md")


def _card(splits: DatasetDict, name: str, info: DatasetInfo) -> DatasetCard:
    benchmark = SOURCES[parse_benchmark(name)[0]]
    title = f"{benchmark.title} ({name.partition('/')[2]})" if "/" in name else benchmark.title
    data = DatasetCardData(
        pretty_name=title,
        language=[benchmark.language],
        license=benchmark.licence,
        task_categories=["question-answering"],
        citation=benchmark.citation,
    )
    DatasetInfosDict({"default": info}).to_dataset_card_data(data)
    files = [{"split": str(split), "path": f"{split}.parquet"} for split in splits]
    MetadataConfigs({"default": {"data_files": files}}).to_dataset_card_data(data)
    body = _BODY.format(
        title=title,
        summary=benchmark.summary,
        homepage=benchmark.homepage,
        splits="\n".join(f"- {dataset.info.description}" for dataset in splits.values()),
        licence_note=benchmark.licence_note,
        citation=benchmark.citation,
    )
    return DatasetCard(f"---\n{data.to_yaml()}\n---\n\n{body}")


def push_folder(folder: Path, repository: str, private: bool) -> str:
    """Push a folder written by ``write_folder`` to a dataset repository of the Hub, creating it if need be.

    Args:
        folder: What to push.
        repository: ``USER/NAME``.
        private: Create it as a private repository.

    Returns:
        The repository's address.

    Raises:
        OSError: The Hub cannot be reached or refuses.
        ValueError: The repository's name is not a valid one.
    """
    api = HfApi()
    url = api.create_repo(repository, repo_type="dataset", private=private, exist_ok=True)
    api.upload_folder(
        folder_path=folder, repo_id=repository, repo_type="dataset", commit_message="Add the benchmark's splits"
    )
    return str(url)
