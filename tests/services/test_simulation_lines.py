from __future__ import annotations

import os
from io import BytesIO

import pytest

from quotas.services.simulation.lines import AT_ONCE, LONGEST, read_lines


def read(content):
    return [line for group in read_lines(BytesIO(content)) for line in group]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"\n \n\r\n", [], id="blank-lines"),
        pytest.param(b"a\nb\n", [(1, b"a"), (2, b"b")], id="unix"),
        pytest.param(b"a\r\nb\r\n", [(1, b"a"), (2, b"b")], id="windows"),
        pytest.param(b"a\n\nb", [(1, b"a"), (3, b"b")], id="blank-lines-count-for-numbers"),
        pytest.param(b"\xef\xbb\xbfa\n", [(1, b"a")], id="byte-order-mark"),
    ],
)
def test_lines_come_with_their_numbers(content, expected):
    assert expected == read(content)


def test_a_large_file_comes_in_bounded_groups_and_in_order():
    content = b"".join(b"%d %s\n" % (number, b"x" * 100) for number in range(1, 5001))

    groups = list(read_lines(BytesIO(content)))

    assert max(map(len, groups)) <= AT_ONCE
    lines = [line for group in groups for line in group]
    assert list(range(1, 5001)) == [number for number, _ in lines]
    assert all(line.startswith(b"%d " % number) for number, line in lines)


def test_a_line_without_end_is_cut_and_the_next_one_is_read():
    lines = read(b"a\n" + b"x" * 5_000_000 + b"\nb\n")

    assert [1, 2, 3] == [number for number, _ in lines]
    assert [1, LONGEST + 1, 1] == [len(line) for _, line in lines]


def test_a_line_is_handed_out_before_the_next_one_is_there():
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as stream, os.fdopen(writing, "wb", buffering=0) as sender:
        groups = read_lines(stream)
        for number, line in enumerate((b"first", b"second"), 1):
            sender.write(line + b"\n")
            assert [(number, line)] == next(groups)
