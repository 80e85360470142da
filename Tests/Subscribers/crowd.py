#!/usr/bin/env python3
"""A crowd that subscribes to one session's events, over the Unix socket of a running service.

Most of them read, and each has to get every page of every move, in order and byte for byte as the move's own answer had
it. Some never read: they have to be cut, without harm to the others, and what waits for them stays bounded.
Prints one JSON object of what was seen; a difference ends the script with a text.

usage: crowd.py SOCKET PID READERS SILENT MOVES
"""

import http.client
import json
import os
import resource
import selectors
import socket
import sys
import time

SECONDS = 240


class Connection(http.client.HTTPConnection):
    """Calls over the Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self.path)

    def call(self, method, target, body=None):
        self.request(method, target, body, {"Content-Type": "application/json"} if body else {})
        response = self.getresponse()
        return response.status, response.read()


class Subscriber:
    """One stream of events, taken apart as it comes."""

    def __init__(self, path, target):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.socket.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self.raw = b""
        self.text = b""
        self.head = None
        self.events = 0
        self.is_over = False

    def feed(self, data):
        """Takes the next bytes of the connection; gives back the events that they complete."""
        self.raw += data
        if self.head is None:
            if b"\r\n\r\n" not in self.raw:
                return []
            self.head, self.raw = self.raw.split(b"\r\n\r\n", 1)
            if not self.head.startswith(b"HTTP/1.1 200 "):
                sys.exit(f"refused: {self.head!r}")
        parts = []
        while (end := self.raw.find(b"\r\n")) >= 0:
            size = int(self.raw[:end], 16)
            if len(self.raw) < end + 2 + size + 2:
                break
            if size == 0:
                self.is_over = True
                break
            parts.append(self.raw[end + 2:end + 2 + size])
            self.raw = self.raw[end + 2 + size + 2:]
        if not parts:
            return []
        *blocks, self.text = (self.text + b"".join(parts)).split(b"\n\n")
        return [block for block in blocks if block.startswith(b"event: ")]


def resident(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main():
    path, pid = sys.argv[1], int(sys.argv[2])
    readers, silent, moves = (int(number) for number in sys.argv[3:6])
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 4096)), hard))
    caller = Connection(path)
    # Pages of about 20 kB: more than a mebibyte and what the system keeps in all, but no more than has to be.
    body = json.dumps({"table": "incident", "itemsPerPage": 10, "query": "ORDERBYnumber", "readAhead": 0})
    status, answer = caller.call("POST", "/sessions", body)
    session = f"/sessions/{json.loads(answer)['id']}"
    crowd = [Subscriber(path, session + "/events") for _ in range(readers + silent)]
    selector = selectors.DefaultSelector()
    for subscriber in crowd[:readers]:
        subscriber.socket.setblocking(False)
        selector.register(subscriber.socket, selectors.EVENT_READ, subscriber)
    expected = []
    deadline = time.monotonic() + SECONDS

    def read(until):
        while not until():
            if time.monotonic() > deadline:
                sys.exit(f"not in time: {sorted({reader.events for reader in crowd[:readers]})} of {len(expected)}")
            for key, _ in selector.select(1):
                reader = key.data
                data = reader.socket.recv(1 << 20)
                if not data:
                    sys.exit(f"a reader was cut after {reader.events} events")
                for event in reader.feed(data):
                    if reader.events >= len(expected) or event != expected[reader.events]:
                        sys.exit(f"event {reader.events + 1} of a reader is not the move's answer: {event[:200]!r}")
                    reader.events += 1

    # Every stream has begun once its head is there.
    read(lambda: all(reader.head is not None for reader in crowd[:readers]))
    for subscriber in crowd[readers:]:
        subscriber.socket.recv(1)
    before = resident(pid)
    most = before
    for position in range(1, moves + 1):
        move = "next" if position % 10 else "first"
        status, answer = caller.call("POST", f"{session}/{move}?after={position - 1}")
        if status != 200:
            sys.exit(f"{move} answered {status}: {answer[:300]!r}")
        expected.append(f"event: page\nid: {position}\ndata: ".encode() + answer)
        read(lambda: all(reader.events == position for reader in crowd[:readers]))
        most = max(most, resident(pid))
    # Those that never read are cut: what had come before is still there, but no end of the stream; or, if that was just
    # now, the reason and its end.
    cut = 0
    for subscriber in crowd[readers:]:
        subscriber.socket.settimeout(max(1, deadline - time.monotonic()))
        text = b""
        try:
            while data := subscriber.socket.recv(1 << 20):
                text += data
        except ConnectionResetError:
            pass
        cut += not text.endswith(b"0\r\n\r\n") or b"event: error" in text
    size = sum(len(event) for event in expected)
    print(json.dumps({
        "events": sorted({reader.events for reader in crowd[:readers]}), "cut": cut, "bytesEach": size,
        "before": before, "growth": most - before,
    }))


main()
