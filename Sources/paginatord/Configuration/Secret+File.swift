import TableAPI

extension Secret {
    /// Reads a secret from a file of its own, without the one line break that editors and `echo` leave at the end.
    ///
    /// - Throws: `FileError`, whose reason names the file and nothing of what is in it.
    init(contentsOf path: String) throws(FileError) {
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
        self.init(text)
    }
}
