"""All exceptions that the package raises on purpose.

NemoparseError
├── OptionError                 an option has a value that cannot work (also a ValueError)
├── MissingDependencyError      an extra is not installed (also an ImportError)
├── SourceError                 the input itself: names the file and the reason
│   ├── EmptySourceError        no bytes, or a PDF without pages
│   ├── UnsupportedSourceError  a type that is not read here
│   ├── EncryptedSourceError    a password is needed, or wrong
│   ├── CorruptSourceError      damaged beyond reading
│   ├── DirectorySourceError    a directory in place of a file (also an IsADirectoryError)
│   └── SourceNotFoundError     no such file (also a FileNotFoundError)
├── PageError                   one page: names the file and the page
│   ├── PageRenderError         it cannot be drawn
│   └── PageReplyError          the engine gave no usable reply
└── BackendError                the engine as a whole
    ├── AuthenticationError     401 or 403
    ├── ModelNotFoundError      the server does not serve that model
    ├── RequestRejectedError    4xx: sending it again would not help
    ├── ServerBusyError         429 or 503: send it again later (retryable)
    ├── ServerFailedError       5xx, a cut connection, no server there (retryable)
    ├── ReplyTimeoutError       no whole reply within the deadline (retryable; also a TimeoutError)
    └── ProtocolError           an answer that is not what the API promises
"""

from __future__ import annotations


class NemoparseError(Exception):
    """Base of all; catch this to catch everything from here."""


class OptionError(NemoparseError, ValueError):
    """An option has a value that cannot work."""


class MissingDependencyError(NemoparseError, ImportError):
    """An optional dependency is missing; the message names the extra to install."""


class SourceError(NemoparseError):
    """The input cannot be read.

    Attributes:
        file_name: Name of the input as the caller knows it.
        reason: What is wrong with it, without the name.
    """

    def __init__(self, file_name: str, reason: str) -> None:
        super().__init__(file_name, reason)
        self.file_name = file_name
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.file_name}: {self.reason}"


class EmptySourceError(SourceError):
    """There is nothing in it: no bytes, or a PDF without pages."""


class UnsupportedSourceError(SourceError):
    """A type of file that is not read here; the reason names the type found and those supported."""


class EncryptedSourceError(SourceError):
    """A password is needed, or the one given is wrong."""


class CorruptSourceError(SourceError):
    """Damaged beyond reading, or not what it claims to be."""


class DirectorySourceError(SourceError, IsADirectoryError):
    """A directory was given in place of a file."""


class SourceNotFoundError(SourceError, FileNotFoundError):
    """There is no such file."""


class PageError(NemoparseError):
    """One page failed.

    Attributes:
        file_name: Name of the document.
        page_number: 1-based.
        reason: What happened.
    """

    def __init__(self, file_name: str, page_number: int, reason: str) -> None:
        super().__init__(file_name, page_number, reason)
        self.file_name = file_name
        self.page_number = page_number
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.file_name}, page {self.page_number}: {self.reason}"


class PageRenderError(PageError):
    """The page cannot be drawn."""


class PageReplyError(PageError):
    """The engine gave no usable reply for the page."""


class BackendError(NemoparseError):
    """The engine could not serve a request.

    Attributes:
        status: HTTP status, or None where there was no answer.
        retry_after: Seconds that the server asked to wait, or None.
        retryable: Whether the same request may succeed later.
    """

    retryable = False

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class AuthenticationError(BackendError):
    """The key is missing, wrong, or not allowed to do this."""


class ModelNotFoundError(BackendError):
    """The server does not serve the model that was asked for."""


class RequestRejectedError(BackendError):
    """The server refuses this request; sending it again would not help."""


class ServerBusyError(BackendError):
    """The server has no room now."""

    retryable = True


class ServerFailedError(BackendError):
    """The server failed, the connection broke, or nobody listens."""

    retryable = True


class ReplyTimeoutError(BackendError, TimeoutError):
    """No whole reply within the deadline."""

    retryable = True


class ProtocolError(BackendError):
    """The answer is not what the API promises.

    The reply to a page may have been garbled on its way, or come from something in between: that one is
    retryable.
    """

    def __init__(self, message: str, *, status: int | None = None, retryable: bool = False) -> None:
        super().__init__(message, status=status)
        self.retryable = retryable
