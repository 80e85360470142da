import TableAPI
import Testing

@testable import paginatord

struct HealthTargetTests {
    @Test(
        "A target is a URL or a Unix socket",
        arguments: [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/livez", nil),
            ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/livez", nil),
            ("https://pages.example", "https://pages.example/livez", nil),
            ("http://[::1]:1/other?x=1", "http://[::1]:1/other?x=1", nil),
            ("unix:/run/p.sock", "http://localhost/livez", "/run/p.sock"),
        ] as [(String, String, String?)])
    func named(text: String, url: String, socket: String?) {
        let target = HealthTarget(text)
        #expect(target?.url == url)
        #expect(target?.unixSocket == socket)
        #expect(target?.checksCertificate == true)
    }

    @Test(
        "Anything else is no target",
        arguments: ["", "127.0.0.1:8080", "ftp://a", "http://", "http://u:p@a", "http://a b", "unix:"])
    func wrong(text: String) {
        #expect(HealthTarget(text) == nil)
    }

    @Test(
        "Without a URL, the first listener with a known address is asked",
        arguments: [
            (["127.0.0.1:8080"], "http://127.0.0.1:8080/livez", nil),
            ([":9000"], "http://127.0.0.1:9000/livez", nil),
            (["[::]:9000"], "http://[::1]:9000/livez", nil),
            (["fd:3", "127.0.0.1:0", "10.0.0.1:5"], "http://10.0.0.1:5/livez", nil),
            (["unix:/s", "127.0.0.1:1"], "http://localhost/livez", "/s"),
        ] as [([String], String, String?)])
    func configured(listen: [String], url: String, socket: String?) {
        var configuration = Configuration()
        configuration.listeners = listen.flatMap { Listener.parse($0) ?? [] }
        let target = HealthTarget(configuration)
        #expect(target?.url == url)
        #expect(target?.unixSocket == socket)
    }

    @Test("With TLS configured, it is asked over TLS by its address, and its certificate is not held against it")
    func encrypted() {
        var configuration = Configuration()
        configuration.tls = TLSConfiguration(
            certificateChain: "", key: .init(""), files: .init(certificate: "c.pem", key: "k.pem"))
        let target = HealthTarget(configuration)
        #expect(target?.url == "https://127.0.0.1:8080/livez")
        #expect(target?.checksCertificate == false)
    }

    @Test("Where health has a listener of its own, that one is asked")
    func admin() {
        var configuration = Configuration()
        configuration.adminListeners = Listener.parse(":9090") ?? []
        #expect(HealthTarget(configuration)?.url == "http://127.0.0.1:9090/livez")
    }

    @Test("Where no address is known, there is no target")
    func unknown() {
        var configuration = Configuration()
        configuration.listeners = [Listener(address: .descriptor(3)), Listener(address: .tcp(host: "::1", port: 0))]
        #expect(HealthTarget(configuration) == nil)
    }
}
