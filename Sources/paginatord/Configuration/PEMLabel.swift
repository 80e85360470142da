/// What a PEM file has to hold (RFC 7468).
enum PEMLabel: String {
    /// A certificate.
    case certificate = "CERTIFICATE"
    /// A private key, of whatever kind.
    case privateKey = "PRIVATE KEY"

    /// The text of a PEM file that holds such a thing.
    ///
    /// - Throws: `FileError`, whose reason names the file.
    func text(at path: String) throws(FileError) -> String {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try fileContents(path)
        } catch {
            throw FileError(reason: "\(printable(path)) cannot be read: \(error.reason)")
        }
        guard let text = String(validating: bytes, as: UTF8.self), text.contains("-----BEGIN "),
            text.contains("\(rawValue)-----")
        else { throw FileError(reason: "\(printable(path)) is no PEM file with a \(rawValue.lowercased())") }
        return text
    }
}
