internal import EventLoops

/// What is known of a connection's bytes before libmicrohttpd looks at them.
extension Daemon {
    /// Bytes have come. Safe because they are read here only, before libmicrohttpd goes on.
    func received(
        on descriptor: Int32, _ start: UnsafePointer<CChar>, _ size: Int, firstOdd: UnsafePointer<CChar>?
    ) {
        loop.assertCurrent()
        guard let connection = connection(at: descriptor) else { return }
        connection.stream.take(start, size, firstOdd: firstOdd)
        if let exchange = connection.exchange {
            exchange.received(UnsafeRawBufferPointer(start: start, count: size))
        } else if connection.isIdle {
            // A head has its time from its first byte on, however little was left of the idle time; no later byte gives
            // it more. The first head on a connection has its time already.
            connection.isIdle = false
            connection.deadline = loop.now + headTimeout
        }
    }

    /// The peer has ended its direction. libmicrohttpd would close the connection, also where an answer is under way.
    ///
    /// - Returns: whether libmicrohttpd is to know.
    func peerEnded(on descriptor: Int32) -> Bool {
        loop.assertCurrent()
        guard let connection = connection(at: descriptor), !connection.awaitsPeer else { return true }
        connection.endIsKeptBack = true
        return false
    }

    private func connection(at descriptor: Int32) -> Connection? {
        Int(descriptor) < byDescriptor.count ? byDescriptor[Int(descriptor)] : nil
    }
}
