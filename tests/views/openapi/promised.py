"""What the document promises of an answer, and what of it an answer bears out."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from io import StringIO

from jsonschema import Draft202012Validator, FormatChecker

from quotas.views.openapi.document import document

USAGE = "/{tenant}/usage.json"
EXPORT = "/{tenant}/usage.csv"
DECISION = "/decisions/{decision}/decision.json"
OF_LIMIT = ("RateLimit", "RateLimit-Policy", "X-RateLimit-", "Retry-After")


class Promise:
    """The document as it is now."""

    def __init__(self):
        self.document = document()

    def resolved(self, found):
        while "$ref" in found:
            target = self.document
            for part in found["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            found = target
        return found

    def answer(self, where, response):
        """What an operation promises of a status; ``where`` may be a response of components."""
        if where in self.document["components"]["responses"]:
            return self.document["components"]["responses"][where]
        answers = self.document["paths"][where]["get"]["responses"]
        return self.resolved(answers[str(response.status_code)])

    def schema(self, where, response):
        """The schema of a body; it is in the media type that is promised."""
        media = response["Content-Type"].partition(";")[0]
        return self.answer(where, response)["content"][media]["schema"]

    def faults(self, schema, value):
        """What is wrong with a value, in words."""
        whole = {**schema, "components": self.document["components"]}
        found = Draft202012Validator(whole, format_checker=FormatChecker()).iter_errors(value)
        return [f"{each.json_path}: {each.message}" for each in found]

    def documented(self):
        """{(object, property): whether it may be null} of all components."""
        found = {}
        for name, schema in self.document["components"]["schemas"].items():
            self._collect(name, schema, found)
        return found

    def _collect(self, name, schema, found):
        if "$ref" in schema:
            return
        if "items" in schema:
            self._collect(name, schema["items"], found)
        for key, each in schema.get("properties", {}).items():
            found[name, key] = may_be_null(each)
            self._collect(f"{name}.{key}", each, found)


def may_be_null(schema):
    kinds = [schema, *schema.get("anyOf", ())]
    return any("null" in each.get("type", ()) for each in kinds)


@dataclass
class Seen:
    """Which of the documented properties occurred, with a value and as null."""

    promise: Promise
    valued: set = field(default_factory=set)
    null: set = field(default_factory=set)

    def add(self, schema, value, name="body"):
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return self.add(self.promise.resolved(schema), value, name)
        for each in schema.get("anyOf", ()):
            if value is not None and not self.promise.faults(each, value):
                self.add(each, value, name)
        if isinstance(value, list):
            for each in value:
                self.add(schema["items"], each, name)
        if isinstance(value, dict) and "properties" in schema:
            for key, each in value.items():
                (self.null if each is None else self.valued).add((name, key))
                self.add(schema["properties"][key], each, f"{name}.{key}")
        return None


def lines(response):
    """The lines of an export as objects: numbers as such, blank cells as null."""
    rows = csv.DictReader(StringIO(response.content.decode()))
    return [{name: _cell(name, text) for name, text in row.items()} for row in rows]


def _cell(name, text):
    if name in {"start", "end", "scope"}:
        return text
    return int(text) if text else None


def limit_headers(response):
    return {name for name in response.headers if name.startswith(OF_LIMIT)}
