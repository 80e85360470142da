internal import Glibc

/// What has come on a connection, counted and looked at before libmicrohttpd takes it apart where it lies.
///
/// libmicrohttpd 0.9.75 ends lines at line feeds alone, writes NULs where lines end, and takes a line that begins with a colon
/// for an empty one; what it leaves in memory then can look like any head in order. So every NUL, and every line feed without
/// a carriage return, is remembered by its place in the stream of bytes, until it is known to be in a body.
///
/// Safe because pointers into libmicrohttpd's buffer are read only while it has just received into it, or hands over a head.
struct ReceivedStream {
    /// How many bytes have come.
    private(set) var received = 0
    /// Up to where they belong to requests that have begun, their bodies among them.
    private(set) var consumed = 0
    /// Where libmicrohttpd's buffer begins; each request's head lies there, behind empty lines.
    private var base: UnsafePointer<CChar>?
    private var last: CChar?
    /// The places of what is odd, in order, none of them in a body.
    private var odd: [Int] = []
    /// From where on they were too many to be remembered.
    private var oddFrom = Int.max

    /// Whether there is more than the requests that have begun.
    var hasMore: Bool { received > consumed }

    /// Bytes have come.
    ///
    /// - Parameter first: the first odd one, or a line feed in the first place.
    mutating func take(_ start: UnsafePointer<CChar>, _ size: Int, firstOdd first: UnsafePointer<CChar>?) {
        if base == nil { base = start }
        // In a body nothing is odd.
        let behindBody = consumed - received
        if let first, behindBody < size {
            for index in max(first - start, behindBody)..<size {
                let previous = index == 0 ? last : start[index - 1]
                guard start[index] == 0 || (start[index] == lineFeed && previous != carriageReturn) else { continue }
                if odd.count < maxOddBytes {
                    odd.append(received + index)
                } else {
                    oddFrom = min(oddFrom, received + index)
                }
            }
        }
        last = start[size - 1]
        received += size
    }

    /// A request begins with this head.
    ///
    /// - Returns: how many bytes have come behind the head, `nil` where something in it is odd.
    mutating func begin(_ head: UnsafePointer<CChar>, _ size: Int) -> Int? {
        // Nothing has come that was not looked at.
        guard let base, head >= base, consumed <= received, consumed + (head - base) + size <= received else {
            return nil
        }
        consumed += head - base + size
        let isOdd = (odd.first ?? oddFrom) < consumed
        return isOdd ? nil : received - consumed
    }

    /// The request has a body of that length; what is odd in it does not matter.
    mutating func skipBody(_ length: Int) {
        let (end, isBeyond) = consumed.addingReportingOverflow(length)
        consumed = isBeyond ? .max : end
        odd.removeAll { $0 < consumed }
        if consumed >= received { oddFrom = .max }
    }
}

/// How many places are remembered: a short body in the lines of a printed text is often sent with its head.
private let maxOddBytes = 256

private let lineFeed = CChar(0x0A)
private let carriageReturn = CChar(0x0D)
