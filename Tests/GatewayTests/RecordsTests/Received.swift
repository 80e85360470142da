import HTTPModel
import PaginatordTesting
import SimdJSON
import Synchronization

/// Receives a streamed body.
final class Received: BodyWriter {
    private struct State {
        var bytes: [UInt8] = []
        var isClosed = false
        var waits: @Sendable (Int) async -> Void = { _ in }
    }

    private let state = Mutex(State())

    /// Receives everything at once.
    init() {}

    /// Awaits that after each piece, given the number of bytes that have come.
    init(waits: @escaping @Sendable (Int) async -> Void) {
        state.withLock { $0.waits = waits }
    }

    var text: String { state.withLock { String(decoding: $0.bytes, as: UTF8.self) } }

    var bytes: [UInt8] { state.withLock { $0.bytes } }

    /// The peer goes.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    func write(_ piece: ArraySlice<UInt8>) async throws(BodyWriterError) {
        let (isClosed, count, waits) = state.withLock { state in
            if !state.isClosed { state.bytes += piece }
            return (state.isClosed, state.bytes.count, state.waits)
        }
        guard !isClosed else { throw .closed }
        await waits(count)
    }

    func offer(_ pieces: [ArraySlice<UInt8>], limit: Int) async throws(BodyWriterError) -> Bool {
        for piece in pieces { try await write(piece) }
        return true
    }
}

/// Holds a stream up once some of it has come.
final class Hold: Sendable {
    private let gate = Gate()
    private let hasBegun = Atomic(false)

    /// Whether the stream waits here, or has waited.
    var isReached: Bool { hasBegun.load(ordering: .relaxed) }

    /// Receives all, and is held up behind that many bytes.
    func receiver(behind bytes: Int) -> Received {
        Received { [self] count in
            guard count > bytes else { return }
            hasBegun.store(true, ordering: .relaxed)
            await gate.wait()
        }
    }

    /// Lets the stream go on.
    func end() {
        gate.open()
    }
}

/// How a stream of records ended.
struct RecordsEnd {
    /// Whether the connection was left open, as a whole stream leaves it.
    var isWhole: Bool
    /// What was received.
    var text: String

    /// The lines, without their ends.
    var lines: [String] {
        text.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// The keys of the records that came as NDJSON.
    var keys: [String] {
        get throws { try lines.compactMap { try key(of: $0) } }
    }

    /// The members of the report in the last line.
    var report: [String: JSONValue] {
        get throws {
            let line = lines.last ?? ""
            if line.hasPrefix("# error: ") { return try JSONObject(Array(line.dropFirst(9).utf8)).members }
            guard case .object(let report)? = try JSONObject(Array(line.utf8)).members["$error"] else { return [:] }
            return report
        }
    }

    private func key(of line: String) throws -> String? {
        guard case .string(let key)? = try JSONObject(Array(line.utf8)).members["sys_id"] else { return nil }
        return key
    }
}

extension Answer {
    /// Receives the whole stream, by a task that knows nothing of the request.
    func receive(_ received: Received = Received()) async -> RecordsEnd {
        let stream = stream
        let isWhole = await Task.detached {
            guard let stream else { return false }
            do {
                try await stream(received)
                return true
            } catch {
                return false
            }
        }.value
        return RecordsEnd(isWhole: isWhole, text: received.text)
    }
}
