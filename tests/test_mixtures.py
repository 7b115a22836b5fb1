"""The mixture's schedule, its draws, and that nothing but the seed decides them."""

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from datasets import Dataset, Features, Json, List, Value
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.mixtures import by_dataset, first_examples, mix, sampling_probabilities

# Unequal, as real collections are: one is seventy times another.
SIZES = {"squad1": 876, "squad2": 1303, "drop": 774, "newsqa": 925, "quoref": 194, "ropes": 109, "synthetic": 18}
SCHEDULE: dict[str, Any] = {"uniform_examples": 4000, "transition_examples": 4000}
WINDOW = 1000


def numbered(sizes: dict[str, int]) -> dict[str, Dataset]:
    return {name: Dataset.from_dict({"dataset": [name] * size, "number": range(size)}) for name, size in sizes.items()}


def taken(stream: Iterator[dict[str, Any]], examples: int) -> list[tuple[str, int]]:
    return [(row["dataset"], row["number"]) for row in itertools.islice(stream, examples)]


def test_the_schedule_by_hand() -> None:
    def at(example: int) -> dict[str, float]:
        return sampling_probabilities({"a": 1, "b": 3}, example, uniform_examples=10, transition_examples=4)

    assert at(0) == at(9) == at(10) == {"a": 0.5, "b": 0.5}
    assert at(12) == {"a": 0.375, "b": 0.625}
    assert at(14) == at(10**12) == {"a": 0.25, "b": 0.75}


def test_no_transition_switches_at_once() -> None:
    sizes = {"b": 3, "a": 1}
    before, after = (
        sampling_probabilities(sizes, example, uniform_examples=10, transition_examples=0) for example in (9, 10)
    )
    assert list(before) == list(after) == ["b", "a"]
    assert (before, after) == ({"a": 0.5, "b": 0.5}, {"a": 0.25, "b": 0.75})


@given(
    st.dictionaries(st.text(max_size=3), st.integers(1, 10**7), min_size=1),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
)
def test_probabilities_sum_to_one_and_move_from_equal_to_size(
    sizes: dict[str, int], example: int, uniform_examples: int, transition_examples: int
) -> None:
    found = sampling_probabilities(
        sizes, example, uniform_examples=uniform_examples, transition_examples=transition_examples
    )
    assert sum(found.values()) == pytest.approx(1)
    for name, probability in found.items():
        ends = sorted((1 / len(sizes), sizes[name] / sum(sizes.values())))
        assert ends[0] - 1e-12 <= probability <= ends[1] + 1e-12


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_window_has_the_scheduled_shares_within_sampling_error(seed: int) -> None:
    examples = 14_000
    rows = first_examples(numbered(SIZES), examples, **SCHEDULE, seed=seed)
    drawn = np.array(rows["dataset"][:])
    expected = [sampling_probabilities(SIZES, example, **SCHEDULE) for example in range(examples)]
    for name in SIZES:
        probabilities = np.array([row[name] for row in expected])

        def window_means(values: np.ndarray) -> np.ndarray:
            return np.convolve(values, np.ones(WINDOW) / WINDOW, mode="valid")

        shares, means = window_means((drawn == name).astype(float)), window_means(probabilities)
        sampling_error = np.sqrt(means * (1 - means) / WINDOW)
        assert len(shares) == examples - WINDOW + 1
        assert np.abs(shares - means).max() > 0
        assert (np.abs(shares - means) <= 3 * sampling_error).all(), name


def test_each_example_has_the_scheduled_probability() -> None:
    sizes = {"a": 1, "b": 2, "c": 5}
    schedule: dict[str, Any] = {"uniform_examples": 2, "transition_examples": 4}
    seeds = 300
    datasets = numbered(sizes)
    drawn = [first_examples(datasets, 8, **schedule, seed=seed)["dataset"][:] for seed in range(seeds)]
    for place in range(8):
        counts = Counter(row[place] for row in drawn)
        for name, probability in sampling_probabilities(sizes, place, **schedule).items():
            error = (probability * (1 - probability) / seeds) ** 0.5
            assert abs(counts[name] / seeds - probability) <= 4 * error


def test_each_example_comes_once_in_each_turn_and_turns_differ() -> None:
    sizes = {"a": 3, "b": 40, "c": 100}
    drawn = taken(iter(mix(numbered(sizes), **SCHEDULE, seed=5)), 1000)
    for name, size in sizes.items():
        numbers = [number for source, number in drawn if source == name]
        turns = [numbers[start : start + size] for start in range(0, len(numbers) - size + 1, size)]
        assert len(turns) >= 3
        assert all(sorted(turn) == list(range(size)) for turn in turns)
        assert len(set(map(tuple, turns))) > 1


def test_the_seed_alone_decides() -> None:
    datasets = numbered(SIZES)
    first = taken(iter(mix(datasets, **SCHEDULE, seed=3)), 500)
    assert taken(iter(mix(datasets, **SCHEDULE, seed=3)), 500) == first
    turned = dict(reversed(datasets.items()))
    assert taken(iter(mix(turned, **SCHEDULE, seed=3)), 500) == first
    assert taken(iter(first_examples(datasets, 500, **SCHEDULE, seed=3)), 500) == first
    assert taken(iter(mix(datasets, **SCHEDULE, seed=4)), 500) != first


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(1, 150), min_size=1, max_size=4))
def test_a_saved_state_continues_where_it_stopped(pieces: list[int]) -> None:
    datasets = numbered(SIZES)
    found: list[tuple[str, int]] = []
    state = None
    for piece in pieces:
        mixture = mix(datasets, **SCHEDULE, seed=3)
        if state:
            mixture.load_state_dict(json.loads(state))
        found += taken(iter(mixture), piece)
        state = json.dumps(mixture.state_dict())
    assert found == taken(iter(first_examples(datasets, sum(pieces), **SCHEDULE, seed=3)), sum(pieces))


def test_an_epoch_changes_nothing() -> None:
    mixture = mix(numbered(SIZES), **SCHEDULE, seed=3)
    first = taken(iter(mixture), 200)
    mixture.set_epoch(1)
    assert taken(iter(mixture), 200) == first


@pytest.mark.parametrize("batch_size", [1, 7, 32])
@pytest.mark.parametrize("workers", [1, 2])
def test_any_number_of_workers_gives_the_same_batches(workers: int, batch_size: int) -> None:
    from torch.utils.data import DataLoader

    def batches(num_workers: int) -> list[tuple[list[str], list[int]]]:
        loader = DataLoader(mix(numbered(SIZES), **SCHEDULE, seed=3), batch_size=batch_size, num_workers=num_workers)
        return [(batch["dataset"], batch["number"].tolist()) for batch in itertools.islice(loader, 40)]

    assert batches(workers) == batches(0)


def test_rows_of_every_type_come_as_they_are() -> None:
    features = Features({"dataset": Value("string"), "references": Json(), "start": List(Value("int32"))})
    rows = [
        {"dataset": "drop", "references": ["12", ["Ann", "Bo"]], "start": [-1]},
        {"dataset": "squad2", "references": [""], "start": []},
    ]
    pooled = Dataset.from_list(rows, features=features).with_format("numpy")
    mixture = mix(by_dataset(pooled), uniform_examples=0, transition_examples=0, seed=0)
    assert mixture.features == features
    drawn = list(mixture.take(40))
    assert len(drawn) == 40
    assert all(row in rows for row in drawn)
    assert all(row in drawn for row in rows)


def test_what_cannot_be_mixed_is_named() -> None:
    datasets = numbered({"a": 2, "b": 3})
    with pytest.raises(ValueError, match="datasets: expected at least one"):
        mix({}, **SCHEDULE, seed=0)
    with pytest.raises(ValueError, match=r"datasets\['empty'\]: expected at least one example, found 0"):
        mix(datasets | {"empty": datasets["a"].select([])}, **SCHEDULE, seed=0)
    with pytest.raises(ValueError, match=r"datasets\['b'\]: expected the columns of 'a'.*found.*'other'"):
        mix(datasets | {"b": datasets["b"].rename_column("number", "other")}, **SCHEDULE, seed=0)
    with pytest.raises(ValueError, match="uniform_examples: expected 0 or more, found -1"):
        mix(datasets, uniform_examples=-1, transition_examples=0, seed=0)
    with pytest.raises(ValueError, match="transition_examples: expected 0 or more, found -2"):
        first_examples(datasets, 1, uniform_examples=0, transition_examples=-2, seed=0)
    with pytest.raises(ValueError, match="seed: expected 0 or more, found -3"):
        mix(datasets, **SCHEDULE, seed=-3)
    with pytest.raises(ValueError, match="example: expected 0 or more, found -1"):
        sampling_probabilities({"a": 1}, -1, **SCHEDULE)
    with pytest.raises(ValueError, match="expected a column 'dataset', found number"):
        by_dataset(datasets["a"].remove_columns("dataset"))
    with pytest.raises(ValueError, match="row 1: expected a text in column 'dataset', found None"):
        by_dataset(Dataset.from_dict({"dataset": ["a", None]}))


@pytest.mark.training
def test_trainer_takes_it_and_resumes(tmp_path: Path) -> None:
    import torch
    from transformers import Trainer, TrainingArguments

    class Line(torch.nn.Module):
        """A model of one weight that keeps the numbers it was shown."""

        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))
            self.seen: list[int] = []

        def forward(self, number: torch.Tensor) -> dict[str, torch.Tensor]:
            self.seen += number.tolist()
            return {"loss": ((self.weight - number.float()) ** 2).mean()}

    def trainer(model: Line, workers: int) -> Trainer:
        arguments = TrainingArguments(
            output_dir=str(tmp_path),
            max_steps=8,
            save_steps=5,
            per_device_train_batch_size=4,
            dataloader_num_workers=workers,
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
        )
        return Trainer(model=model, args=arguments, train_dataset=mix(numbered(SIZES), **SCHEDULE, seed=3))

    whole = [number for _, number in taken(iter(mix(numbered(SIZES), **SCHEDULE, seed=3)), 32)]
    for workers in (0, 2):
        first, resumed = Line(), Line()
        trainer(first, workers).train()
        assert first.seen == whole
        trainer(resumed, workers).train(resume_from_checkpoint=str(tmp_path / "checkpoint-5"))
        assert resumed.seen == whole[20:]
        assert torch.equal(resumed.weight, first.weight)
