"""Numbered lines of a record, as soon as they can be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

AT_ONCE = 256
"""Lines that are handed out together: one pipeline's worth."""
CHUNK = 1 << 16
LONGEST = 1 << 16
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Line = tuple[int, bytes]


class Readable(Protocol):
    """A binary stream that gives what is there without waiting for more."""

    def read1(self, size: int, /) -> bytes: ...


def read_lines(stream: Readable) -> Iterator[list[Line]]:
    """The lines of ``stream`` with their numbers from 1, without line ends and blank lines.

    In groups of at most `AT_ONCE` that never wait for input once there is a line: who sends one
    line through a pipe gets its answer before sending the next. A line above `LONGEST` bytes is cut
    to one byte more than that.
    """
    number, rest = 0, b""
    while data := stream.read1(CHUNK):
        *whole, rest = (rest + data).split(b"\n")
        yield from _groups(whole, number)
        number += len(whole)
        rest = rest[: LONGEST + 1]
    yield from _groups([rest], number)


def _groups(lines: list[bytes], before: int) -> Iterator[list[Line]]:
    for start in range(0, len(lines), AT_ONCE):
        group = [
            (number, line)
            for number, raw in enumerate(lines[start : start + AT_ONCE], before + start + 1)
            if (line := _bare(raw, number))
        ]
        if group:
            yield group


def _bare(raw: bytes, number: int) -> bytes:
    if number == 1:
        raw = raw.removeprefix(BYTE_ORDER_MARK)
    return raw[: LONGEST + 1].strip()
