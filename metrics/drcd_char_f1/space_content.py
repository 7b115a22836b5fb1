"""What the demo says of DRCD: texts in English and Traditional Chinese, and instructive pairs."""

from __future__ import annotations

from pathlib import Path

from .cmrc2018 import cmrc_tokens
from .protocols import PROTOCOLS
from .space_marks import MARKERS
from .space_texts import Example, Labels, SpaceContent

_LABELS = Labels(
    try_it="Try it 試用",
    score_a_file="Score a file 評分",
    about="About 關於",
    prediction="Prediction 預測答案",
    prediction_info="What the system answered. 系統的回答。",
    answers="Acceptable answers 標準答案",
    answers_info="One a line; the best one counts. Leave empty for “no answer”. 每行一個，取最高分；留空表示無答案。",
    examples="Examples 範例",
    answer="Answer 標準答案",
    matches="matches 相符",
    differs="no partner 不相符",
    repeated="repeated, counted once 重複，只計一次",
    removed="removed by normalisation 正規化時刪除",
    predictions_file="Predictions 預測檔",
    gold_file="Gold answers 標準答案檔",
    score="Score 評分",
    sample="Use the sample files 使用範例檔",
    formats="Formats and options 格式與選項",
)

_EXAMPLES = (
    Example(
        "Brackets 引號",
        "「新高山」",
        "新高山",
        "DRCD’s authors delete eight full-width marks, and 「」 are not among them. 官方只刪八種全形標點，不含「」。",
    ),
    Example(
        "Punctuation 標點",
        "《水滸傳》",
        "水滸傳",
        "The card and DRCD’s authors delete 《》; so does the CMRC 2018 script. 各種評分都會刪去書名號。",
    ),
    Example(
        "Repeated characters 重複的字",
        "圓仔圓仔圓仔",
        "圓仔",
        "As a set of characters both sides are the same; as bags they are not. 以集合計算得滿分，以字袋計算則否。",
    ),
    Example(
        "Order 順序",
        "市北臺",
        "臺北市\n臺北",
        "A bag has no order: F1 is 1 without an exact match, but not where a common run counts. 字袋不看順序。",
    ),
    Example(
        "Numbers 數字",
        "3952公尺",
        "3,952公尺\n海拔3,952公尺",
        "The comma is punctuation for most protocols; the CMRC 2018 script keeps it, so one token differs. "
        "千分位逗號在 CMRC 2018 不會刪去。",
    ),
    Example(
        "Full-width digits 全形數字",
        "１９６１年",
        "1961年",
        "No protocol turns full-width digits into ASCII ones. 沒有任何評分會把全形數字轉成半形。",
    ),
    Example(
        "Latin letters 拉丁字母",
        "the World Wide Web",
        "World Wide Web",
        "The official protocol lowers the case and drops the article; cmrc2018 counts words, not letters. "
        "官方評分不分大小寫並刪去冠詞；cmrc2018 以單字計。",
    ),
    Example(
        "A part 部分相符",
        "南投縣魚池鄉",
        "魚池鄉\n臺灣南投縣魚池鄉",
        "Each answer is tried, and the best score counts. 逐一比對，取最高分。",
    ),
    Example(
        "No answer 無答案", "", "竹子", "An empty prediction has nothing in common with any answer. 空白預測得零分。"
    ),
)

SPACE = SpaceContent(
    benchmark="drcd",
    title="DRCD: exact match and character F1 · 繁體中文閱讀理解評分",
    summary="Scores answers to DRCD’s Traditional Chinese questions under four protocols at once, and shows why they "
    "differ. 同時以四種方式為 DRCD 的答案評分，並顯示分數為何不同。",
    hue="emerald",
    language="zh-Hant",
    folder=Path(__file__).parent,
    protocols=PROTOCOLS,
    markers=MARKERS,
    examples=_EXAMPLES,
    labels=_LABELS,
    warm_up=lambda: cmrc_tokens("NLTK, once."),
)
