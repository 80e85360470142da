internal import CMicroHTTPD
internal import EventLoops

extension Daemon {
    /// Whether the peer takes its answer too slowly: within each stall timeout it has to take 16 KiB, or all that is left.
    ///
    /// One that takes a byte now and then would otherwise keep its answer in memory for ever. What counts is what the peer's
    /// system has acknowledged. Over a Unix socket, where nobody counts that, anything taken will do. While an answer waits
    /// for its producer nothing is asked of the peer.
    func takesTooLong(_ connection: Connection, with exchange: Exchange) -> Bool {
        loop.assertCurrent()
        guard exchange.isSending else {
            connection.progress = nil
            return false
        }
        let acknowledged = cmhd_acknowledged_bytes(connection.descriptor)
        let taken = acknowledged >= 0 ? acknowledged : -Int64(cmhd_waiting_bytes(connection.descriptor))
        guard let progress = connection.progress,
            acknowledged >= 0 ? taken - progress.taken < leastBytes : taken == progress.taken
        else {
            connection.progress = Connection.Progress(taken: taken, deadline: loop.now + stallTimeout)
            return false
        }
        return progress.deadline < loop.now
    }
}

/// What a peer has to take within each stall timeout: with the default of 30 s, about 550 bytes a second.
private let leastBytes: Int64 = 16 << 10
