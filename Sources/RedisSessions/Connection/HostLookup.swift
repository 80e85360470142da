internal import EventLoops
internal import Glibc

/// Finds the addresses of a host: the system's call for that may take its time, so it is made on a thread of its own.
final class HostLookup: Sendable {
    private let host: String
    private let loop: EventLoop
    private let found: @Sendable (Result<[String], RedisError>) -> Void

    private init(
        host: String, loop: EventLoop, found: @escaping @Sendable (Result<[String], RedisError>) -> Void
    ) {
        self.host = host
        self.loop = loop
        self.found = found
    }

    /// Begins a lookup.
    ///
    /// - Parameter found: called on the loop, at once where the host is an address already, with addresses in digits, the
    ///   best one first.
    static func begin(
        _ host: String, on loop: EventLoop, found: @escaping @Sendable (Result<[String], RedisError>) -> Void
    ) {
        if let numeric = addresses(of: host, flags: AI_NUMERICHOST).value { return found(.success(numeric)) }
        let lookup = HostLookup(host: host, loop: loop, found: found)
        var thread = pthread_t()
        // The thread holds a reference until it ends.
        let context = Unmanaged.passRetained(lookup)
        let status = pthread_create(
            &thread, nil,
            { context in
                // Safe because it is the reference that was passed for this thread.
                if let context { Unmanaged<HostLookup>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            return found(.failure(.away("there is no thread to look up \(host) on")))
        }
        pthread_detach(thread)
    }

    private func run() {
        let result: Result<[String], RedisError>
        switch Self.addresses(of: host, flags: AI_ADDRCONFIG) {
        case (let addresses?, _): result = .success(addresses)
        case (nil, let code):
            result = .failure(.away("\(host) is not found: \(String(cString: gai_strerror(code)))"))
        }
        loop.execute { [found] in found(result) }
    }

    private static func addresses(of host: String, flags: Int32) -> (value: [String]?, code: Int32) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else { return (nil, code) }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var entry = list
        while let current = entry {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            if getnameinfo(
                current.pointee.ai_addr, current.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
                NI_NUMERICHOST) == 0
            {
                addresses.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
            }
            entry = current.pointee.ai_next
        }
        return addresses.isEmpty ? (nil, EAI_NONAME) : (addresses, 0)
    }
}
