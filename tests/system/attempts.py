# SPDX-License-Identifier: MIT
"""A stranger, as a program: tries to get into a run, and says what each attempt got.

``python -m tests.system.attempts UID`` reads one JSON list of attempts, ``[kind, target, …]``, becomes the user UID
once everything is imported, and prints one JSON list of what each got: ``got …`` or ``refused: …``.
"""

from __future__ import annotations

import base64
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from distributed import Client

from hybridnet.machines.workers.certificates import make_certificate
from hybridnet.machines.workers.dask_settings import turn_down_housekeeping
from hybridnet.machines.workers.security import security_of

PATIENCE_S = 2.0


def run_as_root(address: str) -> str:
    """Code as root, in the way of the issue: by a Dask client that shows no certificate."""
    with Client(f"tcp://{address}", timeout=PATIENCE_S, set_as_default=False) as client:
        return f"{client.run(os.getuid)} {client.run_on_scheduler(os.getuid)}"


def run_with_foreign_certificate(address: str) -> str:
    """The same with a certificate that the stranger has made."""
    security = security_of(make_certificate("stranger"))
    with Client(f"tls://{address}", timeout=PATIENCE_S, security=security, set_as_default=False) as client:
        return f"{client.run(os.getuid)} {client.run_on_scheduler(os.getuid)}"


def tls(address: str, certificate: dict[str, str] | None) -> str:
    """An answer in TLS from whatever listens, a worker for instance."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if certificate is not None:
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(certificate["certificate"] + certificate["key"])
            file.flush()
            context.load_cert_chain(file.name)
    host, _, port = address.rpartition(":")
    with (
        socket.create_connection((host, int(port)), PATIENCE_S) as plain,
        context.wrap_socket(plain) as secured,
    ):
        return repr(secured.recv(100))  # a Dask server speaks first


def tls_without_certificate(address: str) -> str:
    return tls(address, None)


def tls_with_foreign_certificate(address: str) -> str:
    return tls(address, make_certificate("stranger"))


def plain(address: str) -> str:
    """Whatever a server says first to who only connects."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), PATIENCE_S) as connection:
        if said := connection.recv(100):
            return repr(said)
    raise ConnectionError("closed without a word")


def connect(address: str) -> str:
    """A connection, whatever comes of it."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), PATIENCE_S):
        return "a connection"


def get(url: str, secret: str = "") -> str:
    """A page."""
    headers = {"Authorization": "Basic " + base64.b64encode(f"hybridnet:{secret}".encode()).decode()}
    with urllib.request.urlopen(
        urllib.request.Request(url, headers=headers if secret else {}), timeout=PATIENCE_S
    ) as answer:
        return str(answer.read(100))


def datagram(address: str, data: str, source: str = "") -> str:
    """An answer to a datagram; whether it was taken, the receiver's counters say."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
        if source:
            host, _, port = source.rpartition(":")
            sending.bind((host, int(port)))
        host, _, port = address.rpartition(":")
        sending.connect((host, int(port)))
        sending.settimeout(0.5)
        sending.send(bytes.fromhex(data))
        return repr(sending.recv(100))


def read(path: str) -> str:
    """A file, or a directory's names."""
    if os.path.isdir(path):
        return str(os.listdir(path))
    with open(path, "rb") as file:
        return repr(file.read(100))


def unix(path: str) -> str:
    """A connection to a socket in the file system."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(PATIENCE_S)
        connection.connect(path)
        return "a connection"


def ping(address: str) -> str:
    """An answer to an echo request."""
    done = subprocess.run(
        ["ping", "-c", "1", "-W", "1", address], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise OSError("no answer")
    return "an answer"


KINDS: dict[str, Callable[..., str]] = {
    function.__name__: function
    for function in (
        *(run_as_root, run_with_foreign_certificate, tls_without_certificate, tls_with_foreign_certificate),
        *(plain, connect, get, datagram, read, unix, ping),
    )
}


def attempt(kind: str, *arguments: Any) -> str:
    try:
        return f"got {KINDS[kind](*arguments)}"
    except Exception as error:
        return f"refused: {type(error).__name__}: {error}".splitlines()[0]


def main() -> None:
    attempts = json.load(sys.stdin)
    turn_down_housekeeping()
    user = int(sys.argv[1])
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    with ThreadPoolExecutor(max(1, len(attempts))) as pool:  # most of them wait for what does not come
        answers = list(pool.map(lambda one: attempt(*one), attempts))
    print(json.dumps(answers), flush=True)
    os._exit(0)  # a client that was refused goes on trying in its own thread


if __name__ == "__main__":
    main()
