"""Views that hold one slot each, and end their responses in every way there is."""

from __future__ import annotations

import asyncio
import io

from django.http import FileResponse, StreamingHttpResponse
from django.urls import path
from rest_framework.response import Response

from quotas.drf import ConcurrencyThrottle
from tests.drf.calling import Answering

OneAtOnce = ConcurrencyThrottle.of(1, lease=60, subject="address", scope="slots")


class Slotted(Answering):
    throttle_classes = [OneAtOnce]


class Plain(Slotted):
    def get(self, request):
        return Response({"ok": True})


class Broken(Slotted):
    def get(self, request):
        raise RuntimeError("the view breaks")


class Unrendered(Slotted):
    def get(self, request):
        return Response({"no": object()})


class Streamed(Slotted):
    def get(self, request):
        return StreamingHttpResponse(iter([b"one", b"two"]))


class StreamedAsync(Slotted):
    def get(self, request):
        async def parts():
            yield b"one"
            yield b"two"

        return StreamingHttpResponse(parts())


class StreamBroken(Slotted):
    def get(self, request):
        def parts():
            yield b"one"
            raise RuntimeError("the stream breaks")

        return StreamingHttpResponse(parts())


class File(Slotted):
    def get(self, request):
        return FileResponse(io.BytesIO(b"one"))


class Refused(Slotted):
    def get(self, request):
        return Response(status=404)


class Endless(Slotted):
    def get(self, request):
        async def parts():
            while True:
                yield b"more"
                await asyncio.sleep(0)

        return StreamingHttpResponse(parts())


VIEWS = [Plain, Broken, Unrendered, Streamed, StreamedAsync, StreamBroken, File, Refused]

urlpatterns = [path(f"{view.__name__.lower()}/", view.as_view()) for view in [*VIEWS, Endless]]
