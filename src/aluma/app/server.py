"""Starting the page: a port, a token, a link."""

from __future__ import annotations

import logging
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import uvicorn
from threadpoolctl import threadpool_limits

from aluma.app.guard import LOOPBACK, Guard
from aluma.app.publisher import Publisher
from aluma.errors import BadInput

logger = logging.getLogger(__name__)

#: Takes a token and names of this server, and returns a page that they guard.
Page: TypeAlias = Callable[[str, list[str]], Guard]

#: The port that is tried first; when it is taken, any free one is used.
PORT = 8477


@dataclass(frozen=True)
class Place:
    """Where the page is."""

    host: str
    listener: socket.socket
    token: str

    @property
    def link(self) -> str:
        """The link with its token."""
        return f"{self.address}?token={self.token}"

    @property
    def address(self) -> str:
        """The link without its token, which lets nobody in."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        if host in ("0.0.0.0", "[::]"):
            host = socket.gethostname()
        return f"http://{host}:{self.listener.getsockname()[1]}/"

    @property
    def is_private(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK


class _Server(uvicorn.Server):
    """A server that says when it ends, so that requests that wait can end as well."""

    ending: Callable[[], None]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let those who wait go, then shut down."""
        self.ending()
        await super().shutdown(sockets)


def take(host: str = "127.0.0.1", port: int | None = None, token: str | None = None) -> Place:
    """Take a port; without a number the usual one, or any if that is taken."""
    if token is not None and not (token.isascii() and token.isprintable() and len(token) >= 8):
        raise BadInput("--token must have at least 8 plain characters.")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in [port] if port is not None else [PORT, 0]:
        listener = socket.socket(family, socket.SOCK_STREAM)
        # A server that was killed leaves connections behind that would block the port.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            # From here on a browser that follows the link waits for the page instead of failing.
            listener.listen(128)
            return Place(host, listener, token or secrets.token_urlsafe(24))
        except OSError as error:
            listener.close()
            reason = error.strerror
    number = port if port is not None else PORT
    raise BadInput(
        f"port {number} of {host} cannot be used: {reason}. Name another one with --port; 0 is any "
        "that is free."
    )


def serve(
    page: Page, desk: Publisher[Any], place: Place, ready: Callable[[str], None] | None = None
) -> None:
    """Serve a page until Ctrl-C, then close its desk; ``ready`` gets a link that works once."""
    # Ctrl-C may come while the page is still being made: the desk is closed then, too.
    try:
        _run(page, desk, place, ready)
    except KeyboardInterrupt:
        logger.info("interrupted")
    finally:
        desk.close()


def _run(
    page: Page, desk: Publisher[Any], place: Place, ready: Callable[[str], None] | None
) -> None:
    names = [place.host, socket.gethostname()] if not place.is_private else []
    guard = page(place.token, names)
    config = uvicorn.Config(
        guard,
        log_level="warning", access_log=False, timeout_graceful_shutdown=1,
        timeout_keep_alive=60, lifespan="off",
        server_header=False,
    )  # fmt: skip
    server = _Server(config)
    server.ending = desk.release
    if ready is not None:
        link = f"{place.address}?ticket={guard.ticket()}"
        threading.Timer(0.3, ready, [link]).start()
    # Questions and figures are worked out by threads side by side, and a limit on BLAS is the whole
    # process's: what one does without a limit would depend on whether another has one. So it stands
    # for the whole time.
    with threadpool_limits(1, user_api="blas"):
        server.run(sockets=[place.listener])


def show(link: str) -> None:
    """Open the page in a browser, if there is one."""
    try:
        webbrowser.open(link)
    except webbrowser.Error as error:
        logger.info("no browser was opened: %s", error)
