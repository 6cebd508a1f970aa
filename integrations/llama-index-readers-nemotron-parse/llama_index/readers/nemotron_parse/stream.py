"""DocumentStream: what `alazy_load_data` gives, for ``async for`` and for ``await``."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Coroutine, Generator
from types import TracebackType
from typing import Any

from llama_index.core.schema import Document


class DocumentStream(Coroutine[Any, Any, list[Document]]):
    """Documents that arrive one by one.

    LlamaIndex's contract is a coroutine whose result is iterated; a lazy reader wants an async iterator. This
    is both: ``async for document in stream`` hands out each document when it is there, ``await stream`` waits
    for all of them. Use it one way, once.
    """

    def __init__(self, documents: AsyncGenerator[Document, None]) -> None:
        self._documents = documents
        # Made on first use, so that a stream that is iterated leaves no coroutine that was never awaited.
        self._waiting: Coroutine[Any, Any, list[Document]] | None = None

    def __aiter__(self) -> AsyncGenerator[Document, None]:
        return self._documents

    def __await__(self) -> Generator[Any, Any, list[Document]]:
        return self._collect().__await__()

    async def _collect(self) -> list[Document]:
        return [document async for document in self._documents]

    def _coroutine(self) -> Coroutine[Any, Any, list[Document]]:
        if self._waiting is None:
            self._waiting = self._collect()
        return self._waiting

    def send(self, value: Any) -> Any:
        """Part of the coroutine protocol, for ``asyncio.run`` and ``create_task``."""
        return self._coroutine().send(value)

    def throw(self, typ: Any, val: Any = None, tb: TracebackType | None = None) -> Any:
        """Part of the coroutine protocol."""
        return self._coroutine().throw(typ if val is None else val)

    def close(self) -> None:
        """Part of the coroutine protocol."""
        if self._waiting is not None:
            self._waiting.close()
