"""The tab with the protocols and the metric card, whose code blocks (the citation is one) have buttons to copy them."""

from __future__ import annotations

from pathlib import Path

import gradio as gr

from .space_texts import FIGURE_NAMES, SpaceContent

_UNANSWERED = {"zero": "counts as 0", "left out": "is left out"}


def about_tab(content: SpaceContent) -> None:
    """Build the tab, inside the ``gr.Tab`` that is open.

    Args:
        content: the metric's demo.
    """
    gr.Markdown("## Protocols")
    gr.Markdown(protocol_table(content), elem_id="protocols")
    gr.Markdown(card_body(content.folder), elem_id="card")


def protocol_table(content: SpaceContent) -> str:
    """The protocols as a Markdown table."""
    rows = [
        f"| `{name}` | {protocol.description} | "
        f"{', '.join(FIGURE_NAMES[figure] for figure in protocol.figures)} | {_UNANSWERED[protocol.unanswered]} |"
        for name, protocol in content.protocols.items()
    ]
    head = "| Config | Whose numbers | Figures | A question without prediction |\n|---|---|---|---|"
    return "\n".join((head, *rows))


def card_body(folder: Path) -> str:
    """The metric card without its front matter."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    return text.split("\n---\n", 1)[-1] if text.startswith("---\n") else text
