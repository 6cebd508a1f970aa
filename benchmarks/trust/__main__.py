"""How much damage the checks find, how often they cry wolf, and what confidence means.

python -m benchmarks.trust DATA_FOLDER --work FOLDER [--only-kept]

DATA_FOLDER holds ``files`` and ``pages``; FOLDER keeps the replies of OCR (seconds a page, once). Every page is
read by OCR from its picture alone and compared with the words that its file stores. Then the reading is damaged
on purpose, one kind at a time, seeded, in elements that had no warning before. Documents are in two halves:
thresholds were set by looking at the one, and the figures to report are those of the other.

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
from nemoparse_loaders.document import Element, ParsedPage

from .damage import KINDS
from .readings import Reading, readings
from .truth import difference

FLAGS = frozenset({"unsupported_text", "low_agreement"})
TRIES = 5
_BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0)


def half(document: str) -> str:
    """"tuned" or "held out", by document."""
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


def found_damage(pages: Sequence[Reading]) -> dict[str, tuple[int, int]]:
    """For each kind, how many damages were found and done."""
    counts: dict[str, list[int]] = {kind: [0, 0] for kind in KINDS}
    for reading in pages:
        before = verified(reading.page, reading.evidence)
        quiet = [e for e in before.elements if e.confidence is not None and not flags(e)]
        known = {element.id for element in before.elements if flags(element)}
        for kind, damage in KINDS.items():
            rng = random.Random(f"{reading.document} {reading.number} {kind}")
            tried = 0
            for element in rng.sample(quiet, len(quiet)):
                damaged = damage(before, element, rng)
                if damaged is None:
                    continue
                after = verified(damaged.page, reading.evidence)
                flagged = {other.id for other in after.elements if flags(other)}
                if damaged.element_id:
                    found = damaged.element_id in flagged
                else:
                    found = missing(after) != missing(before) or bool(flagged - known)
                counts[kind][0] += found
                counts[kind][1] += 1
                tried += 1
                if tried == TRIES:
                    break
    return {kind: (found, done) for kind, (found, done) in counts.items()}


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
    return [(edges[place - 1], edges[place], *bins[place]) for place in sorted(bins)]


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
        pages = [r for r in usable if half(r.document) == name]
        clean = [r for r in pages if r.look == "clean"]
        documents = len({r.document for r in clean})
        print(f"\n{name}: {documents} documents, {len(clean)} pages, {len(pages) - len(clean)} degraded")
        print(f"undamaged: {false_alarms(clean)}")
        total = [0, 0]
        for kind, (found, done) in found_damage(clean).items():
            total = [total[0] + found, total[1] + done]
            print(f"  {kind:20} found {found:4} of {done:4}  {found / done if done else 1:6.1%}")
        print(f"  {'all':20} found {total[0]:4} of {total[1]:4}  {total[0] / max(1, total[1]):6.1%}")
        print("agreement: elements, share of these whose text is right")
        for low, high, count, right in calibration(pages):
            print(f"  {low:5.3f} to {high:5.3f}  {count:5}  {right / count:6.1%}")
    times = []
    for reading in usable:
        started = time.process_time()
        verified(reading.page, reading.evidence)
        times.append((time.process_time() - started) * 1000 / max(1, len(reading.evidence.words)) * 600)
    times.sort()
    print(f"\nverified(): {times[len(times) // 2]:.1f} ms for 600 words (median over pages)")


if __name__ == "__main__":
    main()
