"""The line of what waits to be drawn: documents take turns, each in its own order. Pure."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Container, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")

# A document that a worker has open may go first so often in a row; opening one costs as much as a page.
_AHEAD = 8


class WaitingLine(Generic[T]):
    """Items that wait, each for one document."""

    def __init__(self) -> None:
        self._documents: OrderedDict[int, deque[T]] = OrderedDict()
        self._ahead = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        return (item for items in self._documents.values() for item in items)

    @property
    def first(self) -> int:
        """The document whose turn it is; a LookupError where nothing waits."""
        for document in self._documents:
            return document
        raise LookupError("nothing waits")

    def put(self, document: int, item: T) -> None:
        """Add an item behind those of its document.

        Args:
            document: Its number.
            item: What waits.
        """
        self._documents.setdefault(document, deque()).append(item)
        self._count += 1

    def take(self, preferred: Container[int] = ()) -> T:
        """Take the next item; a preferred document goes first, but not for ever.

        Raises:
            LookupError: Nothing waits.
        """
        turn = self.first
        document = next((key for key in self._documents if key in preferred), turn)
        self._ahead = self._ahead + 1 if document != turn else 0
        if self._ahead > _AHEAD:
            document, self._ahead = turn, 0
        items = self._documents[document]
        item = items.popleft()
        self._count -= 1
        if items:
            self._documents.move_to_end(document)
        else:
            del self._documents[document]
        return item

    def remove(self, document: int, item: T) -> None:
        """Take an item out of its place; nothing happens where it is not in line."""
        items = self._documents.get(document)
        if items is None or item not in items:
            return
        items.remove(item)
        self._count -= 1
        if not items:
            del self._documents[document]

    def drop(self, document: int) -> list[T]:
        """Take out everything of a document."""
        items = self._documents.pop(document, deque())
        self._count -= len(items)
        return list(items)
