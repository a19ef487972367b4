"""A mapping of bounded size, for what a process remembers."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Bounded(OrderedDict[object, Value], Generic[Value]):
    """Forgets its oldest entry beyond ``most``. Safe for threads by `put` and `drop`."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self.lock = Lock()

    def put(self, key: object, value: Value) -> Value:
        """Keep ``value``, and return it."""
        with self.lock:
            self[key] = value
            self.move_to_end(key)
            if len(self) > self.most:
                self.popitem(last=False)
        return value

    def drop(self, key: object) -> None:
        """Forget one entry, if it is there."""
        with self.lock:
            self.pop(key, None)
