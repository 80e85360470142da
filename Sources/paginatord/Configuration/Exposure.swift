import Glibc
import TableAPI

extension Configuration {
    /// Whether nobody has to show who they are, and nobody has said that this may be so beyond this machine.
    var isForThisMachineOnly: Bool {
        access.tokens.isEmpty && !access.allowAnonymous
    }

    /// Why the service must not listen on an address that others reach, if it does.
    ///
    /// - Parameter exposed: gives such an address among those of a setting, if there is one.
    func exposure(_ exposed: (_ isAdmin: Bool) -> String?) -> ConfigurationProblem? {
        guard isForThisMachineOnly else { return nil }
        return exposed(false).map { exposure(of: $0, in: "listen") }
            ?? exposed(true).map { exposure(of: $0, in: "admin.listen") }
    }

    private func exposure(of address: String, in setting: String) -> ConfigurationProblem {
        let remedy =
            access.tokens.isEmpty && forwards
            ? "the instances alone check the credentials that callers bring, so it has to be allowed by "
                + "access.allowAnonymous: true"
            : "no token is asked for: set access.tokens, PAGINATORD_ACCESS_TOKEN or PAGINATORD_ACCESS_TOKEN_FILE, or "
                + "access.allowAnonymous: true if whoever reaches it may use it"
        return ConfigurationProblem(
            path: setting, detail: "\(printable(address)) can be reached from other machines, and \(remedy)")
    }

    /// Whether callers bring their own credentials, for some instance at least.
    var forwards: Bool {
        instances.contains { $0.instance.credentials == .forward }
    }
}

extension BindAddress {
    /// Whether others than this machine's processes can reach it; `nil` where only the bound socket tells.
    var isReachableByOthers: Bool? {
        switch self {
        case .tcp(let host, _): isLoopback(host).map { !$0 }
        case .unix: false
        case .descriptor: nil
        }
    }
}

/// Whether a numeric address is of this machine alone; `nil` for a name.
func isLoopback(_ host: String) -> Bool? {
    var four = in_addr()
    if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
    guard host.utf8.contains(0x3A) else { return nil }
    var six = in6_addr()
    // An address with a zone is no loopback address.
    guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
    // Safe because the bytes of this one variable are copied.
    let words = withUnsafeBytes(of: six) { bytes in bytes.map { $0 } }
    return words == [UInt8](repeating: 0, count: 15) + [1]
        || (words.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] && words[12] == 127)
}
