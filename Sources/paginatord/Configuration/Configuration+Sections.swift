import FoundationEssentials
import HTTPModel
import Observability
import TableAPI

// Each key with its kind, range and default. The ranges leave out what cannot work, not what is merely unusual.

private let second = Duration.seconds(1)
private let day = Duration.seconds(24 * 3600)

extension Configuration {
    /// Takes every key but the instances'.
    init(_ root: inout ConfigurationSection) {
        listeners = root.value("listen", .listeners, default: listeners)
        tls = TLSConfiguration(in: &root)
        sessions = SessionsConfiguration(in: &root)
        pages = PagesConfiguration(in: &root)
        limits = LimitsConfiguration(in: &root)
        log = LogConfiguration(in: &root)
        shutdownGrace = root.value("shutdownGrace", .duration(.zero...day), default: shutdownGrace)
    }
}

extension TLSConfiguration {
    /// Takes `tls`; `nil` where there is none.
    init?(in root: inout ConfigurationSection) {
        var section = root.section("tls")
        defer { section.finish() }
        let certificate = section.file("certificate")
        let key = section.file("key")
        switch (certificate, key) {
        case (nil, nil):
            if root.has("tls"), section.names.isEmpty { section.complain("certificate", "not set") }
            return nil
        case (nil, _?):
            if !section.has("certificate") { section.complain("certificate", "not set, though there is a key") }
            return nil
        case (_?, nil):
            if !section.has("key") { section.complain("key", "not set, though there is a certificate") }
            return nil
        case (let certificate?, let key?):
            let certificateText = section.pem("certificate", at: certificate, label: "CERTIFICATE-----")
            let keyText = section.pem("key", at: key, label: "PRIVATE KEY-----")
            guard let certificateText, let keyText else { return nil }
            certificateChain = certificateText
            self.key = Secret(keyText)
        }
    }
}

extension ConfigurationSection {
    /// The text of a PEM file that holds something under that label (RFC 7468).
    fileprivate func pem(_ name: String, at path: String, label: String) -> String? {
        do throws(FileError) {
            let bytes = try fileContents(path)
            if let text = String(validating: bytes, as: UTF8.self), text.contains("-----BEGIN "), text.contains(label) {
                return text
            }
            complain(name, "\(printable(path)) is no PEM file with a \(label.dropLast(5).lowercased())")
        } catch {
            complain(name, "\(printable(path)) cannot be read: \(error.reason)")
        }
        return nil
    }
}

extension SessionsConfiguration {
    /// Takes `sessions`.
    init(in root: inout ConfigurationSection) {
        var section = root.section("sessions")
        store = section.value("store", .choice(), default: store)
        idleTimeout = section.value("idleTimeout", .duration(second...day * 365), default: idleTimeout)
        maxIdleTimeout = section.value("maxIdleTimeout", .duration(second...day * 365), default: maxIdleTimeout)
        maxTotal = section.value("maxTotal", .integer(1...100_000_000), default: maxTotal)
        replayMemory = section.value("replayMemory", .size(0...1 << 44), default: replayMemory)
        replayPageBytes = section.value("replayPageBytes", .size(0...1 << 31), default: replayPageBytes)
        if idleTimeout > maxIdleTimeout {
            section.complain("idleTimeout", "must not be longer than maxIdleTimeout")
        }
        section.finish()
    }
}

extension PagesConfiguration {
    /// Takes `pages`.
    init(in root: inout ConfigurationSection) {
        var section = root.section("pages")
        itemsPerPage = section.value("itemsPerPage", .integer(1...10_000), default: itemsPerPage)
        maxItemsPerPage = section.value("maxItemsPerPage", .integer(1...10_000), default: maxItemsPerPage)
        maxBytes = section.value("maxBytes", .size(1024...1 << 31), default: maxBytes)
        if itemsPerPage > maxItemsPerPage {
            section.complain("itemsPerPage", "must not be larger than maxItemsPerPage")
        }
        section.finish()
    }
}

extension LimitsConfiguration {
    /// Takes `limits`.
    init(in root: inout ConfigurationSection) {
        var section = root.section("limits")
        connections = section.value("connections", .integer(1...1_000_000), default: connections)
        requestBody = section.value("requestBody", .size(0...1 << 30), default: requestBody)
        requestHead = section.value("requestHead", .size(1024...1 << 24), default: requestHead)
        idleTimeout = section.value("idleTimeout", .duration(second...day), default: idleTimeout)
        waitingMoves = section.value("waitingMoves", .integer(0...100_000), default: waitingMoves)
        section.finish()
    }
}

extension LogConfiguration {
    /// The words for `format`.
    private enum Format: String, CaseIterable {
        case auto, json, text
    }

    /// Takes `log`.
    init(in root: inout ConfigurationSection) {
        var section = root.section("log")
        level = section.value("level", .choice(), default: level)
        let format: Format = section.value("format", .choice(), default: .auto)
        self.format = LogFormat(rawValue: format.rawValue)
        section.finish()
    }
}
