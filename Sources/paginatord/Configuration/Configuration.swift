/// All settings of the service, checked.
struct Configuration: Sendable {
    /// Where to listen; at least one address.
    var listeners = Listener.loopback(port: 8080)
    /// Where health is to be asked for, and nothing else; empty has it on the other listeners.
    var adminListeners: [Listener] = []
    /// The service's identity on its TCP listeners; `nil` serves plain HTTP there.
    var tls: TLSConfiguration?
    /// The configured instances, by name. Without the built-in one of `--demo`.
    var instances: [InstanceConfiguration] = []
    /// Who may call.
    var access = AccessConfiguration()
    /// How sessions are kept.
    var sessions = SessionsConfiguration()
    /// The folder of what outlives the process; `nil` where nothing does.
    var dataDirectory: String?
    /// How pages are fetched.
    var pages = PagesConfiguration()
    /// What one caller, or all of them, may use.
    var limits = LimitsConfiguration()
    /// What the log says and how.
    var log = LogConfiguration()
    /// How long requests under way may take after the service was told to stop.
    var shutdownGrace: Duration = .seconds(10)
    /// What is probably not meant as it stands, one line each.
    var warnings: [String] = []
}

extension Configuration {
    /// Takes every key but the instances'. The ranges of the keys leave out what cannot work, not what is merely unusual.
    init(_ root: inout ConfigurationSection) {
        listeners = root.value("listen", .listeners, default: listeners)
        var admin = root.section("admin")
        adminListeners = admin.value("listen", .listener, default: adminListeners)
        if root.has("admin"), adminListeners.isEmpty, admin.names.isEmpty { admin.complain("listen", "not set") }
        admin.finish()
        tls = TLSConfiguration(in: &root)
        access = AccessConfiguration(in: &root)
        sessions = SessionsConfiguration(in: &root)
        pages = PagesConfiguration(in: &root)
        limits = LimitsConfiguration(in: &root)
        log = LogConfiguration(in: &root)
        shutdownGrace = root.value("shutdownGrace", .duration(.zero...(.seconds(86_400))), default: shutdownGrace)
    }
}
