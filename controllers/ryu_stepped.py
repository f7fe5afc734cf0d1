# SPDX-License-Identifier: MIT
"""Runs apps of Ryu or os-ken as they are, step by step, for a program that owns their time and their switches.

Started by hybridnet.tools.explore.controller. One process loads the framework once, and for each trial makes a copy of
itself (fork) that loads the apps afresh, so that a trial has a controller that knows nothing, without the second that
Ryu takes to start.

Clock and switches of such a controller are in the hands of who started it, at the other end of a socket:

    switch N    with a descriptor: a connection of a switch, the N-th
    rest N      the same of somebody who asks the app's REST interface
    step T      it is T nanoseconds now: do what is to be done, and say so
    idle T      (the answer) everything is done; the next thing to do on its own is at T; -1: there is none
    full T      the same, but a connection holds no more of what the app has to say: read it, and let it say the rest

A controller that is idle stands still: its clock (eventlet's, and ``time.time``, ``time.monotonic`` and
``time.perf_counter``) goes on with the next step. So the same messages at the same instants give the same answers:
random numbers have a seed as well, and what is due at one instant is done in the order in which it was asked for. What
an app asks elsewhere (native threads, sockets of its own) is not part of that.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import importlib
import itertools
import json
import logging
import os
import random
import signal
import socket
import sys
import traceback
import warnings

from ryu_manager import (
    RyuIsOsKen,
    framework,
    leave_out_what_no_controller_uses,
    require_python,
    run_apps,
    value_of,
    whole_name,
)

EPOCH_NS = 1_600_000_000_000_000_000  # the wall clock at time zero: September 2020
PR_SET_PDEATHSIG = 1  # of linux/prctl.h
ADDR_NO_RANDOMIZE, ASK = 0x0040000, 0xFFFFFFFF  # of personality(2)
MOST_BYTES = 4096  # of a request
HOST, PORT = "127.0.0.1", 6653  # what the apps read of their listener; nothing listens there
REST_PORT = "8080"  # unless the framework's option says another one
_FD_SIZE = array.array("i").itemsize


def receive(control):
    """A line of whoever owns this process, with the descriptor that came with it. ConnectionError: it has gone."""
    words, more, _, _ = control.recvmsg(MOST_BYTES, socket.CMSG_LEN(2 * _FD_SIZE))
    fds = array.array("i")
    for level, kind, data in more:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(data[: len(data) - len(data) % _FD_SIZE])
    if not words:
        raise ConnectionError
    return words.decode(), list(fds)


def plain_socket(fd):
    """A socket of Python's own, also once eventlet has put its own in the place of these."""
    from eventlet.patcher import original

    return original("socket").socket(fileno=fd)


class Stepping:
    """The clock of a controller, and those who have connected to it."""

    def __init__(self):
        self.control = None  # before the copy is made nobody owns it
        self.now_ns = 0
        self.visitors = {}  # by what they are, "switch" or "rest": an eventlet queue of (socket, address)

    def clock(self):
        return self.now_ns / 1e9

    def rest(self, next_s, *, full=False):
        """Say that everything is done, or that connections are full, and stand still until the next step."""
        if self.control is None:
            raise RuntimeError("the controller waits for something before it has begun")
        wake_ns = -1 if next_s is None else round(next_s * 1e9)
        if next_s is not None and wake_ns / 1e9 < next_s:
            wake_ns += 1  # `next_s` is between two nanoseconds: at the first of them it is not yet due
        try:
            self.control.send(b"%s %d" % (b"full" if full else b"idle", wake_ns))
        except OSError:
            os._exit(0)  # whoever owned it has gone
        while True:
            try:
                words, fds = receive(self.control)
            except OSError:
                os._exit(0)
            verb, number = words.split()
            if verb == "step":
                self.now_ns = max(self.now_ns, int(number))
                return
            self.arrive(verb, int(number), fds[0])

    def arrive(self, what, number, fd):
        from eventlet.greenio import GreenSocket

        connection = GreenSocket(plain_socket(fd))
        setsockopt = connection.setsockopt

        def set_option(level, *arguments):
            if level != socket.IPPROTO_TCP:  # it is a pair of sockets, which has no such options
                setsockopt(level, *arguments)

        connection.setsockopt = set_option
        self.visitors[what].put((connection, (HOST, 10_000 + number)))


class InOrder(dict):
    """What stands for a set of eventlet's: first come, first served, where a set goes by addresses in memory."""

    def add(self, one):
        self[one] = None

    def discard(self, one):
        super().pop(one, None)

    def pop(self):
        first = next(iter(self))
        del self[first]
        return first


def take_the_hub(stepping):
    """Let eventlet run on the clock of `stepping`, in an order that no address in memory decides.

    A hub that has nothing to do is idle, and says so.
    """
    import eventlet.event
    import eventlet.hubs
    import eventlet.hubs.poll
    import eventlet.hubs.timer
    import eventlet.queue

    for module in (eventlet.event, eventlet.queue, eventlet.hubs.poll):
        module.set = InOrder
    eventlet.hubs.timer.Timer.__lt__ = lambda one, other: one.number < other.number
    numbers = itertools.count()

    class SteppedHub(eventlet.hubs.poll.Hub):
        is_available = staticmethod(eventlet.hubs.poll.is_available)

        def __init__(self):
            super().__init__(stepping.clock)

        def add_timer(self, timer):
            timer.number = next(numbers)  # of timers that are due at one instant, the first one goes first
            return super().add_timer(timer)

        def wait(self, seconds=None):
            if seconds and not self.poll.poll(0):
                stepping.rest(self.sleep_until(), full=bool(self.listeners[self.WRITE]))
            super().wait(0)

    eventlet.hubs.use_hub(SteppedHub)


class Listener:
    """What stands for a socket on which a controller listens: nobody comes but those in a queue.

    No port of the computer is taken, and nobody else can ask the app anything.
    """

    family = socket.AF_INET

    def __init__(self, address, visitors):
        self.getsockname = lambda: address
        self.accept = visitors.get

    def close(self):
        """Nothing listens."""


def take_the_clock(stepping):
    import time

    def wall_ns():
        return EPOCH_NS + stepping.now_ns

    time.time = lambda: wall_ns() / 1e9
    time.time_ns = wall_ns
    time.monotonic = time.perf_counter = stepping.clock
    time.monotonic_ns = time.perf_counter_ns = lambda: stepping.now_ns


def load():
    """The framework, on a hub of ours. Returns its manager, and the stepping."""
    leave_out_what_no_controller_uses()
    warnings.filterwarnings("ignore", message=r"\s*Eventlet is deprecated")
    import eventlet.queue
    import eventlet.wsgi

    logging.lastResort.addFilter(lambda record: "RLock(s) were not greened" not in record.getMessage())
    if not hasattr(eventlet.wsgi, "ALREADY_HANDLED"):
        eventlet.wsgi.ALREADY_HANDLED = b""
    stepping = Stepping()
    take_the_hub(stepping)

    def listen_there(address, *_, **__):
        rest = int(value_of("--wsapi-port", REST_PORT, sys.argv))
        what = {PORT: "switch", rest: "rest"}.get(address[1] if isinstance(address, tuple) else None)
        return Listener(address, stepping.visitors[what] if what else eventlet.queue.LightQueue())

    eventlet.listen = listen_there
    name = framework()
    manager = importlib.import_module(f"{name}.cmd.manager")
    for module in (
        "controller.ofp_handler",
        "ofproto.ofproto_v1_0_parser",
        "ofproto.ofproto_v1_3_parser",
        "lib.packet",
    ):
        importlib.import_module(f"{name}.{module}")
    if name != "ryu":
        RyuIsOsKen().take_part()
    importlib.import_module(f"{name}.lib.hub").patch(
        thread=True
    )  # its manager does so, which takes half a second
    stepping.visitors = {what: eventlet.queue.LightQueue() for what in ("switch", "rest")}
    return manager, stepping


def become(manager, stepping, control, log, request):
    """Be the controller of one trial, and do not return."""
    for stream in (1, 2):
        os.dup2(log, stream)
    os.close(log)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # also while an app computes without end
    random.seed(request["seed"])
    os.environ.update(request["settings"])
    stepping.control = control
    stepping.now_ns = request["now_ns"]
    take_the_clock(stepping)
    apps = request["apps"]
    sys.argv[1:] = [
        "--ofp-listen-host",
        HOST,
        "--ofp-tcp-listen-port",
        str(PORT),
        *request["arguments"],
        *map(whole_name, apps),
    ]
    for file in filter(os.path.isfile, apps):
        require_python(file)
    run_apps(manager)


def serve(control, manager, stepping):
    """Make a controller for each request, until nobody is there to ask.

    The request is JSON, with two descriptors: the controller's own socket, and the file of its log.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # what ends is gone
    while True:
        try:
            words, (own, log) = receive(control)
        except ConnectionError:
            return
        pid = os.fork()
        if pid == 0:
            control.close()
            status = 1
            try:
                become(manager, stepping, plain_socket(own), log, json.loads(words))
            except SystemExit as end:
                if isinstance(end.code, int):
                    status = end.code
                else:
                    print(end.code, file=sys.stderr)  # as Python does
            except BaseException:
                traceback.print_exc()
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)
        os.close(own)
        os.close(log)
        control.send(b"%d" % pid)


def fix_addresses():
    """Begin again where objects have the same addresses each time: an app's own sets of objects go by them.

    A container may forbid it. Then such an app is not the same each time.
    """
    personality = ctypes.CDLL(None).personality
    now = personality(ASK)
    if not now & ADDR_NO_RANDOMIZE and personality(now | ADDR_NO_RANDOMIZE) >= 0:
        os.execv(sys.executable, [sys.executable, *sys.argv])


def main():
    fix_addresses()
    fd = int(sys.argv[1])
    sys.argv[1:] = []
    manager, stepping = load()
    control = plain_socket(fd)
    control.send(b"ready")
    serve(control, manager, stepping)


if __name__ == "__main__":
    main()
