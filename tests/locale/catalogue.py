"""The messages of an app's sources, and its catalogues, read without GNU gettext."""

from __future__ import annotations

import ast
import re
from gettext import GNUTranslations
from pathlib import Path
from typing import NamedTuple

from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[2]
SHAPES = {
    "_": ("text",),
    "gettext": ("text",),
    "gettext_lazy": ("text",),
    "ngettext": ("text", "plural"),
    "ngettext_lazy": ("text", "plural"),
    "pgettext": ("context", "text"),
    "pgettext_lazy": ("context", "text"),
    "npgettext": ("context", "text", "plural"),
    "npgettext_lazy": ("context", "text", "plural"),
}
LITERAL = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
CALL = re.compile(rf"\b({'|'.join(SHAPES)})\(({LITERAL}(?:, ?{LITERAL})*)")
LINE = re.compile(r'(?:(msgctxt|msgid_plural|msgid|msgstr)(?:\[0\])? )?(".*")')
CONTEXT_ENDS = "\x04"


class Message(NamedTuple):
    text: str
    plural: str = ""
    context: str = ""

    @property
    def key(self):
        """As a compiled catalogue has it."""
        text = f"{self.context}{CONTEXT_ENDS}{self.text}" if self.context else self.text
        return (text, 0) if self.plural else text


def messages_of(app):
    """What the Python files and the templates of an app ask to have translated."""
    found = set()
    for path in (ROOT / app).rglob("*.py"):
        found |= messages_of_python(path.read_text())
    for path in (ROOT / app / "templates").rglob("*.html"):
        found |= messages_of_template(path.read_text())
    return found


def messages_of_python(source):
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    found = set()
    for call in calls:
        shape = SHAPES.get(getattr(call.func, "attr", getattr(call.func, "id", "")))
        texts = [each.value for each in call.args if isinstance(each, ast.Constant)]
        if shape and texts:
            assert len(shape) <= len(texts), f"not a text: {ast.unparse(call)}"
            found.add(Message(**dict(zip(shape, texts, strict=False))))
    return found


def messages_of_template(source):
    found = set()
    for name, texts in CALL.findall(templatize(source)):
        values = ast.literal_eval(f"({texts},)")
        found.add(Message(**dict(zip(SHAPES[name], values, strict=False))))
    return found


def catalogue_path(app, suffix):
    return ROOT / app / "locale" / "ja" / "LC_MESSAGES" / f"django{suffix}"


def written(app):
    """The catalogue that people edit: the Japanese text of each message."""
    return dict(_entries(catalogue_path(app, ".po").read_text()))


def compiled(app):
    """The catalogue that is used: by `Message.key`, and its header by no text."""
    with catalogue_path(app, ".mo").open("rb") as file:
        return GNUTranslations(file)._catalog


def _entries(text):
    for block in text.split("\n\n"):
        parts = dict.fromkeys(("msgid", "msgid_plural", "msgctxt", "msgstr"), "")
        part = ""
        for line in block.splitlines():
            if found := LINE.fullmatch(line):
                part = found[1] or part
                parts[part] += ast.literal_eval(found[2])
        yield Message(parts["msgid"], parts["msgid_plural"], parts["msgctxt"]), parts["msgstr"]
