"""A receiver of webhooks on this machine: what came, and how it is answered."""

from __future__ import annotations

import hmac
import ssl
from base64 import b64decode, b64encode
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from quotas.services.alert_settings import choose
from tests.services.alerting import an_alert


@dataclass
class Receiver:
    """``answers`` are (status, headers, body) in turn, 204 after them.

    ``came``: (path, headers, body) of each post. ``writing`` writes the answer itself.
    """

    url: str = ""
    came: list = field(default_factory=list)
    answers: list = field(default_factory=list)
    writing: object = None

    def verified(self, secret):
        """The ids of what came, each checked as a receiver of Standard Webhooks does."""
        key = b64decode(secret.removeprefix("whsec_"))
        ids = []
        for _path, headers, body in self.came:
            told = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
            code = b64encode(hmac.new(key, told, sha256).digest()).decode()
            assert f"v1,{code}" == headers["webhook-signature"]
            ids.append(headers["webhook-id"])
        return ids


@contextmanager
def receiving(context: ssl.SSLContext | None = None):
    """A receiver, at ``receiver.url``; with a ``context`` by https."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.came.append((self.path, dict(self.headers), body))
            if receiver.writing is not None:
                receiver.writing(self.wfile)
                return
            status, headers, answer = (
                receiver.answers.pop(0) if receiver.answers else (204, {}, b"")
            )
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args):
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request, client_address):
            """A client that hangs up is no fault of the receiver's."""

    server = Server(("127.0.0.1", 0), Handler)
    scheme = "http"
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    receiver.url = f"{scheme}://localhost:{server.server_port}/hook"
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def by_webhook(tenant, receiver, **fields):
    """One of which the tenant's webhook is to be told."""
    choose(tenant.pk, email=True, webhook_url=receiver.url)
    return an_alert(tenant, email_state="none", webhook_state="pending", **fields)
