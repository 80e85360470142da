internal import Glibc

/// What the server knows of one connection. Touched on its loop only.
final class Connection {
    /// The socket; libmicrohttpd's, valid until it reports the connection closed.
    let descriptor: Int32
    /// The place in the daemon's list.
    var index = 0
    /// The raw target of the request whose head is being read.
    var target = ReceivedTarget()
    /// What has come.
    var stream = ReceivedStream()
    /// Whether the peer has ended its direction, and libmicrohttpd was not told, so that it still answers.
    var endIsKeptBack = false
    /// The request under way.
    var exchange: Exchange?
    /// When the connection is cut if the head, or the next request, has not come, in the loop's milliseconds; `nil` while a
    /// request is under way.
    var deadline: Int?
    /// Whether an answer was sent and nothing has come behind its request.
    var isIdle = false
    /// Whether the peer had ended its direction when this was last looked at, with all that it had sent read.
    var hadEnded = false

    /// How far the peer had come with taking an answer.
    struct Progress {
        /// A number that says how much it had taken.
        var taken: Int64
        /// By when it has to have taken more, in the loop's milliseconds.
        var deadline: Int
    }
    /// The progress of the answer that is being sent; `nil` where none is, or where it waits for its producer.
    var progress: Progress?

    /// Makes the record of a connection that was just accepted.
    init(_ descriptor: Int32, deadline: Int) {
        self.descriptor = descriptor
        self.deadline = deadline
    }

    /// Whether only the peer can go on: with a request, or with the rest of one.
    var awaitsPeer: Bool {
        guard let exchange else { return true }
        return exchange.bodyDeadline != nil
    }

    /// Ends the connection in both directions. libmicrohttpd meets the end and closes it; what the system has taken
    /// over is still sent.
    func cut() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Ends the connection as `cut` does, and lets the system drop what it has taken over as soon as libmicrohttpd closes:
    /// a reader that does not read would otherwise keep it there, in a connection that nobody counts any more.
    func reset() {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
        cut()
    }
}
