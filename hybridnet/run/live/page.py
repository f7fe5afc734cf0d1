# SPDX-License-Identifier: MIT
"""Page: the page of one running network, made by `Net.live`.

    with net.live() as page:
        print(page.url)

It ends with the block, and at the latest with the network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import ClassVar

from hybridnet.run.live.access import Tokens
from hybridnet.run.live.control import Control
from hybridnet.run.live.files import Files
from hybridnet.run.live.network import Live
from hybridnet.run.live.page_options import LOOPBACK
from hybridnet.run.live.response_schemas import ANSWERS, Schema
from hybridnet.run.live.routes import ROUTES, Route
from hybridnet.run.live.server import Feed, Server, application
from hybridnet.run.live.terminals import Terminals
from hybridnet.run.live.watching import Watcher
from hybridnet.system.ending import Endings, undone_on_error

__all__ = ["Page"]

_FRAME = "width: 100%; height: 640px; border: 1px solid #8888"


class Page:
    """Serves one network until it is closed.

    Args:
        host, port: where it listens; port 0: one that is free.
        names: further names of that address, which browsers may use.
        notebook: the origin of the notebook's server that may show it in a cell; None: none may.

    Raises:
        UsageError: the notebook's server is at another name.
        EnvironmentLackError: the page's files have not been fetched.
        MachineError: nobody can listen there, or a machine does not answer.
    """

    routes: ClassVar[Sequence[Route]] = ROUTES
    answers: ClassVar[Mapping[str, Schema]] = ANSWERS

    def __init__(
        self,
        live: Live,
        host: str = LOOPBACK,
        port: int = 0,
        names: tuple[str, ...] = (),
        notebook: str | None = None,
    ) -> None:
        self._tokens = Tokens()
        self._endings = Endings()
        files, feed = Files(), Feed()
        with undone_on_error(self._endings.close):
            self.watcher = self._watch(live, feed.ring)
            self._endings.add(self.watcher.close)
            control = self._control(live)
            self._endings.add(control.close)
            terminals = Terminals(live)
            self._endings.add(terminals.close)
            app = application(control, self.watcher, feed, terminals, files, self.routes, self.answers)
            scripts = files.inline_scripts()
            self._server = Server(app, self._tokens, host, port, names, scripts, notebook=notebook)
            self._endings.add(self._server.close)
            self._endings.add(feed.close)

    def _watch(self, live: Live, on_look: Callable[[], object]) -> Watcher:
        return Watcher(live, on_look)

    def _control(self, live: Live) -> Control:
        return Control(live, self.watcher)

    @property
    def url(self) -> str:
        """The link that may do everything: it has the run's token."""
        return f"http://{self._server.address}/?token={self._tokens.full}"

    @property
    def reading_url(self) -> str:
        """The link that may only look."""
        return f"http://{self._server.address}/?token={self._tokens.reading}"

    def close(self) -> None:
        """End it, with the captures, flows and terminals that were begun there. A second call does nothing."""
        self._endings.close()

    def __enter__(self) -> Page:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """The page itself, in a cell of the notebook that it was made for; in others its link."""
        if self._server.framed is not None:
            link = f"http://{self._server.framed}/?token={self._tokens.full}"
            return f'<iframe src="{escape(link)}" title="hybridnet" style="{_FRAME}"></iframe>'
        link = escape(self.url)
        return (
            f'<p><a href="{link}" target="_blank" rel="noreferrer">{link}</a></p>'
            "<p>net.live(notebook=&quot;http://localhost:8888&quot;), the address in your browser, shows it here.</p>"
        )

    def __repr__(self) -> str:
        return f"<Page http://{self._server.address}/>"
