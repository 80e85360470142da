import HTTPModel
import Synchronization

/// Counts what is written on its way to another writer.
final class CountingWriter: BodyWriter {
    private let writer: any BodyWriter
    private let count = Atomic(0)

    /// Writes to that writer.
    init(_ writer: any BodyWriter) {
        self.writer = writer
    }

    /// The bytes that the writer has taken over so far.
    var bytes: Int { count.load(ordering: .relaxed) }

    func write(_ piece: ArraySlice<UInt8>) async throws(BodyWriterError) {
        try await writer.write(piece)
        count.add(piece.count, ordering: .relaxed)
    }

    func offer(_ pieces: [ArraySlice<UInt8>], limit: Int) async throws(BodyWriterError) -> Bool {
        let isTaken = try await writer.offer(pieces, limit: limit)
        if isTaken { count.add(pieces.reduce(0) { $0 + $1.count }, ordering: .relaxed) }
        return isTaken
    }
}
