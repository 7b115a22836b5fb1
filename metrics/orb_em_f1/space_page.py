"""The demo of a metric: one page for all of them, what differs comes from the metric's ``space_content.py``."""

from __future__ import annotations

import contextlib
import threading
from html import escape
from pathlib import Path

import gradio as gr

from .space_about import about_tab
from .space_file import file_tab
from .space_scoring import LARGEST_UPLOAD
from .space_texts import SpaceContent
from .space_try import try_tab

_SECONDS_BETWEEN_CLEANINGS = 300
_SECONDS_KEPT = 1800
_STYLE = Path(__file__).parent / "space_style.css"
_FONTS = ("system-ui", "-apple-system", "Segoe UI", "Noto Sans", "Noto Sans CJK TC", "sans-serif")
_MONOSPACE = ("ui-monospace", "SFMono-Regular", "Consolas", "DejaVu Sans Mono", "monospace")


def page_of(content: SpaceContent) -> gr.Blocks:
    """Build the page.

    Args:
        content: the metric's demo.

    Returns:
        The page, to be given to ``launch``.
    """
    with gr.Blocks(
        title=content.title,
        analytics_enabled=False,
        delete_cache=(_SECONDS_BETWEEN_CLEANINGS, _SECONDS_KEPT),
    ) as demo:
        gr.HTML(f"<h1>{escape(content.title)}</h1><p>{escape(content.summary)}</p>", elem_id="heading")
        with gr.Tabs():
            with gr.Tab(content.labels.try_it, id="try"):
                try_tab(content)
            with gr.Tab(content.labels.score_a_file, id="file"):
                file_tab(content, _SECONDS_KEPT // 60)
            with gr.Tab(content.labels.about, id="about"):
                about_tab(content)
    return demo


def launch(demo: gr.Blocks, content: SpaceContent) -> None:
    """Serve the page until it is interrupted; what the first scores need is loaded meanwhile.

    Args:
        demo: the page.
        content: the metric's demo.
    """

    def warm_up() -> None:
        with contextlib.suppress(ImportError):  # the page says what is missing when it is needed
            content.warm_up()

    threading.Thread(target=warm_up, daemon=True).start()
    demo.launch(
        theme=_theme(content.hue),
        head=f"<style>{_STYLE.read_text(encoding='utf-8')}</style>",  # Gradio's own ``css`` rewrites the selectors
        max_file_size=LARGEST_UPLOAD,
        allowed_paths=[str(content.folder / "sample")],
        ssr_mode=False,
        footer_links=["api", "settings"],
    )


def _theme(hue: str) -> gr.themes.Base:
    """Gradio's Soft with system fonts, and with small print dark enough to read."""
    return gr.themes.Soft(primary_hue=hue, font=_FONTS, font_mono=_MONOSPACE).set(
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_300",
        block_title_text_color="*body_text_color",
        block_title_background_fill="transparent",
        block_title_background_fill_dark="transparent",
        block_title_padding="0",
        block_label_text_color="*body_text_color",
        block_label_background_fill="*background_fill_secondary",
        block_label_background_fill_dark="*background_fill_secondary",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover_dark="*primary_800",
        button_secondary_background_fill_dark="*neutral_700",
        button_secondary_background_fill_hover_dark="*neutral_600",
        input_border_width="1px",
        input_border_width_dark="1px",
        input_border_color="*neutral_400",
        input_border_color_dark="*neutral_500",
        link_text_color="*primary_700",
        link_text_color_dark="*primary_300",
    )
