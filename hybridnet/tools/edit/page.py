# SPDX-License-Identifier: MIT
"""EditPage: the editor as a page, behind the same gate as the page of a running network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hybridnet.plan.files import FileTopo
from hybridnet.plan.network import Plan
from hybridnet.run.live.access import Tokens
from hybridnet.run.live.files import Files
from hybridnet.run.live.page_options import Where
from hybridnet.run.live.server import Feed, Server, application_of
from hybridnet.system.ending import Endings, undone_on_error
from hybridnet.tools.edit.desk import Desk
from hybridnet.tools.edit.routes import ANSWERS, BODY_LIMIT, ROUTES

__all__ = ["EditPage"]

STATIC = Path(__file__).parent / "static"


class EditPage:
    """Serves the editor of one file until it is closed; that ends the network that was started there, too.

    Args:
        path: the YAML file, which need not be there yet.
        plan: makes the plan of a network.
        where: where it listens.

    Raises:
        UsageError, TopologyError, UnitError: the file is no topology that can be drawn.
        EnvironmentLackError: the page's files have not been fetched.
        MachineError: nobody can listen there.
    """

    def __init__(self, path: Path, plan: Callable[[FileTopo], Plan], where: Where | None = None) -> None:
        where = where or Where()
        self._tokens = Tokens()
        self._endings = Endings()
        files, feed = Files(STATIC), Feed()
        with undone_on_error(self._endings.close):
            self.desk = Desk(path, plan)
            self._endings.add(self.desk.close)
            app = application_of(self.desk, feed, files, ROUTES, ANSWERS, title="an editor")
            scripts = files.inline_scripts()
            self._server = Server(app, self._tokens, where.host, where.port, where.names, scripts, BODY_LIMIT)
            self._endings.add(self._server.close)
            self._endings.add(feed.close)

    @property
    def url(self) -> str:
        """The link that may do everything: it has the editor's token."""
        return f"http://{self._server.address}/?token={self._tokens.full}"

    def close(self) -> None:
        """End it. A second call does nothing."""
        self._endings.close()

    def __enter__(self) -> EditPage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
