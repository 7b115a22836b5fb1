"""Variants of reading-comprehension questions. Every module here that registers a kind is found by itself."""

from importlib import import_module
from pkgutil import iter_modules

from .registry import KINDS, Kind, Variant

for _module in sorted(iter_modules(__path__), key=lambda module: module.name):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["KINDS", "Kind", "Variant"]
