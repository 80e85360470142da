import FoundationEssentials
import HTTPModel
import TableAPI

extension Configuration {
    /// The name of the instance that requests without a name mean.
    static let defaultInstance = "default"

    /// Takes `instances` and the short forms.
    static func instances(
        in root: inout ConfigurationSection, besideDemo isDemo: Bool, maxPageBytes: Int
    ) -> [InstanceConfiguration] {
        let reading = root.reading
        let variables = InstanceVariables(in: reading)
        var section = root.section("instances", hasVariables: false)
        var names = section.names
        if variables.url != nil, !names.contains(defaultInstance) { names.append(defaultInstance) }
        if variables.isSet, !names.contains(defaultInstance) {
            reading.complain(InstanceVariables.urlName, "not set, though \(variables.first) is")
        }
        if isDemo, names.contains(defaultInstance) {
            reading.complain(
                variables.isSet ? variables.first : "instances.\(defaultInstance)",
                "--demo defines the instance \(defaultInstance) itself; leave out one of the two")
        }
        if !isDemo, names.isEmpty, !variables.isSet {
            reading.complain(
                "instances",
                "no instance is configured; set \(InstanceVariables.urlName), or instances.\(defaultInstance).url in a "
                    + "file named by --config or PAGINATORD_CONFIG, or try it out with --demo")
        }
        return names.compactMap { name in
            guard isPlainName(name) else {
                section.complain(name, plainNameRule)
                return nil
            }
            var own = section.section(name)
            defer { own.finish() }
            return InstanceConfiguration(
                name: name, in: &own, overriddenBy: name == defaultInstance ? variables : nil,
                maxPageBytes: maxPageBytes)
        }
    }
}

extension InstanceConfiguration {
    private static let timeRange = Duration.milliseconds(1)...Duration.seconds(3600)

    /// Takes one instance; `nil` where something is wrong with it.
    fileprivate init?(
        name: String, in section: inout ConfigurationSection, overriddenBy variables: InstanceVariables?,
        maxPageBytes: Int
    ) {
        let version: Instance.APIVersion = section.value("apiVersion", .choice(), default: .latest)
        let timeout = section.value("timeout", .duration(Self.timeRange), default: .seconds(65))
        connectTimeout = section.value("connectTimeout", .duration(Self.timeRange), default: connectTimeout)
        proxy = section.proxy()
        certificateAuthority = section.readableFile("certificateAuthority")
        let restraint = Restraint(in: &section)
        let credentials = section.credentials(overriddenBy: variables)
        guard let url = section.url(overriddenBy: variables), let credentials else { return nil }
        do throws(InstanceError) {
            instance = try Instance(
                name: name, url: url, apiVersion: version, credentials: credentials, timeout: timeout,
                maxPageBytes: maxPageBytes, restraint: restraint)
        } catch {
            switch error {
            case .invalidURL(let detail): section.complain("url", detail)
            case .invalidUsername(let detail): section.complain("auth.username", detail)
            case .invalidSecret(let detail): section.complain("auth", detail)
            }
            return nil
        }
    }
}

extension ConfigurationSection {
    fileprivate mutating func url(overriddenBy variables: InstanceVariables?) -> String? {
        let own = confidentialText("url", "the URL of an instance")
        let (text, place) = variables?.url.map { ($0, InstanceVariables.urlName) } ?? (own, nil)
        guard let text else {
            if !has("url") { complain("url", "not set; expected such as \"https://example.service-now.com\"") }
            return nil
        }
        do throws(InstanceError) {
            let url = try InstanceURL(text).description
            // A path would be one of the service's own making: the Table API stands at the root of every instance.
            if authorityAndTarget(ofURL: url)?.target == "/" { return url }
            complain(at: place, "the URL must end behind the host and the port")
        } catch {
            if case .invalidURL(let detail) = error { complain(at: place, detail) }
        }
        return nil
    }

    private func complain(at place: String?, _ detail: String) {
        if let place { reading.complain(place, detail) } else { complain("url", detail) }
    }

    fileprivate mutating func proxy() -> ProxyConfiguration {
        guard let text = confidentialText("proxy", #""environment", null or the URL of a proxy"#) else {
            return isNull("proxy") ? .direct : .environment
        }
        if text == "environment" { return .environment }
        guard let (authority, target) = authorityAndTarget(ofURL: text), target == "/", !authority.contains("@"),
            !authority.isEmpty, RequestTarget(text) != nil
        else {
            complain(
                "proxy", #"expected "environment", null or a URL such as "http://proxy.example:3128", without user"#)
            return .direct
        }
        return .url(text)
    }

    fileprivate mutating func readableFile(_ name: String) -> String? {
        guard let path = file(name) else { return nil }
        do throws(FileError) {
            _ = try fileContents(path, limit: 1 << 24)
            return path
        } catch {
            complain(name, "\(printable(path)) cannot be read: \(error.reason)")
            return nil
        }
    }
}
