"""The bootstrap against the plain loop it stands for, and its intervals against what they promise."""

from collections.abc import Iterable, Mapping
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.shared.intervals import Statistic, bootstrap, interval, paired_intervals
from metrics.shared.protocol import Protocol
from metrics.shared.protocol_scores import score_protocol
from metrics.shared.question_table import QuestionTable

FOLDERS = ("orb_em_f1", "drcd_char_f1", "beerqa_em_f1")


def _protocols() -> list[Protocol]:
    return [one for folder in FOLDERS for one in import_module(f"metrics.{folder}.protocols").PROTOCOLS.values()]


def _plain(statistic: Statistic, drawn: np.ndarray) -> float:
    """The statistic of the questions drawn, group by group and question by question."""
    groups: dict[int, list[tuple[float, float]]] = {}
    for i in drawn:
        group = 0 if statistic.groups is None else int(statistic.groups[i])
        if group >= 0:
            counted = groups.setdefault(group, [])
            if not np.isnan(statistic.values[i]):
                counted.append((statistic.values[i], 1.0 if statistic.weights is None else statistic.weights[i]))
    means = []
    for counted in groups.values():
        total = sum(weight for _, weight in counted)
        means.append(sum(value * weight for value, weight in counted) / total if total else 0.0)
    return sum(means) / len(means) if means else float("nan")


def _draws(total: int, resamples: int, seed: int) -> list[np.ndarray]:
    """The questions that ``bootstrap`` draws where no two questions are alike."""
    random = np.random.default_rng(seed)
    return [random.integers(total, size=total, dtype=np.int32) for _ in range(resamples)]


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_each_resample_is_what_a_loop_over_its_questions_gives(data: st.DataObject) -> None:
    total = data.draw(st.integers(1, 30))

    def column(values: st.SearchStrategy) -> np.ndarray:
        return np.array(data.draw(st.lists(values, min_size=total, max_size=total)))

    different = Statistic(np.linspace(0, 1, total))  # makes every question a kind of its own
    figure = st.sampled_from([0.0, 0.25, 1.0, float("nan")])
    statistics = [
        different,
        Statistic(column(figure)),
        Statistic(column(figure), column(st.integers(-1, 3))),
        Statistic(column(figure), column(st.integers(-1, 1)), column(st.integers(0, 3))),
    ]
    found = bootstrap(statistics, resamples=5, seed=7)
    expected = [[_plain(statistic, drawn) for statistic in statistics] for drawn in _draws(total, 5, seed=7)]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("protocol", _protocols(), ids=lambda protocol: f"{protocol.name}-{len(protocol.figures)}")
def test_statistics_of_a_protocol_follow_its_own_aggregate(protocol: Protocol) -> None:
    """Each number of a resample is what ``aggregate`` says of the questions drawn, to its rounding."""
    random = np.random.default_rng(3)
    total = 60
    # The datasets of ORB's official protocol decide what enters its average; the smallest is missing from resamples.
    names = ["narrativeqa", "ropes", "ropes_syn", "drop", "squad1"]
    datasets = [names[i] for i in random.choice(5, total, p=[0.3, 0.3, 0.25, 0.13, 0.02])]
    table = QuestionTable(list(map(str, range(total))), datasets, ["x"] * total, [["x"]] * total)
    narrative = np.array(datasets) == "narrativeqa"
    columns = {}
    for i, figure in enumerate(protocol.figures):
        values = random.random(total)
        if len(protocol.figures) > 4:
            values[narrative == (i < 2)] = np.nan
        columns[figure] = values
    drawn_protocol = Protocol(**{**protocol.__dict__, "score": lambda *_: columns})
    scored = score_protocol(drawn_protocol, table, "signature", resamples=1)
    samples = bootstrap([score.statistic for score in scored.scores], resamples=20, seed=5)
    assert {score.key for score in scored.scores} >= {"f1", "ropes_f1"}
    for drawn, row in zip(_draws(total, 20, seed=5), samples, strict=True):
        of_drawn = {figure: values[drawn] for figure, values in columns.items()}
        expected = protocol.aggregate(of_drawn, [datasets[i] for i in drawn])
        for score, value in zip(scored.scores, row, strict=True):
            if score.key in expected:
                assert value == pytest.approx(expected[score.key], abs=5.1e-5), score.key
            else:
                assert np.isnan(value), score.key
    for score in scored.scores:
        assert score.value == scored.aggregate[score.key]


def test_many_alike_questions_are_drawn_as_often_as_single_ones() -> None:
    """Both ways of drawing, by kind and question by question, follow the same distribution."""
    alike = np.repeat([0.0, 0.4, 1.0], [500, 300, 200])
    by_kind = bootstrap([Statistic(alike)], resamples=4000, seed=1)[:, 0]
    single = bootstrap([Statistic(alike), Statistic(np.linspace(0, 1, 1000))], resamples=4000, seed=2)[:, 0]
    assert by_kind.mean() == pytest.approx(alike.mean(), abs=0.002)
    assert by_kind.std() == pytest.approx(alike.std() / 1000**0.5, rel=0.05)
    assert single.std() == pytest.approx(by_kind.std(), rel=0.06)


def test_intervals_hold_the_truth_about_as_often_as_they_promise() -> None:
    random = np.random.default_rng(11)
    held = 0
    for seed in range(300):
        low, high = interval(bootstrap([Statistic((random.random(200) < 0.3).astype(float))], 400, seed)[:, 0])
        held += low <= 0.3 <= high
    assert 0.90 <= held / 300 <= 0.985


def test_paired_intervals_see_a_small_difference_that_single_ones_hide() -> None:
    random = np.random.default_rng(2)
    first = random.random(2000)
    second = np.clip(first - 0.01, 0, 1)
    (low, high), *_ = paired_intervals([Statistic(first)], [Statistic(second)], 500)
    assert 0 < low <= (first - second).mean() <= high
    alone = [interval(bootstrap([Statistic(values)], 500)[:, 0]) for values in (first, second)]
    assert alone[0][0] < alone[1][1]
    assert paired_intervals([Statistic(first)], [Statistic(first)], 50) == [(0.0, 0.0)]


def test_the_seed_decides_and_chunks_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    statistic = Statistic(np.random.default_rng(0).random(300))
    expected = bootstrap([statistic], 50, seed=4)
    assert np.array_equal(bootstrap([statistic], 50, seed=4), expected)
    assert not np.array_equal(bootstrap([statistic], 50, seed=5), expected)
    headings = []

    def seen(items: Iterable, heading: str) -> Iterable:
        headings.append(heading)
        return items

    monkeypatch.setattr("metrics.shared.intervals._CHUNK_BYTES", 8 * 300 * 7)
    np.testing.assert_allclose(bootstrap([statistic], 50, seed=4, progress=seen), expected, rtol=1e-12)
    assert headings == ["resampling"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"statistics": []}, "at least one"),
        ({"statistics": [Statistic(np.array([]))]}, "at least one"),
        ({"statistics": [Statistic(np.ones(2)), Statistic(np.ones(3))]}, r"sizes \[2, 3\]"),
        ({"statistics": [Statistic(np.ones(2))], "resamples": 0}, "at least 1, found 0"),
    ],
)
def test_bad_arguments_are_named(arguments: Mapping, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bootstrap(**arguments)


def test_nothing_to_resample_has_no_interval() -> None:
    nobody = Statistic(np.ones(4), np.full(4, -1))
    samples = bootstrap([nobody], 10)[:, 0]
    assert np.isnan(samples).all()
    assert np.isnan(interval(samples)).all()
    uncounted = Statistic(np.full(4, np.nan))
    assert interval(bootstrap([uncounted], 10)[:, 0]) == (0.0, 0.0)
