"""Files of recorded traffic: plain, gzipped or piped in."""

from __future__ import annotations

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import BinaryIO, Self, cast

from quotas.errors import QuotasError
from quotas.services.simulation.lines import Line, Readable, read_lines

STANDARD_INPUT = "-"


class UnreadableRecord(QuotasError):
    """A file that cannot be opened, or not to its end; the message names it and says why."""


class Record:
    """The file at ``path``; `STANDARD_INPUT` reads what is piped in, a name in .gz is unpacked."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._open = ExitStack()
        self._size = 0

    def __enter__(self) -> Self:
        if self.path == STANDARD_INPUT:
            self._raw = self._stream = cast("BinaryIO", sys.stdin.buffer)
            return self
        try:
            self._raw = self._stream = self._open.enter_context(open(self.path, "rb"))  # noqa: PTH123
            status = os.fstat(self._raw.fileno())
            self._size = status.st_size if stat.S_ISREG(status.st_mode) else 0
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from error
        if self.path.endswith(".gz"):
            unpacked = gzip.GzipFile(fileobj=self._raw, mode="rb")
            self._stream = cast("BinaryIO", self._open.enter_context(unpacked))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def lines(self) -> Iterator[list[Line]]:
        """Its lines, in groups. Raises `UnreadableRecord`."""
        try:
            yield from read_lines(cast("Readable", self._stream))
        except (OSError, EOFError, zlib.error) as error:
            raise self._unreadable(error) from error

    @property
    def share_read(self) -> float | None:
        """How much of it has been read, of 1; None for what has no known end."""
        return self._raw.tell() / self._size if self._size else None

    def _unreadable(self, error: Exception) -> UnreadableRecord:
        reason = (isinstance(error, OSError) and error.strerror) or str(error)
        return UnreadableRecord(f"{self.path!r} cannot be read: {reason}.")
