import Clocks
import Glibc
import TableAPI

extension Secret {
    /// A secret in a file of its own, which is read again when it has changed; without the one line break that editors
    /// and `echo` leave at the end.
    ///
    /// - Parameter setting: the name of the setting that names the file.
    /// - Throws: `FileError`, whose reason names the file and nothing of what is in it.
    init(watching path: String, setting: String) throws(FileError) {
        let text = try secretText(in: path)
        self.init(
            in: SecretFile(
                text, setting: setting,
                access: SecretFile.Access(
                    version: { version(of: path) }, text: { try? secretText(in: path) },
                    uptime: ServiceClock.system.uptime)))
    }
}

/// What such a file holds now.
///
/// - Throws: `FileError`, whose reason names the file and nothing of what is in it.
func secretText(in path: String) throws(FileError) -> String {
    var bytes: [UInt8]
    do {
        bytes = try fileContents(path, limit: 1 << 16)
    } catch {
        throw FileError(reason: "\(printable(path)) cannot be read: \(error.reason)")
    }
    if bytes.last == 0x0A {
        bytes.removeLast()
        if bytes.last == 0x0D { bytes.removeLast() }
    }
    guard !bytes.isEmpty else { throw FileError(reason: "\(printable(path)) is empty") }
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
        throw FileError(reason: "\(printable(path)) is no UTF-8 text")
    }
    return text
}

/// Tells a file from what stood there before, be it overwritten or replaced. A link is followed: an orchestrator turns one
/// over to a new folder.
private func version(of path: String) -> SecretFile.Version? {
    var state = stat()
    guard stat(path, &state) == 0 else { return nil }
    return SecretFile.Version([
        Int(truncatingIfNeeded: state.st_dev), Int(truncatingIfNeeded: state.st_ino), Int(state.st_size),
        Int(state.st_mtim.tv_sec), Int(state.st_mtim.tv_nsec),
    ])
}
