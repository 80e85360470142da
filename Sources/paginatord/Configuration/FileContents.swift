import Glibc

/// A file that cannot be read; the reason is the system's.
struct FileError: Error, Equatable {
    /// Such as `No such file or directory`.
    var reason: String
}

/// Reads a whole file of at most `limit` bytes.
///
/// - Throws: `FileError`, also for a longer file, so that a device that never ends is no trap.
func fileContents(_ path: String, limit: Int = 1 << 20) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(reason: systemReason()) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        if count == 0 { return bytes }
        if count < 0 {
            if errno == EINTR { continue }
            throw FileError(reason: systemReason())
        }
        bytes += chunk.prefix(count)
        guard bytes.count <= limit else { throw FileError(reason: "larger than \(SizeText.format(limit))") }
    }
}

/// What the system says about an error number.
func systemReason(_ error: Int32 = errno) -> String {
    String(cString: strerror(error))
}

/// The folder of a path, with the slash behind it; empty for the present one.
func folder(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[...$0]) } ?? ""
}

/// A path as seen from a folder, whose name ends in a slash or is empty; an absolute one stays what it is.
func path(_ path: String, from folder: String) -> String {
    path.hasPrefix("/") ? path : folder + path
}
