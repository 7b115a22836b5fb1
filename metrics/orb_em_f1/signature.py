"""Signatures: what must be known of a number to get the same number again, in one line, as sacreBLEU gives them."""

from __future__ import annotations

from collections.abc import Sequence

VERSION = "1.0.0"
"""The project's version, as in ``setup.cfg``; the metric folders, which carry this file, have no other place for it."""


def signature(
    *,
    benchmark: str,
    split: str | None,
    data_sha256: str,
    protocol: str,
    references: Sequence[Sequence],
    resamples: int,
    seed: int,
) -> str:
    """The signature of a protocol's numbers.

    Args:
        benchmark: ``drcd``, ``beerqa``, ``orb`` or one dataset of ORB, as in ``orb/drop``.
        split: the split's name; None if it is not known.
        data_sha256: SHA-256 of the gold data in hexadecimal digits; the first twelve are shown.
        protocol: the protocol's name.
        references: the acceptable answers of each question, of which the fewest and the most are shown.
        resamples: of the bootstrap.
        seed: of the bootstrap.

    Returns:
        ``key:value`` pairs separated by ``|``; equal signatures and predictions mean equal digits.
    """
    counts = sorted({*map(len, references)})
    fields = {
        "benchmark": benchmark,
        "split": split or "unknown",
        "data": data_sha256[:12],
        "protocol": protocol,
        "answers": str(counts[0]) if len(counts) == 1 else f"{counts[0]}-{counts[-1]}",
        "version": VERSION,
        "resamples": str(resamples),
        "seed": str(seed),
    }
    return "|".join(f"{key}:{value}" for key, value in fields.items())
