# SPDX-License-Identifier: MIT
"""Runs the manager of Ryu or os-ken with apps as they are, Ryu's on a Python and an eventlet newer than it knows.

Where there is os-ken and no Ryu, apps that import ``ryu`` get what os-ken has under the same name.

Started by hybridnet.run.controllers.ryu, with Ryu's command line; works by hand as well:

    .venv-ryu/bin/python controllers/ryu_manager.py --ofp-tcp-listen-port 6653 controllers/tree_switch.py

It ends when its standard input does, so that no controller survives the program that started it. With a secret in the
environment variable HYBRIDNET_REST_SECRET, apps with a REST interface answer only those who show it (user hybridnet).
With addresses in HYBRIDNET_ADDRESSES ("10.0.1.1 10.0.2.1"), only switches that connect to one of these are heard.
With a device and a network in HYBRIDNET_FABRIC ("eth1 10.0.0.0/24"), only switches that come from there are heard.
Exit status 98 (EADDRINUSE): a port it was told to listen on is taken; 99: an address is not of this machine.
"""

from __future__ import annotations

import base64
import errno
import hmac
import importlib.abc
import importlib.machinery
import importlib.util
import ipaddress
import logging
import os
import re
import signal
import socket
import sys
import threading
import warnings

EXIT_STATUS = {errno.EADDRINUSE: 98, errno.EADDRNOTAVAIL: 99}
ECHOES_MISSED = (
    3  # before Ryu gives up a switch: one busy computer holds hundreds of them, and may answer late
)


def end_with_standard_input(read):
    """End this process when the other end of its standard input is closed, for whatever reason.

    ``read`` is os.read as it was before eventlet replaced it by one that needs a hub.
    """

    def watch():
        while read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    if not os.isatty(0):
        threading.Thread(target=watch, daemon=True).start()


def leave_out_what_no_controller_uses():
    """Half of what Ryu takes to start: 1.0 s of processor time with it, 0.5 s without.

    Ryu asks distutils to compare two versions, and setuptools puts its own in the place of Python's, with all of
    itself. eventlet loads a resolver of its own; without it, names are looked up as by any other program. Who wants it
    sets EVENTLET_NO_GREENDNS=no.
    """
    os.environ.setdefault("EVENTLET_NO_GREENDNS", "yes")
    shim = sys.modules.get("_distutils_hack")
    if shim is not None:
        shim.remove_shim()
        if importlib.util.find_spec("distutils") is None:  # from Python 3.12 on
            shim.add_shim()


def value_of(option, default, arguments):
    for position, argument in enumerate(arguments):
        if argument == option and position + 1 < len(arguments):
            return arguments[position + 1]
        if argument.startswith(option + "="):
            return argument.partition("=")[2]
    return default


def require_python(file):
    """Raise SyntaxError if a file of an app is no Python: Ryu would take it for a module's name, and find none."""
    if file.endswith(".py"):
        with open(file, "rb") as source:
            compile(source.read(), file, "exec")


def whole_name(word):
    """An app of Ryu's own by its last name alone, as Mininet's commands have it: ryu.app.simple_switch_13."""
    if not word.replace(".", "").isidentifier() or os.path.exists(word):
        return word
    for name in (word, f"ryu.app.{word}"):
        name = name if framework() == "ryu" else re.sub(r"^ryu\b", framework(), name)
        if has_module(name):
            return name
    return word


def framework():
    """The package of the framework that this Python has."""
    return "ryu" if importlib.util.find_spec("ryu") is not None else "os_ken"


def has_module(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


class RyuIsOsKen(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports what os-ken has for whoever asks for the same of Ryu: os-ken is Ryu 4.34, renamed and maintained."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "ryu" and has_module("os_ken" + name[3:]):
            return importlib.machinery.ModuleSpec(name, self)
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        sys.modules[module.__name__] = importlib.import_module("os_ken" + module.__name__[3:])

    def take_part(self):
        """From now on; what has Ryu in its name has it again."""
        sys.meta_path.insert(0, self)  # before what looks into the folder of a package
        for module, name in (("base.app_manager", "App"), ("exception", "Exception")):
            found = importlib.import_module(f"os_ken.{module}")
            setattr(found, f"Ryu{name}", getattr(found, f"OSKen{name}"))


def require_free(host, port):
    """Ryu would log a traceback and stay, deaf; better to end and say why."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            print(f"cannot listen on {host}:{port}: {error.strerror}", file=sys.stderr)
            raise SystemExit(EXIT_STATUS.get(error.errno, 1)) from None


def guard(serve, secret):
    """eventlet's WSGI server, as Ryu calls it, for those who show the secret: else any user of this computer could
    command the switches.
    """
    wanted = b"Basic " + base64.b64encode(f"hybridnet:{secret}".encode())

    def serve_guarded(listener, site, *arguments, **options):
        def site_guarded(environ, start_response):
            shown = environ.get("HTTP_AUTHORIZATION", "").encode("latin-1")
            if hmac.compare_digest(shown, wanted):
                return site(environ, start_response)
            words = b"This Ryu belongs to a run of hybridnet: use Ryu.rest(), or the secret in Ryu.process.rest.\n"
            headers = [("WWW-Authenticate", 'Basic realm="hybridnet"'), ("Content-Type", "text/plain")]
            start_response("401 Unauthorized", [*headers, ("Content-Length", str(len(words)))])
            return [words]

        return serve(listener, site_guarded, *arguments, **options)

    return serve_guarded


def listen_for_switches(listen, host, port, device, network):
    """eventlet's listen, as Ryu calls it; at `port` only those in `network` who come by `device` are heard.

    What a user of this computer sends to an address of `device` counts as come by it, so addresses are looked at too:
    nobody but root can send from one of another computer, or machine.
    """

    def listen_there(address, *arguments, **options):
        listener = listen(address, *arguments, **options)
        if address[1] != port:
            return listener
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode() + b"\0")
        accept = listener.accept

        def accept_switch():
            while True:
                connection, peer = accept()
                if peer[0] != host and ipaddress.ip_address(peer[0]) in network:
                    return connection, peer
                connection.close()

        listener.accept = accept_switch
        return listener

    return listen_there


def listen_at(listen, port, addresses):
    """eventlet's listen, as Ryu calls it; at `port`, only connections to these addresses of this computer are taken."""

    def listen_there(address, *arguments, **options):
        listener = listen(address, *arguments, **options)
        if address[1] != port:
            return listener
        accept = listener.accept

        def accept_switch():
            while True:
                connection, peer = accept()
                if connection.getsockname()[0] in addresses:
                    return connection, peer
                connection.close()

        listener.accept = accept_switch
        return listener

    return listen_there


def run_apps(manager):
    """Run what the command line names. It returns only if the apps have begun nothing, so they are no apps."""
    manager.main()
    name = framework()
    raise SystemExit(
        f"no app has anything to do: an app is a class derived from {name}.base.app_manager."
        f"{'RyuApp' if name == 'ryu' else 'OSKenApp'}, with a method for an event of {name}.controller.ofp_event"
    )


def main():
    read = os.read
    secret = os.environ.pop("HYBRIDNET_REST_SECRET", None)
    fabric = os.environ.pop("HYBRIDNET_FABRIC", None)
    addresses = os.environ.pop("HYBRIDNET_ADDRESSES", "").split()
    arguments = sys.argv[1:]
    port = int(value_of("--ofp-tcp-listen-port", "6653", arguments))
    host = value_of("--ofp-listen-host", "0.0.0.0", arguments)
    require_free(host, port)
    wsapi_port = value_of("--wsapi-port", None, arguments)
    if wsapi_port:
        require_free(value_of("--wsapi-host", "0.0.0.0", arguments), int(wsapi_port))

    leave_out_what_no_controller_uses()
    warnings.filterwarnings("ignore", message=r"\s*Eventlet is deprecated")  # known; Ryu has nothing else
    import eventlet.wsgi

    # Ryu has eventlet patch in two steps, and eventlet then complains of a lock of logging's own, which does no harm.
    logging.lastResort.addFilter(lambda record: "RLock(s) were not greened" not in record.getMessage())
    if not hasattr(eventlet.wsgi, "ALREADY_HANDLED"):
        eventlet.wsgi.ALREADY_HANDLED = b""
    if fabric is not None:
        device, network = fabric.split()
        eventlet.listen = listen_for_switches(
            eventlet.listen, host, port, device, ipaddress.ip_network(network)
        )
    if addresses:
        eventlet.listen = listen_at(eventlet.listen, port, addresses)
    if secret is not None:
        eventlet.wsgi.server = guard(eventlet.wsgi.server, secret)
    for file in filter(os.path.isfile, arguments):
        require_python(file)
    sys.argv[1:] = map(whole_name, arguments)
    manager = importlib.import_module(f"{framework()}.cmd.manager")
    if framework() != "ryu":
        RyuIsOsKen().take_part()

    end_with_standard_input(read)  # a thread, so after eventlet has patched what threads use
    manager.CONF.set_default("maximum_unreplied_echo_requests", ECHOES_MISSED)
    run_apps(manager)


if __name__ == "__main__":
    main()
