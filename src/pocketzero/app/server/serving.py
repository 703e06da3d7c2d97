"""``pocketzero serve``: the server's life from the open port to the last request, and the browser beside it."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import threading
import time
import webbrowser

import uvicorn
from fastapi import FastAPI

from pocketzero.app.server.application import create_app
from pocketzero.app.server.house import Setup
from pocketzero.errors import PocketZeroError

DEFAULT_PORT = 8642
NAMED_BROWSERS = ("xdg-open", "x-www-browser", "firefox", "chromium", "google-chrome")


def can_open_browser() -> bool:
    """Whether there is a screen and a browser to show the page in."""
    if sys.platform in ("win32", "darwin"):
        return True
    has_screen = bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return has_screen and any(shutil.which(name) for name in NAMED_BROWSERS)


def listen(host: str, port: int) -> socket.socket:
    """A socket on the port, or on any free one if the usual port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for wanted in (port, 0) if port == DEFAULT_PORT else (port,):
        # With the protocol named, asyncio sends small answers at once instead of waiting for acknowledgements.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, wanted))
        except OSError as error:
            listener.close()
            problem = error
        else:
            return listener
    raise PocketZeroError(f"The port {port} cannot be used: {problem.strerror}.")


class Server(uvicorn.Server):
    """Ends all thinking before it waits for the requests that are under way."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close everything in turn."""
        assert isinstance(self.config.app, FastAPI)
        self.config.app.state.house.rest()
        await super().shutdown(sockets)


def serve(setup: Setup, *, host: str = "127.0.0.1", port: int = DEFAULT_PORT, browser: bool = True) -> None:
    """Serve until interrupted."""
    listener = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{listener.getsockname()[1]}/"
    config = uvicorn.Config(
        create_app(setup),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws_max_size=setup.limits.message_bytes * 2,
        ws_ping_interval=10,
        ws_ping_timeout=10,
        timeout_graceful_shutdown=2,
    )
    server = Server(config)
    threading.Thread(target=_announce, args=(server, address, browser), daemon=True).start()
    with listener:
        server.run(sockets=[listener])


def _announce(server: uvicorn.Server, address: str, browser: bool) -> None:
    """Say where the page is, once it is there."""
    while not server.started:
        if server.should_exit:
            return
        time.sleep(0.02)
    print(f"PocketZero is at {address}  (Ctrl+C ends it)", flush=True)
    if browser:
        webbrowser.open(address)
