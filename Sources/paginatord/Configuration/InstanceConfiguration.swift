import TableAPI

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
