# SPDX-License-Identifier: MIT
"""The connection to a Ryu's REST interface, which answers only requests that show its secret.

The secret is made for each Ryu. Ryu gets it in its environment, which its own user alone can read, and asks for it by
HTTP's basic authentication; so `call`, ``curl -u hybridnet:SECRET`` and a browser all reach it.
"""

from __future__ import annotations

import base64
import json
import secrets
from typing import Any

from hybridnet.errors import ControllerError

__all__ = ["SECRET_VARIABLE", "USER", "Rest"]

SECRET_VARIABLE = "HYBRIDNET_REST_SECRET"
USER = "hybridnet"
RYUS_OWN_PORT = 8080
PATIENCE_S = 20.0


class Rest:
    """One Ryu's REST interface."""

    def __init__(self, address: str, port: int | None) -> None:
        """`port`: None is Ryu's own choice."""
        self.url = f"http://{address}:{RYUS_OWN_PORT if port is None else port}"
        self.secret = secrets.token_urlsafe(24)

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that a request needs, for clients other than `call`."""
        return {"Authorization": "Basic " + base64.b64encode(f"{USER}:{self.secret}".encode()).decode()}

    def call(self, path: str, body: Any = None, method: str | None = None) -> Any:
        """Send one request. Returns its answer, decoded from JSON; None for an empty one.

        Args:
            path: for example ``"/stats/switches"``.
            body: sent as JSON; None: nothing is sent.
            method: default: ``"POST"`` with a body, else ``"GET"``.

        Raises:
            ControllerError: it refuses, does not answer, or answers something else than JSON; the message quotes it.
        """
        text, what = self._ask(path, body, method)
        try:
            return json.loads(text) if text else None
        except ValueError:
            raise ControllerError(f"{what}: the answer is not JSON: {text[:200]!r}") from None

    def text(self, path: str) -> str:
        """Ask for a text, such as ``"/metrics"``. Raises ControllerError, as `call`."""
        return self._ask(path, None, None)[0].decode(errors="replace")

    def _ask(self, path: str, body: Any, method: str | None) -> tuple[bytes, str]:
        """The answer, and the request in words."""
        data = None if body is None else json.dumps(body).encode()
        import http.client
        import urllib.error  # with it comes all of TLS, which few networks need
        import urllib.request

        request = urllib.request.Request(self.url + path, data=data, headers=self.headers, method=method)
        what = f"{request.get_method()} {self.url}{path}"
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.read(), what
        except urllib.error.HTTPError as error:
            words = error.read()[:500].decode(errors="replace").strip()
            raise ControllerError(f"{what}: status {error.code}: {words or error.reason}") from None
        except (OSError, http.client.HTTPException) as error:  # another protocol, or half an answer, too
            raise ControllerError(
                f"{what}: no answer ({error}); does the controller have a REST app?"
            ) from None
