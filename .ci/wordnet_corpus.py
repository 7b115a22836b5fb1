"""Lays out Debian's WordNet 3.0 (packages wordnet-base and wordnet-sense-index) as the corpus that NLTK looks for.

Usage: python .ci/wordnet_corpus.py TARGET, then set NLTK_DATA=TARGET.
"""

import shutil
import sys
from pathlib import Path

DEBIAN = Path("/usr/share/wordnet")
# Debian leaves out the list of lexicographer files (wndb manual, lexnames(5WN)): number, name, part of speech.
NOUNS = "act animal artifact attribute body cognition communication event feeling food group location motive object"
MORE_NOUNS = "person phenomenon plant possession process quantity relation shape state substance time"
VERBS = "body change cognition communication competition consumption contact creation emotion motion perception"
MORE_VERBS = "possession social stative weather"


def lexicographer_files() -> list[str]:
    """The lines of ``lexnames``."""
    nouns = [f"noun.{name}\t1" for name in f"Tops {NOUNS} {MORE_NOUNS}".split()]
    verbs = [f"verb.{name}\t2" for name in f"{VERBS} {MORE_VERBS}".split()]
    names = ["adj.all\t3", "adj.pert\t3", "adv.all\t4", *nouns, *verbs, "adj.ppl\t3"]
    return [f"{number:02d}\t{name}\n" for number, name in enumerate(names)]


def main(target: Path) -> None:
    """Copy the data files and write the list that is missing."""
    corpus = target / "corpora" / "wordnet"
    shutil.copytree(DEBIAN, corpus, dirs_exist_ok=True)
    (corpus / "lexnames").write_text("".join(lexicographer_files()), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
