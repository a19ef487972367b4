"""A mail server on this machine, for Django's own SMTP backend: what it took, whom it refuses."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread


@dataclass
class MailServer:
    """``took``: the recipients of each mail. It refuses ``unknown`` and hangs up on ``cursed``."""

    port: int = 0
    took: list = field(default_factory=list)
    unknown: set = field(default_factory=set)
    cursed: set = field(default_factory=set)


@contextmanager
def serving_mail(settings):
    """A server to which mail goes meanwhile."""
    mail = MailServer()

    class Handler(StreamRequestHandler):
        def handle(self):
            self.answer("220 ready")
            recipients = []
            for line in self.rfile:
                verb, _, rest = line.decode().strip().partition(" ")
                named = rest.partition("<")[2].partition(">")[0]
                if verb.upper() == "RCPT" and named in mail.cursed:
                    return
                if verb.upper() == "RCPT" and named in mail.unknown:
                    self.answer("550 no such mailbox")
                elif verb.upper() == "RCPT":
                    recipients.append(named)
                    self.answer("250 ok")
                elif verb.upper() == "DATA":
                    self.answer("354 go on")
                    while self.rfile.readline() != b".\r\n":
                        pass
                    mail.took.append(recipients)
                    self.answer("250 taken")
                elif verb.upper() == "QUIT":
                    self.answer("221 bye")
                    return
                else:
                    recipients = []
                    self.answer("250 ok")

        def answer(self, line):
            self.wfile.write(f"{line}\r\n".encode())

    class Server(ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        mail.port = server.server_address[1]
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", mail.port
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield mail
        finally:
            server.shutdown()
            thread.join()
