import Glibc
import HTTPServer
import Observability

extension TLSConfiguration {
    /// Reads certificate and key again and gives them to every server. Where they will not do, all keep what they have.
    func renew(for servers: [HTTPServer], observer: any Observer) async {
        do {
            let renewed = try TLSConfiguration(reading: files)
            for server in servers { try await server.renewTLS(renewed.identity) }
            observer.observe(.settingRenewed(setting: "tls.certificate"))
            if let warning = renewed.warning(at: time(nil)) { observer.observe(.configurationWarning(warning)) }
        } catch {
            observer.observe(.settingNotRenewed(setting: "tls.certificate", reason: "\(error)"))
        }
    }
}
