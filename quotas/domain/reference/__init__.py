"""What every algorithm must answer, in plain Python and exact integers.

For people to read, and for tests to hold the engine's script against; it shares no line with that
script. A limit's state is a frozen value, and judging reads like the promise it checks; speed is no
aim. Imports the standard library, `quotas.domain` and `quotas.errors` only, and asks no clock: the
caller says what time it is, in microseconds.
"""

from __future__ import annotations

from quotas.domain.reference.judgement import Judgement
from quotas.domain.reference.several import ReferenceSet
from quotas.domain.reference.single import Reference
from quotas.domain.reference.windows import Edges

__all__ = ["Edges", "Judgement", "Reference", "ReferenceSet"]
