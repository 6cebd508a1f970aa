"""How much damage the checks find, how often they cry wolf, and what confidence means.

python -m benchmarks.trust DATA_FOLDER --work FOLDER [--only-kept]

DATA_FOLDER holds ``files`` and ``pages``; FOLDER keeps the replies of OCR (seconds a page, once). Every page
is read by OCR from its picture alone and compared with the words that its file stores. Then the reading is
damaged on purpose, one kind at a time, seeded, in elements that had no warning before. Documents are in two
halves: thresholds and the table of `checks/confidence.py` were set by looking at the one ("tuned"), and the
figures to report are those of the other ("held out"). A last part takes the files' own words in place of OCR:
what is wrong there is the comparison.

**The figures come from OCR replies and not from Nemotron's.** OCR errs in letters that look alike and loses
thin characters; a generative model makes up words that look right. What holds for both is the comparison.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from zlib import crc32

from nemoparse_loaders.checks import verified
from nemoparse_loaders.checks.comparison import compare
from nemoparse_loaders.checks.layer import visible_layer
from nemoparse_loaders.document import BBox, Element, ParsedPage
from nemoparse_loaders.rendering.page_image import EvidenceWord, PageEvidence

from .damage import KINDS
from .readings import OWN, Reading, readings
from .truth import difference

FLAGS = frozenset({"unsupported_text", "low_agreement"})
TRIES = 5
# A page holds few tables: each is damaged in several ways.
TABLE_KINDS = frozenset({"cells swapped", "column lost"})
TABLE_ROUNDS = 5
# Below this confidence OCR failed on the page as a whole: small type, odd fonts.
OCR_FAILED = 0.5
# Single letters are no reason for an issue.
FEWEST_CHARS = 3
_BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0)


def half(document: str) -> str:
    """ "tuned" or "held out", by document."""
    return ("tuned", "held out")[crc32(document.encode()) % 2]


def flags(element: Element) -> list[str]:
    return [issue.code for issue in element.issues if issue.code in FLAGS and issue.severity == "warning"]


def missing(page: ParsedPage) -> list[str]:
    return [issue.message for issue in page.issues if issue.code == "missing_text"]


def false_alarms(pages: Sequence[Reading]) -> str:
    """Of elements that nobody damaged: those with a warning, by whether OCR erred."""
    judged = right_flagged = wrong_flagged = wrong_quiet = 0
    for reading in pages:
        for element in verified(reading.page, reading.evidence).elements:
            if element.confidence is None and not flags(element):
                continue
            judged += 1
            found = difference(element, reading.evidence)
            errs = found is None or found.chars > 0
            if flags(element):
                wrong_flagged += errs
                right_flagged += not errs
            else:
                wrong_quiet += errs
    if not judged:
        return "no elements"
    return (
        f"{judged} elements; warned though difflib finds no difference {right_flagged} "
        f"({right_flagged / judged:.1%}); warned and OCR differs from the file {wrong_flagged} "
        f"({wrong_flagged / judged:.1%}); warned in all {(right_flagged + wrong_flagged) / judged:.1%}; "
        f"no warning though difflib finds some difference {wrong_quiet} ({wrong_quiet / judged:.1%})"
    )


def found_damage(pages: Sequence[Reading]) -> dict[str, tuple[int, int, int]]:
    """For each kind, how many damages were found at the element, anywhere on the page, and how many done."""
    counts: dict[str, list[int]] = {kind: [0, 0, 0] for kind in KINDS}
    for reading in pages:
        before = verified(reading.page, reading.evidence)
        quiet = [
            element
            for element in before.elements
            if element.confidence is not None
            and not flags(element)
            and sum(map(str.isalnum, element.text)) >= FEWEST_CHARS
        ]
        known = {element.id for element in before.elements if flags(element)}
        for kind, damage in KINDS.items():
            rng = random.Random(f"{reading.document} {reading.number} {kind}")
            tried = 0
            for element in rng.sample(quiet, len(quiet)) * (TABLE_ROUNDS if kind in TABLE_KINDS else 1):
                damaged = damage(before, element, rng)
                if damaged is None:
                    continue
                after = verified(damaged.page, reading.evidence)
                flagged = {other.id for other in after.elements if flags(other)} - known
                # Which of two equal elements is one too many cannot be told.
                named = {damaged.element_id, element.id} & flagged
                noticed = flagged or missing(after) != missing(before)
                counts[kind][0] += bool(named or (noticed and not damaged.element_id))
                counts[kind][1] += bool(noticed)
                counts[kind][2] += 1
                tried += 1
                if tried == TRIES:
                    break
    return {kind: (named, noticed, done) for kind, (named, noticed, done) in counts.items()}


def calibration(pages: Iterable[Reading]) -> list[tuple[float, float, int, int]]:
    """Agreement from and to, elements, and how many of these are right."""
    bins: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for reading in pages:
        elements = reading.page.elements
        comparison = compare(elements, visible_layer(reading.evidence.words))
        for element, account in zip(elements, comparison.accounts, strict=True):
            if account.agreement is None or not account.judged:
                continue
            found = difference(element, reading.evidence)
            if found is None or not found.length:
                continue
            place = sum(account.agreement >= edge for edge in _BINS)
            bins[place][0] += 1
            bins[place][1] += found.is_right
    edges = (*_BINS, 1.0)
    return [(edges[place - 1], edges[place], bins[place][0], bins[place][1]) for place in sorted(bins)]


def rising(bins: Iterable[tuple[float, float, int, int]]) -> list[tuple[float, float]]:
    """The middle of each bin and the share that is right, bins pooled until the share never falls."""
    pools: list[tuple[float, float, int, int]] = []
    for pool in bins:
        pools.append(pool)
        while len(pools) > 1 and pools[-1][3] * pools[-2][2] <= pools[-2][3] * pools[-1][2]:
            (low, _, count, right), (_, high, more, also) = pools[-2:]
            pools[-2:] = [(low, high, count + more, right + also)]
    return [((low + high) / 2, right / count) for low, high, count, right in pools]


def twice(words: int) -> float:
    """What twice the words of a hostile page cost, as a ratio: nothing agrees, and boxes cover each other."""
    took = []
    for count in (words, 2 * words):
        stored = tuple(
            EvidenceWord(
                f"a{n}b{n * 7919 % 104729}", BBox(n % 97 / 100, n % 89 / 100, n % 97 / 100 + 0.02, 0.99)
            )
            for n in range(count)
        )
        elements = tuple(
            Element(
                id=f"p1e{n}",
                type="Text",
                bbox=BBox(0.0, 0.0, 1.0, 1.0 - n / 1000),
                text=" ".join(f"x{n}y{i}a" for i in range(count // 40)),
            )
            for n in range(20)
        )
        started = time.process_time()
        verified(ParsedPage(number=1, elements=elements), PageEvidence(stored, usable=True))
        took.append(time.process_time() - started)
    print(f"hostile page of {2 * words:,} words: {took[1]:.2f} s")
    return took[1] / took[0]


def print_damage(pages: Sequence[Reading]) -> None:
    total = [0, 0, 0]
    print(f"  {'damage':20} done  found at the element  on the page")
    rows = found_damage(pages)
    for kind, counts in [*rows.items(), ("all", (0, 0, 0))]:
        total = [sum(pair) for pair in zip(total, counts, strict=True)]
        named, noticed, done = total if kind == "all" else counts
        print(f"  {kind:20} {done:4}  {named / max(1, done):19.1%}  {noticed / max(1, done):11.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description="what the checks find, on readings of OCR")
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="where replies of OCR are kept")
    parser.add_argument("--only-kept", action="store_true", help="read nothing anew")
    options = parser.parse_args()
    everything = list(readings(options.data, options.work, only_kept=options.only_kept))
    usable = [reading for reading in everything if reading.evidence.usable]
    print("Read by OCR; these are not figures of Nemotron's replies.")
    for name in ("tuned", "held out"):
        pages = [r for r in usable if half(r.document) == name and r.look != OWN]
        clean = [r for r in pages if r.look == "clean"]
        documents = len({r.document for r in clean})
        print(f"\n{name}: {documents} documents, {len(clean)} pages, {len(pages) - len(clean)} degraded")
        failed = [r for r in clean if (verified(r.page, r.evidence).confidence or 0.0) < OCR_FAILED]
        print(f"undamaged, {len(failed)} pages that OCR failed to read: {false_alarms(failed)}")
        others = [r for r in clean if r not in failed]
        print(f"undamaged, {len(others)} other pages: {false_alarms(others)}")
        print(f"undamaged, all: {false_alarms(clean)}")
        print_damage(clean)
        bins = calibration(pages)
        print("agreement: elements, share of these whose text is right")
        for low, high, count, right in bins:
            print(f"  {low:5.3f} to {high:5.3f}  {count:5}  {right / count:6.1%}")
        print("pooled: " + ", ".join(f"{middle:.3f} {share:.2f}" for middle, share in rising(bins)))
    own = [reading for reading in usable if reading.look == OWN]
    print(f"\nnot OCR but the files' own words, so that every warning is false: {len(own)} pages")
    print(f"undamaged: {false_alarms(own)}")
    print_damage(own)
    times = []
    for reading in own:
        started = time.process_time()
        verified(reading.page, reading.evidence)
        times.append((time.process_time() - started) * 1000 / max(1, len(reading.evidence.words)) * 600)
    times.sort()
    print(f"\nverified(): {times[len(times) // 2]:.1f} ms for 600 words (median over pages)")
    print(f"twice the words cost {twice(5_500):.1f} times as much")


if __name__ == "__main__":
    main()
