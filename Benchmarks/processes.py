"""What the benchmarks share: processes that are started, measured and ended by their ids."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

TICK = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def children(pid):
    """The process and its children: nginx's workers do its work."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += [int(child) for child in (task / "children").read_text().split()]
    return found


def cpu_seconds(pid):
    total = 0
    for process in children(pid):
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICK


def resident_bytes(pid):
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def most_resident_bytes(pid):
    """The most that was resident so far (proc(5), VmHWM)."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    sys.exit("the kernel does not tell VmHWM")


def service_environment():
    """The environment without what configures the service."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PAGINATORD_")}


class Server:
    """A process that is measured, and ended by its id."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(command, **options)

    @property
    def pid(self):
        return self.process.pid

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=20)


def wait_for(port):
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"nothing listens on port {port}")


class Memory:
    """Samples a process's resident memory every 0.1 s."""

    def __init__(self, pid):
        self.samples = []
        self.pid = pid
        self.done = threading.Event()
        self.thread = threading.Thread(target=self.sample)

    def sample(self):
        start = time.monotonic()
        while not self.done.wait(0.1):
            self.samples.append((time.monotonic() - start, resident_bytes(self.pid)))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    @property
    def growth(self):
        """By how much memory rose from its largest within 1…2 s to the end, in bytes."""
        early = max((size for at, size in self.samples if 1 <= at <= 2), default=0)
        return self.samples[-1][1] - early
