"""Training mixtures of several datasets: each alike at first, then by size.

The ORB card warns that random sampling from the pooled datasets forgets the small ones; the benchmark's authors sample
every dataset alike at first. A mixture here follows one schedule over its examples n = 0, 1, 2, …:

| examples | probability of a dataset |
|---|---|
| n < `uniform_examples` | 1 / number of datasets |
| the next `transition_examples` | a straight line from the one to the other |
| all later ones | its size / the sum of the sizes |

`sampling_probabilities` is that table as a function. The draws are *stratified*: of every 100 consecutive examples one
is drawn from each hundredth of the cumulated probabilities, in random order. At each n a dataset has exactly the
probability of the schedule, and its share of any run of examples strays less than with independent draws. Within a
dataset the order is a random permutation, and a new one only after each example had its turn.

The stream has no end (train with `max_steps`). It is a function of the datasets, the schedule and the seed alone:

* *Resuming*: `state_dict()` and `load_state_dict()` of `datasets.IterableDataset` continue after the last example
  taken, given the same datasets, schedule and seed; the draws are repeated, the rows before are not read. The state is
  that of the process that reads, so ask for it with `num_workers=0`. `Trainer` needs no state: resuming from its
  checkpoint it skips what it had.
* *Workers*: a `torch` `DataLoader` gives the same batches with any `num_workers`. One worker reads the mixture, the
  others have nothing to do (`datasets` says so in a warning): a worker does not know the batch size, so that several
  readers would change the order. What is slow, such as tokenising, belongs before the mixture, in
  `Dataset.map(num_proc=…)`; "size" then counts what that gives, windows for instance.
"""

import itertools
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from datasets import Dataset, IterableDataset, concatenate_datasets

STRATA = 100


def sampling_probabilities(
    sizes: Mapping[str, int], example: int, *, uniform_examples: int, transition_examples: int
) -> dict[str, float]:
    """Gives the probability of each dataset at one place of the stream.

    Args:
        sizes: Examples in each dataset, by name.
        example: The place in the stream, from 0.
        uniform_examples: How many examples are drawn with every dataset alike.
        transition_examples: Over how many more the probabilities move to the datasets' sizes; 0 switches at once.

    Returns:
        A probability for each name, in the order of `sizes`; they sum to 1.

    Raises:
        ValueError: No dataset, one without examples, or a negative number.
    """
    _check_schedule(sizes, uniform_examples, transition_examples)
    if example < 0:
        raise ValueError(f"example: expected 0 or more, found {example}")
    row = _probabilities(np.array(list(sizes.values())), np.array([example]), uniform_examples, transition_examples)[0]
    return dict(zip(sizes, row.tolist(), strict=True))


def mix(
    datasets: Mapping[str, Dataset], *, uniform_examples: int, transition_examples: int, seed: int
) -> IterableDataset:
    """Mixes datasets into one endless stream: each alike at first, then by size (the schedule of this module).

    Args:
        datasets: The datasets by name, all with the same columns and types. The order of the names does not matter.
        uniform_examples: How many examples are drawn with every dataset alike.
        transition_examples: Over how many more the probabilities move to the datasets' sizes; 0 switches at once.
        seed: Seed of the draws and of the order within each dataset, 0 or more.

    Returns:
        Their rows as Python objects, whatever format the datasets have: use `with_format` on the result.

    Raises:
        ValueError: No dataset, one without examples, a negative number, or columns that differ.
    """
    pooled, plan = _plan(datasets, uniform_examples, transition_examples, seed)
    draws = IterableDataset.from_generator(_draw, gen_kwargs=plan)
    return draws.map(partial(_read, pooled=pooled), remove_columns=["row"], features=pooled.features)


def first_examples(
    datasets: Mapping[str, Dataset], examples: int, *, uniform_examples: int, transition_examples: int, seed: int
) -> Dataset:
    """Gives the first examples of the stream that `mix` makes of the same arguments, as a dataset of their number.

    Args:
        datasets, uniform_examples, transition_examples, seed: As `mix` takes them.
        examples: How many, 0 or more.

    Returns:
        The rows, in the order of the stream.

    Raises:
        ValueError: As `mix`.
    """
    pooled, plan = _plan(datasets, uniform_examples, transition_examples, seed)
    return pooled.select([drawn["row"] for drawn in itertools.islice(_draw(**plan), examples)])


def by_dataset(rows: Dataset) -> dict[str, Dataset]:
    """Splits rows in the standard columns by their column `dataset`, for `mix`.

    Raises:
        ValueError: There is no such column, or a row has no text in it.
    """
    if "dataset" not in rows.column_names:
        raise ValueError(f"expected a column 'dataset', found {', '.join(rows.column_names)}")
    places: dict[str, list[int]] = {}
    for place, name in enumerate(rows["dataset"][:]):
        if not isinstance(name, str):
            raise ValueError(f"row {place}: expected a text in column 'dataset', found {name!r}")
        places.setdefault(name, []).append(place)
    return {name: rows.select(found) for name, found in sorted(places.items())}


def _plan(
    datasets: Mapping[str, Dataset], uniform_examples: int, transition_examples: int, seed: int
) -> tuple[Dataset, dict[str, Any]]:
    """Returns all rows, one dataset after the other by name, and the arguments of `_draw`; checks everything."""
    names = sorted(datasets)
    sizes = {name: len(datasets[name]) for name in names}
    _check_schedule(sizes, uniform_examples, transition_examples)
    if seed < 0:
        raise ValueError(f"seed: expected 0 or more, found {seed}")
    features = datasets[names[0]].features
    for name in names[1:]:
        if datasets[name].features != features:
            raise ValueError(
                f"datasets[{name!r}]: expected the columns of {names[0]!r}, {features}, found {datasets[name].features}"
            )
    pooled = concatenate_datasets([datasets[name].with_format(None) for name in names])
    return pooled, {
        "sizes": tuple(sizes.values()),
        "uniform_examples": uniform_examples,
        "transition_examples": transition_examples,
        "seed": seed,
    }


def _check_schedule(sizes: Mapping[str, int], uniform_examples: int, transition_examples: int) -> None:
    if not sizes:
        raise ValueError("datasets: expected at least one, found none")
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"datasets[{name!r}]: expected at least one example, found {size}")
    for argument, value in (("uniform_examples", uniform_examples), ("transition_examples", transition_examples)):
        if value < 0:
            raise ValueError(f"{argument}: expected 0 or more, found {value}")


def _probabilities(
    sizes: np.ndarray, examples: np.ndarray, uniform_examples: int, transition_examples: int
) -> np.ndarray:
    """Returns the probabilities of all datasets (columns) at the given places of the stream (rows)."""
    since = examples - uniform_examples
    by_size = since >= 0 if transition_examples == 0 else np.clip(since / transition_examples, 0, 1)
    return (1 - by_size)[:, None] / len(sizes) + by_size[:, None] * sizes / sizes.sum()


def _draw(
    sizes: tuple[int, ...], uniform_examples: int, transition_examples: int, seed: int
) -> Iterator[dict[str, int]]:
    """Yields the row of each example, counted over all datasets one after the other."""
    generator = np.random.default_rng(np.random.SeedSequence(seed))
    offsets = [0, *itertools.accumulate(sizes)]
    orders = [_rows_in_turn(size, seed, source) for source, size in enumerate(sizes)]
    for first in itertools.count(step=STRATA):
        examples = np.arange(first, first + STRATA)
        limits = _probabilities(np.array(sizes), examples, uniform_examples, transition_examples).cumsum(axis=1)
        points = (generator.permutation(STRATA) + generator.random(STRATA)) / STRATA
        # The last limit is 1 up to rounding and is not asked, so that every point falls to a dataset.
        for source in (points[:, None] >= limits[:, :-1]).sum(axis=1).tolist():
            yield {"row": offsets[source] + next(orders[source])}


def _rows_in_turn(size: int, seed: int, source: int) -> Iterator[int]:
    """Yields the rows of one dataset without end, each once in every turn."""
    for turn in itertools.count():
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(source, turn)))
        yield from generator.permutation(size).tolist()


def _read(drawn: dict[str, int], pooled: Dataset) -> dict[str, Any]:
    return pooled[drawn["row"]]
