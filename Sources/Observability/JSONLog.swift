public import Clocks

/// Writes events as lines, one JSON object or one readable text each, to a file descriptor.
///
/// Any thread may observe; none ever waits for the descriptor (see `LineWriter`).
public final class JSONLog: Observer {
    private let level: Level
    private let format: LogFormat
    private let writer: LineWriter
    private let now: @Sendable () -> Timestamp

    /// Opens a log.
    ///
    /// - Parameters:
    ///   - descriptor: where lines go; it stays the caller's and has to stay open until `close` returned.
    ///   - level: what matters less is not written.
    ///   - format: `nil` chooses text on a terminal, else JSON.
    ///   - capacity: how many bytes may wait for a descriptor that does not take them.
    ///   - now: the clock that lines are stamped by.
    public init(
        descriptor: Int32 = 2, level: Level = .info, format: LogFormat? = nil, capacity: Int = 1 << 20,
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        let format = format ?? (isTerminal(descriptor) ? .text : .json)
        self.level = level
        self.format = format
        self.now = now
        writer = LineWriter(descriptor: descriptor, capacity: capacity) { count in
            let event = Event.logLinesDropped(count)
            return event.level < level ? [] : event.logLine(time: now(), format: format)
        }
    }

    deinit {
        writer.close(within: .zero)
    }

    /// Writes a line, if the event matters enough.
    public func observe(_ event: Event) {
        guard event.level >= level else { return }
        writer.append(event.logLine(time: now(), format: format))
    }

    /// Writes what is waiting and ends the log; later events are not written.
    ///
    /// Blocks the calling thread for at most `limit`, so it is not for an event loop. What a stuck descriptor has not
    /// taken by then is lost.
    public func close(within limit: Duration = .seconds(2)) {
        writer.close(within: limit)
    }
}
