"""Schemas in short: each shape of JSON that an answer is made of, with its description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import Enum

Schema = dict[str, Any]
UNIT = "x-unit"
"""What a number counts: calls, units (what calls cost), percent, seconds."""


def closed(description: str, properties: Mapping[str, Schema]) -> Schema:
    """An object with all of these properties and no other."""
    return {
        "type": "object",
        "description": description,
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def listed(description: str, items: Schema) -> Schema:
    """An array; its ``description`` says in which order."""
    return {"type": "array", "description": description, "items": items}


def component(name: str, description: str) -> Schema:
    """A schema of the document's components, with what it means here."""
    return {"$ref": f"#/components/schemas/{name}", "description": description}


def maybe(schema: Schema) -> Schema:
    """The same, or null."""
    if "$ref" in schema:
        described = {"description": schema["description"]}
        return described | {"anyOf": [{"$ref": schema["$ref"]}, {"type": "null"}]}
    found = schema | {"type": [schema["type"], "null"]}
    return found | {"enum": [*schema["enum"], None]} if "enum" in schema else found


def text(description: str, **more: Any) -> Schema:
    """A string."""
    return {"type": "string", "description": description, **more}


def truth(description: str) -> Schema:
    """True or false."""
    return {"type": "boolean", "description": description}


def word(description: str, vocabulary: type[Enum] | list[str]) -> Schema:
    """One of a vocabulary."""
    words = vocabulary if isinstance(vocabulary, list) else [each.value for each in vocabulary]
    return text(description, enum=words)


def instant(description: str) -> Schema:
    """A date and time with an offset."""
    return text(description, format="date-time")


def path(description: str) -> Schema:
    """An address of this site, without its host."""
    return text(description, format="uri-reference")


def calls(description: str) -> Schema:
    """How many calls."""
    return _whole(description, "calls")


def units(description: str) -> Schema:
    """How many units."""
    return _whole(description, "units")


def percent(description: str, *, most: int | None = 100) -> Schema:
    """Whole percent, rounded down; ``most`` None: it may be above 100."""
    found = _whole(description, "percent")
    return found if most is None else found | {"maximum": most}


def seconds(description: str) -> Schema:
    """A duration, to the microsecond."""
    return {"type": "number", "minimum": 0, "description": description, UNIT: "seconds"}


def whole_seconds(description: str) -> Schema:
    """A duration as headers tell it: at least a second."""
    return {"type": "integer", "minimum": 1, "description": description, UNIT: "seconds"}


def _whole(description: str, unit: str) -> Schema:
    return {"type": "integer", "minimum": 0, "description": description, UNIT: unit}
