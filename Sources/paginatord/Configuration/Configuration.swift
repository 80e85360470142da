import Observability
import TableAPI

/// All settings of the service, checked.
struct Configuration: Sendable {
    /// Where to listen; at least one address.
    var listeners = Listener.loopback(port: 8080)
    /// The service's identity on its TCP listeners; `nil` serves plain HTTP there.
    var tls: TLSConfiguration?
    /// The configured instances, by name. Without the built-in one of `--demo`.
    var instances: [InstanceConfiguration] = []
    /// How sessions are kept.
    var sessions = SessionsConfiguration()
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

/// Certificate and key of the service itself.
struct TLSConfiguration: Sendable {
    /// The certificate with its intermediates, as PEM.
    var certificateChain: String
    /// The private key, as PEM.
    var key: Secret
}

/// One instance and the way to it.
struct InstanceConfiguration: Sendable {
    /// The instance: name, URL, version, credentials, time for one attempt, largest page.
    var instance: Instance
    /// The PEM file of the authorities that its certificate is checked against; `nil`: the system's.
    var certificateAuthority: String?
    /// The time that connecting may take.
    var connectTimeout: Duration = .seconds(5)
    /// The proxy on the way.
    var proxy = ProxyConfiguration.environment
}

/// Which proxy leads to an instance.
enum ProxyConfiguration: Sendable, Equatable {
    /// Whatever `https_proxy` and `no_proxy` say.
    case environment
    /// None.
    case direct
    /// This one; `no_proxy` is not looked at.
    case url(String)
}

/// How sessions are kept.
struct SessionsConfiguration: Sendable {
    /// Where they live.
    var store = SessionStoreKind.memory
    /// How long an unused session lives, where its creator does not say.
    var idleTimeout: Duration = .seconds(15 * 60)
    /// The most that its creator may say.
    var maxIdleTimeout: Duration = .seconds(24 * 3600)
    /// The most sessions at once.
    var maxTotal = 100_000
    /// How many bytes of pages are kept to be sent again.
    var replayMemory = 256 << 20
    /// The largest page, in bytes, that is kept.
    var replayPageBytes = 1 << 20
}

/// The kinds of session store.
enum SessionStoreKind: String, Sendable, CaseIterable {
    /// In this process; sessions end with it.
    case memory
}

/// How pages are fetched.
struct PagesConfiguration: Sendable {
    /// The page size of a session whose creator does not say.
    var itemsPerPage = 20
    /// The most that its creator may say.
    var maxItemsPerPage = 10_000
    /// The largest page, in bytes after decompression.
    var maxBytes = 64 << 20
}

/// What one caller, or all of them, may use.
struct LimitsConfiguration: Sendable {
    /// The most connections at once.
    var connections = 10_000
    /// The largest body of a request, in bytes.
    var requestBody = 1 << 20
    /// The largest head of a request, in bytes.
    var requestHead = 32 << 10
    /// How long a connection may be idle.
    var idleTimeout: Duration = .seconds(60)
    /// How many moves may wait for their turn in one session.
    var waitingMoves = 16
}

/// What the log says and how.
struct LogConfiguration: Sendable {
    /// What matters less is left out.
    var level = Level.info
    /// How lines look; `nil`: as text on a terminal, else as JSON.
    var format: LogFormat?
}
