internal import Glibc

/// A pipe that carries no data but the fact that something happened: one thread signals, another waits.
struct WakePipe: ~Copyable {
    private let reading: Int32
    private let writing: Int32

    /// Opens the pipe. Where no descriptor is left, waiting with a limit waits it out, and signals are lost.
    init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        reading = ends[0]
        writing = ends[1]
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Ends the present wait, or the next one. Never blocks: a full pipe is signal enough.
    func signal() {
        var byte: UInt8 = 1
        _ = write(writing, &byte, 1)
    }

    /// Waits for a signal and leaves it there, so that every waiter sees it; -1 waits without a limit.
    func wait(milliseconds: Int32) {
        var poll = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        while Glibc.poll(&poll, 1, milliseconds) < 0, errno == EINTR {}
    }

    /// Takes the signals that are there.
    func clear() {
        var bytes: [UInt8] = Array(repeating: 0, count: 64)
        while read(reading, &bytes, bytes.count) == bytes.count {}
    }
}
