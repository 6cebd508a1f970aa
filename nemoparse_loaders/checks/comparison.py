"""A page's elements against the words of its file: which word supports which, and what is left over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..document import Element, ElementType, TableCell
from ..export.plain import markdown_to_text
from .cell_places import displaced_cells
from .layer import Layer, homes, turned_round
from .normal_form import (
    ModelWords,
    characters_of_formula,
    is_right_to_left,
    tokens_of,
    words_of_model,
)
from .pairing import Budget, pair_equal, pair_joined, pair_rest
from .watermarks import Watermarks

FORMULAS = frozenset({ElementType.FORMULA.value, ElementType.INLINE_FORMULA.value})
FIGURES = frozenset({ElementType.PICTURE.value, ElementType.CHART.value})
# A page holds less; a reply that holds more is a loop, and what is beyond is not compared.
_MOST_TOKENS = 60_000
_MOST_DOUBTFUL = 50


@dataclass(slots=True)
class Account:
    """How one element fares. Words are by their index in `words`.

    Attributes:
        words: Of the element; of a formula its characters.
        judged: Its words are compared one by one.
        support: For each supported word the word of the layer, -1 where several or a part support it.
        far: Words that only words far from its box support.
        missing: Words of the layer in its box that it does not have, without watermarks.
        agreement: Share of the characters of both sides that are in pairs; None where there are none.
        near: The words of the file, by the index of their boxes, in its box or beside it, whosever they are.
        displaced: Cells of its table whose words stand elsewhere in it.
    """

    words: ModelWords
    judged: bool = True
    support: dict[int, int] = field(default_factory=dict)
    far: set[int] = field(default_factory=set)
    missing: list[int] = field(default_factory=list)
    agreement: float | None = None
    near: list[int] = field(default_factory=list)
    displaced: list[TableCell] = field(default_factory=list)

    def unsupported(self) -> list[int]:
        """The words that have no support."""
        if len(self.support) == len(self.words.tokens):
            return []
        return [
            index
            for index in range(len(self.words.tokens))
            if index not in self.support and index not in self.words.markup
        ]


@dataclass(slots=True)
class Comparison:
    """How a page fares.

    Attributes:
        layer: The words of the file that show.
        accounts: One an element.
        uncovered: Words of the layer that no element covers or has, without watermarks.
    """

    layer: Layer
    accounts: list[Account]
    uncovered: list[int]


def words_of_element(element: Element) -> ModelWords:
    """The words of an element, each once also where a cell spans rows."""
    if element.type in FIGURES:
        return ModelWords([])
    if element.type in FORMULAS:
        return ModelWords(characters_of_formula(element.text))
    return words_of_model(text_of_element(element))


def text_of_element(element: Element) -> str:
    """The plain text of an element, of a table cell by cell."""
    if element.table is None:
        return element.text
    return "\n".join(markdown_to_text(cell.text) for cell in element.table.cells)


def compare(elements: Sequence[Element], layer: Layer) -> Comparison:
    """Compare all elements of a page with the words that its file stores."""
    accounts: list[Account] = []
    room = _MOST_TOKENS
    for element in elements:
        words = words_of_element(element)
        judged = element.type not in FIGURES and element.type not in FORMULAS
        if len(words.tokens) > room:
            words, judged = ModelWords([]), False
        room -= len(words.tokens)
        accounts.append(Account(words, judged))
    layer = _in_reading_direction(layer, accounts)
    return _compared(elements, accounts, layer)


def _compared(elements: Sequence[Element], accounts: list[Account], layer: Layer) -> Comparison:
    places = homes(layer.boxes, [element.bbox for element in elements])
    by_word: dict[int, list[int]] = {}
    own: list[list[int]] = [[] for _ in elements]
    homeless: list[int] = []
    owner = places.owner
    for number, word in enumerate(layer.words):
        home = owner[word]
        (homeless if home is None else own[home]).append(number)
    used = bytearray(len(layer.tokens))
    budget = Budget()
    for element, account, offered in zip(elements, accounts, own, strict=True):
        if element.type in FIGURES:
            _use(offered, used)
        elif element.type in FORMULAS:
            _compare_formula(account, offered, layer)
            _use(offered, used)
        else:
            _pair(account, layer, offered, used, budget)
    for account, near in zip(accounts, places.near, strict=True):
        account.near = near
        left = account.unsupported() if account.judged else []
        if left:
            by_word = by_word or _by_word(layer)
            offered = [number for word in near for number in by_word.get(word, ())]
            account.support |= pair_equal(account.words.tokens, left, layer.tokens, offered, used)
            if account.unsupported():
                _pair_doubtful(account, layer, near)
    _pair_far(elements, accounts, layer, used)
    watermarks = Watermarks(layer)
    for element, account, offered in zip(elements, accounts, own, strict=True):
        if account.judged:
            missing = [number for number in offered if not used[number]]
            peers = (layer.words[number] for number in account.support.values() if number >= 0)
            account.missing = watermarks.without(missing, peers)
            account.agreement = _agreement(account, layer)
            if element.table is not None:
                tokens = [tokens_of(markdown_to_text(cell.text)) for cell in element.table.cells]
                account.displaced = displaced_cells(
                    element.table, tokens, layer.tokens, layer.words, layer.boxes, offered
                )
    uncovered = watermarks.without([number for number in homeless if not used[number]])
    return Comparison(layer, accounts, uncovered)


def _in_reading_direction(layer: Layer, accounts: Sequence[Account]) -> Layer:
    """The layer with its Hebrew and Arabic words the way round that the elements have more of."""
    theirs = [token for token in layer.tokens if is_right_to_left(token) and len(token) > 1]
    if not theirs:
        return layer
    ours = {token for account in accounts for token in account.words.tokens}
    forward = sum(token in ours for token in theirs)
    backward = sum(token[::-1] in ours for token in theirs)
    return turned_round(layer) if backward > forward else layer


def _by_word(layer: Layer) -> dict[int, list[int]]:
    """The tokens of each word."""
    found: dict[int, list[int]] = {}
    for number, word in enumerate(layer.words):
        found.setdefault(word, []).append(number)
    return found


def _use(offered: Sequence[int], used: bytearray) -> None:
    for number in offered:
        used[number] = 1


def _pair(account: Account, layer: Layer, offered: Sequence[int], used: bytearray, budget: Budget) -> None:
    """Pair the words of an element with those in its box."""
    tokens = account.words.tokens
    if not tokens or not offered:
        return
    if tokens == [layer.tokens[number] for number in offered]:
        # As on most pages that are read well.
        account.support = dict(enumerate(offered))
        _use(offered, used)
        return
    joined = pair_joined(tokens, layer.tokens, offered, used, budget)
    account.support = dict.fromkeys(joined, -1)
    wanted = [index for index in range(len(tokens)) if index not in joined] if joined else range(len(tokens))
    account.support |= pair_equal(tokens, wanted, layer.tokens, offered, used)
    left = account.unsupported()
    if left:
        rest = pair_rest(tokens, left, layer.tokens, offered, used, budget)
        account.support |= dict.fromkeys(rest, -1)


def _pair_doubtful(account: Account, layer: Layer, near: Sequence[int]) -> None:
    """Take words as supported whose counterparts lack a glyph, as of a ligature, by what is left of them."""
    if not layer.doubtful:
        return
    patterns = [
        parts
        for word in near
        if word in layer.doubtful and len(parts := [p for p in _parts(layer.texts[word]) if p]) > 0
    ][:_MOST_DOUBTFUL]
    if not patterns:
        return
    for index in account.unsupported()[: 4 * _MOST_DOUBTFUL]:
        token = account.words.tokens[index]
        for number, parts in enumerate(patterns):
            rest = len(token) - sum(map(len, parts))
            if 0 < rest <= 3 * len(parts) and (token.startswith(parts[0]) or token.endswith(parts[-1])):
                account.support[index] = -1
                del patterns[number]
                break


def _parts(text: str) -> list[str]:
    return tokens_of("".join(char if char.isalnum() else " " for char in text))


def _pair_far(
    elements: Sequence[Element], accounts: Sequence[Account], layer: Layer, used: bytearray
) -> None:
    """Pair what is left with words anywhere on the page that nobody has."""
    free: dict[str, list[int]] = {}
    for number in range(len(layer.tokens) - 1, -1, -1):
        if not used[number]:
            free.setdefault(layer.tokens[number], []).append(number)
    if not free:
        return
    for element, account in zip(elements, accounts, strict=True):
        for index in account.unsupported() if account.judged else ():
            numbers = free.get(account.words.tokens[index])
            if numbers:
                number = numbers.pop()
                used[number] = 1
                account.support[index] = number
                if element.bbox is not None:
                    account.far.add(index)


def _agreement(account: Account, layer: Layer) -> float | None:
    """Twice the characters in pairs over the characters of both sides."""
    tokens = account.words.tokens
    if tokens and len(account.support) == len(tokens) and not account.missing:
        return 1.0
    ours = theirs = both = 0
    for index, token in enumerate(tokens):
        size = len(token)
        if index in account.support:
            both += size
        elif index in account.words.markup:
            continue
        ours += size
    if not ours:
        return None
    theirs = both + sum(len(layer.tokens[number]) for number in account.missing)
    return 2.0 * both / (ours + theirs)


def _compare_formula(account: Account, offered: Sequence[int], layer: Layer) -> None:
    """Pair the letters and digits of a formula with those in its box, in any order."""
    chars = account.words.tokens
    if not chars or not offered:
        return
    counts: dict[str, int] = {}
    total = len(chars)
    for number in offered:
        for char in layer.tokens[number]:
            if char.isalnum():
                total += 1
                counts[char] = counts.get(char, 0) + 1
    for index, char in enumerate(chars):
        if counts.get(char, 0) > 0:
            counts[char] -= 1
            account.support[index] = -1
    account.agreement = 2.0 * len(account.support) / total


def share_in(text: str, layer: Layer) -> float | None:
    """Share of a text's characters that words of the layer support; None where there are none."""
    words = words_of_model(text)
    if not words.tokens:
        return None
    account = Account(words)
    layer = _in_reading_direction(layer, [account])
    if not layer.tokens:
        return None
    _pair(account, layer, range(len(layer.tokens)), bytearray(len(layer.tokens)), Budget())
    unsupported = set(account.unsupported())
    compared = sum(
        len(token)
        for index, token in enumerate(words.tokens)
        if index in account.support or index not in words.markup
    )
    if not compared:
        return None
    return 1.0 - sum(len(words.tokens[index]) for index in unsupported) / compared
