internal import CMicroHTTPD
internal import Glibc
internal import HTTPModel

/// A response as libmicrohttpd holds it; our reference ends with this value.
struct OutgoingResponse: ~Copyable {
    private let response: OpaquePointer?

    deinit {
        if let response { MHD_destroy_response(response) }
    }

    /// A body of pieces that are there already.
    ///
    /// Small ones are copied together, because head and body then leave in one system call; large ones are sent from
    /// where they lie.
    init(pieces: [ArraySlice<UInt8>]) {
        var size = 0
        for piece in pieces { size += piece.count }
        let isCopied = size < copiedBytes || pieces.count > scatteredPieces
        response = isCopied ? copied(pieces, size) : scattered(pieces)
    }

    /// A body that is read from a stream while it is made, in chunks unless its length is known.
    init(stream: StreamedBody) {
        // Safe because the response holds this reference until its last call, which is the second closure.
        let context = Unmanaged.passRetained(stream)
        // The largest number is `MHD_SIZE_UNKNOWN`.
        response = MHD_create_response_from_callback(
            stream.length ?? UInt64.max, 16 << 10,
            { context, _, buffer, size in
                guard let context, let buffer else { return endWithError }
                let target = UnsafeMutableRawBufferPointer(start: buffer, count: size)
                return Unmanaged<StreamedBody>.fromOpaque(context).takeUnretainedValue().read(into: target)
            }, context.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<StreamedBody>.fromOpaque(context).takeRetainedValue().close()
            })
        if response == nil { context.release() }
    }

    /// The head alone of a streamed body. libmicrohttpd 0.9.75 would send the final chunk even to HEAD, which the peer
    /// takes for the start of the next response; so neither chunks nor a further request on this connection.
    init(headOf stream: StreamedBody) {
        self.init(stream: stream)
        if let response { cmhd_end_with_connection(response) }
    }

    /// Adds header lines. What cannot be sent is made sendable, or left out, and reported.
    func add(_ headers: HeaderFields, onFault: (String) -> Void) {
        // One among the headers takes its place.
        MHD_add_response_header(response, "Date", cmhd_date())
        for field in headers.fields {
            var value = field.value
            if holdsControl(&value) {
                onFault("the value of the header \(field.name) holds control characters; they are sent as spaces")
                value = String(decoding: value.utf8.map { isControl($0) ? 0x20 : $0 }, as: UTF8.self)
            }
            // libmicrohttpd refuses empty values, names with blanks, and Content-Length, which is its own; it would take
            // a Transfer-Encoding and then not encode.
            let isFraming = field.name.utf8.count == 17 && equalIgnoringCase(field.name, "transfer-encoding")
            if isFraming || MHD_add_response_header(response, field.name, value) != .YES {
                onFault("the header \(field.name) cannot be sent and is left out")
            }
        }
    }

    /// Makes this the last response on its connection.
    func closeConnection() {
        MHD_add_response_header(response, "Connection", "close")
    }

    /// Hands it to libmicrohttpd for that connection.
    func queue(on connection: OpaquePointer, status: Int) -> MHD_Result {
        guard let response else { return .NO }
        return MHD_queue_response(connection, UInt32(status), response)
    }
}

/// `MHD_CONTENT_READER_END_OF_STREAM`, whose macro Swift cannot read.
let endOfStream = -1
/// `MHD_CONTENT_READER_END_WITH_ERROR`: no final chunk is sent.
let endWithError = -2

/// Up to here copying is cheaper than a further system call (a body of 16 kB in three pieces: 10.3 µs of CPU against
/// 11.9 µs a request).
private let copiedBytes = 32 << 10

/// What the system takes in one call (`IOV_MAX`). Of a longer list libmicrohttpd 0.9.75 sends so much and then waits
/// for an event that does not come as long as the socket has room.
private let scatteredPieces = 1024

private func copied(_ pieces: [ArraySlice<UInt8>], _ size: Int) -> OpaquePointer? {
    guard size > 0 else { return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT) }
    guard let memory = malloc(size) else { return nil }
    var end = memory
    for piece in pieces {
        // Safe because all pieces together have `size` bytes, which is the room that there is.
        piece.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            memcpy(end, start, bytes.count)
            end += bytes.count
        }
    }
    let response = MHD_create_response_from_buffer(size, memory, .RESPMEM_MUST_FREE)
    if response == nil { free(memory) }
    return response
}

/// Keeps the arrays of a scattered body alive until libmicrohttpd has sent them.
private final class Pieces {
    let pieces: [ArraySlice<UInt8>]

    init(_ pieces: [ArraySlice<UInt8>]) {
        self.pieces = pieces
    }
}

private func scattered(_ pieces: [ArraySlice<UInt8>]) -> OpaquePointer? {
    let owner = Unmanaged.passRetained(Pieces(pieces))
    // Safe because an array of bytes lies in one block of the heap that neither moves nor changes while somebody
    // refers to it; `owner` does so, unchanged, until libmicrohttpd calls the closure below. The list itself is copied.
    let list = pieces.compactMap { piece in
        piece.withUnsafeBytes { $0.isEmpty ? nil : MHD_IoVec(iov_base: $0.baseAddress, iov_len: $0.count) }
    }
    let response = MHD_create_response_from_iovec(
        list, UInt32(list.count),
        { owner in
            guard let owner else { return }
            Unmanaged<Pieces>.fromOpaque(owner).release()
        }, owner.toOpaque())
    if response == nil { owner.release() }
    return response
}

/// Looks at all bytes without a branch, many at a time: `Link` is long.
private func holdsControl(_ text: inout String) -> Bool {
    text.withUTF8 { bytes in
        var found: UInt8 = 0
        for byte in bytes { found |= isControl(byte) ? 1 : 0 }
        return found != 0
    }
}

private func isControl(_ byte: UInt8) -> Bool {
    (byte < 0x20 && byte != 0x09) || byte == 0x7F
}
