internal import CMicroHTTPD
internal import Glibc

extension Daemon {
    /// Cuts connections from which no whole request can come any more, because the peer has ended its direction.
    ///
    /// libmicrohttpd 0.9.75 misses an end that comes together with the last bytes: it stops at the short read and waits
    /// for an event that has been. Such a peer would wait for our end in vain until a deadline.
    func cutHalfClosed(among connections: [Connection]) {
        let waiting = connections.filter(\.awaitsPeer)
        var polls = waiting.map { pollfd(fd: $0.descriptor, events: readHangUp, revents: 0) }
        guard poll(&polls, nfds_t(polls.count), 0) > 0 else { return }
        for (connection, poll) in zip(waiting, polls) where poll.revents & readHangUp != 0 {
            guard hasNothingMore(connection.descriptor) else { continue }
            // Twice in a row, because libmicrohttpd may be about to begin with what it has read already.
            if connection.hadEnded { connection.cut() }
            connection.hadEnded = true
        }
    }
}

/// `POLLRDHUP`, which the C library declares only for GNU sources.
private let readHangUp: Int16 = 0x2000

/// Whether everything up to the peer's end was read.
private func hasNothingMore(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
}
