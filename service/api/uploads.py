"""Places for documents that are being received and read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from service.errors import OverloadedError

AT_ONCE = 8
"""Documents that are received or read at a time."""

_TIMES_LARGEST = 2
"""All documents at a time may have so many times the bytes of the largest."""

_TRY_AGAIN_S = 5


class Uploads:
    """Takes in a bounded number of documents. Used on the event loop only.

    Speech never waits for documents: each has a thread of its own, in which it waits for its turn
    to be read, or leaves with its client.

    Args:
        max_document_bytes: of one document.

    Attributes:
        executor: threads that read documents.
        parsing: held while the text of a document is taken out of JSON, which takes memory of
            several times its size.
    """

    def __init__(self, max_document_bytes: int) -> None:
        self._max_document_bytes = max_document_bytes
        self._n_documents = 0
        self._n_bytes = 0
        self.executor = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="document")
        self.parsing = asyncio.Lock()

    @contextmanager
    def place(self, declared_bytes: int | None) -> Iterator[None]:
        """Take a document in within the block.

        Args:
            declared_bytes: its length; None if the client does not say it, which counts as the
                greatest.

        Raises:
            OverloadedError: there are as many documents, or as many bytes of them, as may be.
        """
        most = self._max_document_bytes
        n_bytes = most if declared_bytes is None else min(declared_bytes, most)
        if self._n_documents >= AT_ONCE or self._n_bytes + n_bytes > _TIMES_LARGEST * most:
            raise OverloadedError(
                f"{self._n_documents} documents of {self._n_bytes} bytes are being received",
                _TRY_AGAIN_S,
            )
        self._n_documents += 1
        self._n_bytes += n_bytes
        try:
            yield
        finally:
            self._n_documents -= 1
            self._n_bytes -= n_bytes

    def close(self) -> None:
        """Read no further document."""
        self.executor.shutdown(wait=False, cancel_futures=True)
