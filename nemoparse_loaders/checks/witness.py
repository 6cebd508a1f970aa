"""Whether a file's words can bear witness at all: a font may store its letters as other ones.

Of such a font the file tells no letter rightly, and yet it tells something: where a letter comes again, its
stand-in comes again. So a text and its image in other letters have the same pattern of repetitions, in any
language and any alphabet, and a text that a model made up has not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

from ..document import Element
from .comparison import Account, Comparison, text_of_element
from .layer import Layer
from .normal_form import tokens_of

DISAGREES = 0.2
"""Below this agreement next to none of the words are the file's: what two texts have in common by chance."""

_AGREES = 0.7
_TURNED_SHARE = 0.6
# Of texts of other words the likeness of the patterns is below 0.6 where they are so long (measured over 200
# pairs of passages of English prose), and falls with their length.
_LONG, _LIKE = 40, 0.75
_SHORT, _LIKE_SHORT = 20, 0.9
# Two misread letters in a word leave most others in their places.
_SAME_LETTERS = 0.6
# What is compared costs up to the square of its length.
_MOST_CHARS, _MOST_TOGETHER = 120, 500
_MOST_COMPARED = 60
_FARTHEST = 99
_SIZES = (0.6, 1.6)


def page_agreement(comparison: Comparison) -> float:
    """Twice the characters in pairs over the characters of both sides, of all that is compared by words."""
    ours = both = 0
    theirs = sum(len(comparison.layer.tokens[number]) for number in comparison.uncovered)
    for account in comparison.accounts:
        if not account.judged:
            continue
        theirs += sum(len(comparison.layer.tokens[number]) for number in account.missing)
        for index, token in enumerate(account.words.tokens):
            if index in account.support:
                both += len(token)
            elif index not in account.words.markup:
                ours += len(token)
    total = ours + theirs + 2 * both
    return 2.0 * both / total if total else 0.0


def agrees(comparison: Comparison) -> bool:
    """Whether page and file have so much in common that the file's words must be words."""
    return page_agreement(comparison) >= _AGREES


def is_backwards(comparison: Comparison) -> bool:
    """Whether the file stores each word from its end, as some programs do with any script."""
    ours = {token for account in comparison.accounts if account.judged for token in account.words.tokens}
    theirs = [token for token in comparison.layer.tokens if len(token) > 1]
    return sum(token[::-1] in ours for token in theirs) > _TURNED_SHARE * len(theirs)


def untold(elements: Sequence[Element], comparison: Comparison) -> set[int]:
    """The elements whose words the file stores in letters that stand for other ones, by their index.

    Args:
        elements: Of the page.
        comparison: Of the page.
    """
    found: set[int] = set()
    short: list[tuple[int, str, str]] = []
    left, room = _MOST_COMPARED, _MOST_TOGETHER
    layer = comparison.layer
    for index, (element, account) in enumerate(zip(elements, comparison.accounts, strict=True)):
        if not account.judged or not account.near or _shares_words(account, account.support):
            continue
        if _is_mostly_doubtful(account, layer):
            found.add(index)
            continue
        near = set(tokens_of("\n".join([layer.texts[word] for word in account.near])))
        tokens = account.words.tokens
        if _shares_words(account, [i for i, token in enumerate(tokens) if token in near]):
            continue  # another element has used them up
        ours = "".join(text_of_element(element).split())
        theirs = "".join([layer.texts[word] for word in account.near])
        if min(len(ours), len(theirs)) >= _LONG:
            if left and _is_image(ours[:_MOST_CHARS], theirs[:_MOST_CHARS]):
                found.add(index)
            left = max(0, left - 1)
        elif room > 0:
            short.append((index, ours, theirs))
            room -= max(len(ours), len(theirs))
    # Short ones say little each; together they may say enough.
    together = ("".join(ours for _, ours, _ in short), "".join(theirs for _, _, theirs in short))
    if short and _is_image(together[0][:_MOST_TOGETHER], together[1][:_MOST_TOGETHER]):
        found.update(index for index, _, _ in short)
    return found


def _is_mostly_doubtful(account: Account, layer: Layer) -> bool:
    unread = sum(len(layer.texts[word]) for word in account.near if word in layer.doubtful)
    return 2 * unread > sum(len(layer.texts[word]) for word in account.near)


def _shares_words(account: Account, supported: Collection[int]) -> bool:
    """Whether more than next to none of an element's letters are in supported words; True without letters."""
    sizes = {index: len(token) for index, token in enumerate(account.words.tokens) if token.isalpha()}
    return sum(sizes[index] for index in supported if index in sizes) >= DISAGREES * sum(sizes.values())


def _is_image(text: str, stored: str) -> bool:
    """Whether two texts are alike in where their characters come again, and not in the characters."""
    if not (_SIZES[0] * len(text) < len(stored) < _SIZES[1] * len(text)):
        return False
    if 2 * sum(map(str.isalpha, text)) < len(text):
        return False  # numbers count up in many tables, and are alike in that
    least = _LIKE if len(text) >= _LONG else _LIKE_SHORT
    if len(text) < _SHORT:
        return False
    patterns = SequenceMatcher(None, _pattern(text), _pattern(stored), autojunk=False)
    if patterns.quick_ratio() < least or patterns.ratio() < least:
        return False
    return SequenceMatcher(None, text.lower(), stored.lower(), autojunk=False).ratio() < _SAME_LETTERS


def _pattern(text: str) -> list[int]:
    """For each character how far before it came the last time; 0 where it is new."""
    last: dict[str, int] = {}
    pattern: list[int] = []
    for place, char in enumerate(text):
        pattern.append(min(place - last[char], _FARTHEST) if char in last else 0)
        last[char] = place
    return pattern
