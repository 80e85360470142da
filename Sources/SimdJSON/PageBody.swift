import CSimdJSON
package import Pagination

/// What the body of an answer turns out to be once every byte of it has been looked at.
package enum PageBody: Equatable {
    /// One whole document with a list of rows; with what identifies them if that was asked for and there are any.
    ///
    /// Two lists of rows have the same identity where their rows have the same keys in the same order; rows without a key
    /// go by all their bytes.
    case rows(Rows, identity: [UInt8]?)
    /// One whole document that reports an error, with or without rows beside it.
    case error(message: String?, detail: String?)
    /// Nothing that could be used.
    case unusable(Fault)

    /// Why a body is of no use.
    package enum Fault: Equatable {
        /// Nothing, or nothing but white space.
        case empty
        /// Not one whole JSON document.
        case notWhole
        /// One with a number beyond 64 bits or double range, over 1,024 levels, or half a surrogate pair.
        case beyondLimits
        /// One whose root has `result` more than once.
        case repeatedResult
        /// One without a list of objects as its `result`.
        case noRows
        /// One that there was no memory for.
        case noMemory
    }

    /// Reads a body. Rows refer to its bytes; nothing is copied.
    package static func read(_ body: [UInt8], withIdentity: Bool = false) -> PageBody {
        // Safe because nothing that the call returns outlives the closure, and the closure neither suspends nor reads
        // another body, so that the thread's parser stays as it is.
        body.withUnsafeBufferPointer { bytes in
            let page = csimdjson_read(bytes.baseAddress, bytes.count)
            defer { csimdjson_finish() }
            switch page.verdict {
            case .CSIMDJSON_ROWS:
                let rows = rowsFound(page, in: body)
                return .rows(rows, identity: withIdentity && !rows.isEmpty ? identityOfRowsFound(rows) : nil)
            case .CSIMDJSON_ERROR: return .error(message: string(page.message), detail: string(page.detail))
            case .CSIMDJSON_EMPTY: return .unusable(.empty)
            case .CSIMDJSON_NOT_WHOLE: return .unusable(.notWhole)
            case .CSIMDJSON_BEYOND_LIMITS: return .unusable(.beyondLimits)
            case .CSIMDJSON_REPEATED_RESULT: return .unusable(.repeatedResult)
            case .CSIMDJSON_NO_ROWS: return .unusable(.noRows)
            case .CSIMDJSON_NO_MEMORY: return .unusable(.noMemory)
            }
        }
    }
}

/// Safe because the parser has two offsets for each row, which stay until it reads something else, and both lie in the body.
private func rowsFound(_ page: csimdjson_page, in body: [UInt8]) -> Rows {
    guard page.count > 0, let offsets = page.extents else { return Rows() }
    let extents = (0..<page.count).map { Int(offsets[2 * $0])..<Int(offsets[2 * $0 + 1]) }
    let text = body[extents[0].lowerBound..<extents[page.count - 1].upperBound]
    return Rows([Rows.Block(text: text, extents: extents)])
}

/// Writes down the keys of the rows just read, and rows without one as a whole. Each stands behind its kind and length, so
/// that different rows never have the same identity.
///
/// Safe because it is called before the thread's parser reads anything else: `csimdjson_keys` fills one entry for each row
/// just read, and the keys, which stand in the parser or in the body, are copied here.
private func identityOfRowsFound(_ rows: Rows) -> [UInt8] {
    let keys = [csimdjson_text](unsafeUninitializedCapacity: rows.count) { buffer, count in
        csimdjson_keys(buffer.baseAddress)
        count = rows.count
    }
    var identity: [UInt8] = []
    for (row, key) in zip(rows.objects, keys) {
        let isKeyed = key.length > 0
        identity.append(isKeyed ? 1 : 0)
        withUnsafeBytes(of: UInt64(isKeyed ? key.length : row.count).littleEndian) { identity += $0 }
        if isKeyed {
            identity += UnsafeRawBufferPointer(start: key.bytes, count: key.length)
        } else {
            identity += row
        }
    }
    return identity
}

/// Safe because it is called while the thread's parser, in which the text stands, is as it was left by the call.
private func string(_ text: csimdjson_text) -> String? {
    text.bytes.map { String(decoding: UnsafeRawBufferPointer(start: $0, count: text.length), as: UTF8.self) }
}
