internal import Glibc

/// A request's target where libmicrohttpd has it, before that decodes it in place.
///
/// Safe because the place is read once, while libmicrohttpd gives it with a NUL at its end, and only compared later.
struct ReceivedTarget {
    /// Where it begins; `nil` for none.
    let start: UnsafePointer<CChar>?
    /// Its bytes up to the first NUL.
    let size: Int
    /// What these bytes say.
    let text: String

    /// No target.
    init() {
        (start, size, text) = (nil, 0, "")
    }

    /// Takes a target over. The memory stays libmicrohttpd's, and in its place until the request has ended.
    init(_ start: UnsafePointer<CChar>) {
        self.start = start
        size = strlen(start)
        text = receivedText(start, size)
    }
}
