"""Documents take turns, pages keep their order, nobody waits for ever."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from nemoparse_loaders.rendering.line import WaitingLine

documents = st.integers(1, 5)


class Line(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.line: WaitingLine[tuple[int, int]] = WaitingLine()
        self.waiting: dict[int, list[int]] = {}
        self.next = 0

    def expect_gone(self, document: int, number: int) -> None:
        self.waiting[document].remove(number)
        if not self.waiting[document]:
            del self.waiting[document]

    @rule(document=documents)
    def put(self, document: int) -> None:
        self.next += 1
        self.line.put(document, (document, self.next))
        self.waiting.setdefault(document, []).append(self.next)

    @precondition(lambda self: self.waiting)
    @rule(preferred=st.sets(documents))
    def take(self, preferred: set[int]) -> None:
        turn = self.line.first
        document, number = self.line.take(preferred)
        assert number == self.waiting[document][0]  # each document in its own order
        assert document == turn or document in preferred
        self.expect_gone(document, number)

    @rule(document=documents)
    def drop(self, document: int) -> None:
        dropped = self.line.drop(document)
        assert [number for _, number in dropped] == self.waiting.pop(document, [])

    @precondition(lambda self: self.waiting)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        document = data.draw(st.sampled_from(sorted(self.waiting)))
        number = data.draw(st.sampled_from(self.waiting[document]))
        self.line.remove(document, (document, number))
        self.line.remove(document, (document, number))  # is not there any more: nothing happens
        self.expect_gone(document, number)

    @invariant()
    def same(self) -> None:
        assert len(self.line) == sum(map(len, self.waiting.values()))
        assert sorted(self.line) == sorted((key, n) for key, numbers in self.waiting.items() for n in numbers)


TestLine = Line.TestCase


def test_nothing_waits() -> None:
    line: WaitingLine[int] = WaitingLine()
    with pytest.raises(LookupError):
        line.take()


def test_documents_take_turns() -> None:
    line: WaitingLine[str] = WaitingLine()
    for document, pages in ((1, "abc"), (2, "de"), (3, "f")):
        for page in pages:
            line.put(document, page)
    assert "".join(line.take() for _ in range(6)) == "adfbec"


@given(st.sets(documents, min_size=1), documents)
def test_what_is_open_goes_first_but_not_for_ever(preferred: set[int], other: int) -> None:
    line: WaitingLine[int] = WaitingLine()
    line.put(other, other)
    for document in preferred:
        for _ in range(100):
            line.put(document, document)
    taken = [line.take(preferred) for _ in range(20)]
    assert other in taken
    if other not in preferred:
        assert taken[0] != other
