"""A mail server on this machine, for Django's own SMTP backend: what it took, whom it refuses."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread


@dataclass
class MailServer:
    """``took``: the recipients of each mail. It refuses ``unknown`` and hangs up on ``cursed``."""

    took: list = field(default_factory=list)
    unknown: set = field(default_factory=set)
    cursed: set = field(default_factory=set)


class Server(ThreadingTCPServer):
    """Serves ``mail``."""

    daemon_threads = True
    mail: MailServer


class Handler(StreamRequestHandler):
    """One client of it."""

    def handle(self):
        self.recipients = []
        self.answer("220 ready")
        for line in self.rfile:
            verb, _, rest = line.decode().strip().partition(" ")
            said = self.said(verb.upper(), rest.partition("<")[2].partition(">")[0])
            if said is None:
                return
            self.answer(said)

    def said(self, verb, named):
        """What a command is answered; None: nothing more."""
        mail = self.server.mail
        if verb == "RCPT":
            return self.received(mail, named)
        if verb == "DATA":
            self.answer("354 go on")
            while self.rfile.readline() != b".\r\n":
                pass
            mail.took.append(self.recipients)
            return "250 taken"
        self.recipients = []
        return None if verb == "QUIT" else "250 ok"

    def received(self, mail, named):
        if named in mail.cursed:
            return None
        if named in mail.unknown:
            return "550 no such mailbox"
        self.recipients.append(named)
        return "250 ok"

    def answer(self, line):
        self.wfile.write(f"{line}\r\n".encode())


@contextmanager
def serving_mail(settings):
    """A server to which mail goes meanwhile."""
    with Server(("127.0.0.1", 0), Handler) as server:
        server.mail = mail = MailServer()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address
        thread = Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield mail
        finally:
            server.shutdown()
            thread.join()
