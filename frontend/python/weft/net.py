# SPDX-License-Identifier: MIT
"""A network of weft, by the protocol of weft serve.

Posts are sent with the next request, so that one round trip serves many. Times are picoseconds.
"""

import asyncio
import json
import socket as sockets
import subprocess
from typing import List, NamedTuple, Optional

from .program import find, setting_list


class WeftError(Exception):
    """What weft refuses: `code` is input, usage, io, limit or internal."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Event(NamedTuple):
    """Something that happened: `kind` is started, sent, delivered, acknowledged, matched or timer."""

    kind: str
    time_ps: int
    id: int
    user: int = 0
    src: Optional[int] = None
    dst: Optional[int] = None
    tag: Optional[int] = None
    bytes: Optional[int] = None


class Stop(NamedTuple):
    """Why a run ended: time, event, idle or stalled; next_ps is None where nothing is left to happen."""

    why: str
    now_ps: int
    next_ps: Optional[int]
    events: List[Event]


def _number(value):
    """JSON's whole numbers end at 2**63 in weft serve; larger ones are texts."""
    return value if value < 2**63 else str(value)


class _Requests:
    """What is asked, without input and output: shared by both kinds of networks."""

    _KINDS = ("messages", "timers", "receives")

    def __init__(self):
        self._queue = []
        self._next = 0

    def _add(self, kind, members):
        self._queue.append((kind, members))
        self._next += 1
        return self._next - 1

    def send(self, src, dst, bytes, *, tag=0, delay_ps=0, at_ps=None, after=(), qp=0, priority=None, user=0):
        """Posts a message and returns its number. It waits for what `after` names."""
        message = {"src": src, "dst": dst, "bytes": bytes, "tag": _number(tag), "qp": qp, "user": _number(user)}
        if priority is not None:
            message["priority"] = priority
        return self._add(0, self._when(message, delay_ps, at_ps, after))

    def timer(self, delay_ps=0, *, at_ps=None, after=(), user=0):
        """Asks for an event and returns its number."""
        return self._add(1, self._when({"user": _number(user)}, delay_ps, at_ps, after))

    def recv(self, dst, src=None, tag=None, *, user=0):
        """Posts a receive and returns its number. None: any source, any tag."""
        receive = {"dst": dst, "user": _number(user)}
        if src is not None:
            receive["src"] = src
        if tag is not None:
            receive["tag"] = _number(tag)
        return self._add(2, receive)

    @staticmethod
    def _when(members, delay_ps, at_ps, after):
        if at_ps is not None:
            members["at_ps"] = at_ps
        elif delay_ps:
            members["delay_ps"] = delay_ps
        if after:
            members["after"] = list(after)
        return members

    def _posts(self):
        """Requests for what is queued; numbers are given in the order of _KINDS within each."""
        requests, request, last = [], None, 0
        for kind, members in self._queue:
            if request is None or kind < last:
                request = {"verb": "post"}
                requests.append(request)
            request.setdefault(self._KINDS[kind], []).append(members)
            last = kind
        self._queue = []
        return requests

    @staticmethod
    def _open(scenario, settings, receives, events, folder):
        request = {"verb": "open", "receives": receives, "settings": setting_list(settings)}
        for name, value in (("scenario", scenario), ("events", events), ("folder", folder)):
            if value is not None:
                request[name] = list(value) if name == "events" else str(value)
        return request

    @staticmethod
    def _run(until, stop):
        request = {"verb": "run"}
        for wish in (until, stop):
            if isinstance(wish, int):
                request["until_ps"] = wish
            elif wish is not None:
                request["stop"] = wish if isinstance(wish, str) else list(wish)
        return request

    @staticmethod
    def _line(request):
        return (json.dumps(request, separators=(",", ":")) + "\n").encode()

    def _answer(self, line):
        if not line:
            raise EOFError("weft serve has ended")
        answer = json.loads(line)
        if not answer["ok"]:
            raise WeftError(answer["error"]["code"], answer["error"]["text"])
        return answer

    @staticmethod
    def _stop(answer):
        return Stop(answer["why"], answer["now_ps"], answer["next_ps"], [Event(**event) for event in answer["events"]])


class Net(_Requests):
    """A network: opened from a scenario file, settings, or both.

    `socket` is that of a `weft serve --socket`; without it a process of weft serve is started. `receives`: recv() may
    be called. `events`: kinds to be told, without which all but started and sent are.
    """

    def __init__(self, scenario=None, settings=(), *, receives=False, events=None, folder=None, socket=None):
        super().__init__()
        self._process = self._socket = None
        if socket:
            self._socket = sockets.socket(sockets.AF_UNIX)
            self._socket.connect(str(socket))
            self._out = self._in = self._socket.makefile("rwb")
        else:
            self._process = subprocess.Popen([find(), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._out, self._in = self._process.stdin, self._process.stdout
        try:
            answer = self._ask(self._open(scenario, settings, receives, events, folder))
        except BaseException:
            self.close()
            raise
        self.hosts, self.warnings = answer["hosts"], answer["warnings"]
        self.now_ps = 0

    def _ask(self, request):
        self._out.write(self._line(request))
        self._out.flush()
        return self._answer(self._in.readline())

    def _flush(self):
        posted = self._next - len(self._queue)
        for request in self._posts():
            try:
                posted += self._ask(request)["count"]
            except WeftError:
                self._next = posted
                raise

    def run(self, until=None, stop=None):
        """Runs until a time, or "any" event, or "all" that was posted is over, or one of a list of numbers is, or to
        the end ("idle"). `why` of the answer is "event" where that came, "time", "idle" where nothing is left to happen, or
        "stalled" where messages wait for what does not come (explain() says for what). With nothing open, "all" is "idle". Both may be given: run(until=5_000_000, stop="any")."""
        self._flush()
        result = self._stop(self._ask(self._run(until, stop)))
        self.now_ps = result.now_ps
        return result

    def stats(self):
        """Sums since the network was opened."""
        self._flush()
        return {key: value for key, value in self._ask({"verb": "stats"}).items() if key != "ok"}

    def link(self, name):
        """Counters of a link, {"forward": ..., "back": ...}."""
        self._flush()
        answer = self._ask({"verb": "link", "link": name})
        return {"forward": answer["forward"], "back": answer["back"]}

    def set_link(self, name, state, rate_bps=0):
        """A link fails, works, or slows."""
        self._flush()
        self._ask({"verb": "link", "link": name, "state": state, "rate_bps": rate_bps})

    def explain(self):
        """A sentence on each message and receive that is open."""
        self._flush()
        return self._ask({"verb": "explain"})["sentences"]

    def close(self):
        """Ends it."""
        if self._process:
            self._process.stdin.close()
            self._process.stdout.close()
            self._process.wait()
        if self._socket:
            self._out.close()
            self._socket.close()
        self._process = self._socket = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class AsyncNet(_Requests):
    """The same with asyncio: net = await AsyncNet.open(...), await net.run(...), await net.close()."""

    @classmethod
    async def open(cls, scenario=None, settings=(), *, receives=False, events=None, folder=None, socket=None):
        net = cls()
        net._process = None
        limit = 1 << 30  # longest answer
        if socket:
            net._in, net._out = await asyncio.open_unix_connection(str(socket), limit=limit)
        else:
            pipe = asyncio.subprocess.PIPE
            net._process = await asyncio.create_subprocess_exec(find(), "serve", stdin=pipe, stdout=pipe, limit=limit)
            net._in, net._out = net._process.stdout, net._process.stdin
        try:
            answer = await net._ask(cls._open(scenario, settings, receives, events, folder))
        except BaseException:
            await net.close()
            raise
        net.hosts, net.warnings, net.now_ps = answer["hosts"], answer["warnings"], 0
        return net

    async def _ask(self, request):
        self._out.write(self._line(request))
        await self._out.drain()
        return self._answer(await self._in.readline())

    async def run(self, until=None, stop=None):
        """As Net.run()."""
        posted = self._next - len(self._queue)
        for request in self._posts():
            try:
                posted += (await self._ask(request))["count"]
            except WeftError:
                self._next = posted
                raise
        result = self._stop(await self._ask(self._run(until, stop)))
        self.now_ps = result.now_ps
        return result

    async def close(self):
        """Ends it."""
        self._out.close()
        if self._process:
            await self._process.wait()
