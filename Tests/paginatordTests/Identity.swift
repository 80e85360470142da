import Foundation
import Testing

/// A certificate that is its own authority, and its key, made anew.
struct Identity {
    /// The certificate, as PEM.
    let certificate: String
    /// The key, as PEM.
    let key: String

    init(days: Int = 30) throws {
        let folder = try TemporaryFolder()
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days \(days) -keyout k.pem -out c.pem -subj /CN=a",
            in: folder)
        certificate = try String(contentsOfFile: folder.path + "/c.pem", encoding: .utf8)
        key = try String(contentsOfFile: folder.path + "/k.pem", encoding: .utf8)
    }

    /// The key behind a password.
    func locked() throws -> String {
        let folder = try TemporaryFolder()
        try folder.write(key, to: "k.pem")
        try openssl("pkcs8 -topk8 -in k.pem -out l.pem -passout pass:secret", in: folder)
        return try String(contentsOfFile: folder.path + "/l.pem", encoding: .utf8)
    }
}

/// Runs openssl to its end in a folder.
func openssl(_ arguments: String, in folder: TemporaryFolder) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "openssl \(arguments)")
}
