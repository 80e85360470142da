internal import Glibc
internal import Locks

/// A redis-server of a test's own, on a Unix socket in a temporary directory, ended by its id. The environment variable
/// `REDIS_SERVER` names another program, such as a valkey-server.
public final class RedisServer: Sendable {
    /// The directory of its socket and its data.
    public let directory: String
    private let options: [String]
    private let program: String
    private let process = Lock<pid_t?>(nil)

    /// Why there is no server.
    public struct Failure: Error, Sendable {
        /// What happened.
        public var what: String
    }

    /// Starts a server and waits until it answers.
    ///
    /// - Parameter options: such as `["--appendonly", "yes"]`; it saves nothing otherwise.
    /// - Throws: `Failure`.
    public init(_ options: [String] = []) throws {
        self.options = options
        // Safe because the text is copied at once, and the tests change no variable.
        program = unsafe getenv("REDIS_SERVER").map { unsafe String(cString: $0) } ?? "redis-server"
        var template = Array("/tmp/paginatord-redis-XXXXXX".utf8CString)
        // Safe because the template is an array of this function's own, which the call fills in.
        guard unsafe mkdtemp(&template) != nil else { throw Failure(what: "no temporary directory") }
        directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        try start()
    }

    deinit {
        kill()
        let appended = "\(directory)/appendonlydir"
        for folder in [directory, appended] {
            // Safe because the directory stream and its entries are used here only.
            guard let stream = unsafe opendir(folder) else { continue }
            while let entry = unsafe readdir(stream) {
                let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
                unsafe unlink("\(folder)/\(String(decoding: name, as: UTF8.self))")
            }
            unsafe closedir(stream)
        }
        unsafe rmdir(appended)
        unsafe rmdir(directory)
    }

    /// The path of its socket.
    public var socketPath: String { "\(directory)/redis.sock" }

    /// Its process; `nil` while it is down.
    public var processID: Int32? { process.withLock { $0 } }

    /// Starts it again, with what it has saved.
    ///
    /// - Throws: `Failure`.
    public func start() throws {
        let arguments =
            [
                program, "--port", "0", "--unixsocket", socketPath, "--dir", directory, "--save", "",
                "--logfile", "\(directory)/log", "--daemonize", "no",
            ] + options
        let started = try spawn(arguments)
        process.withLock { $0 = started }
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            if command("PING") == "+PONG\r\n" { return }
            usleep(5000)
        }
        throw Failure(what: "\(program) does not answer; see \(directory)/log")
    }

    /// Asks it to stop, as a system does with SIGTERM, and waits for its end.
    public func stop() {
        end(SIGTERM)
    }

    /// Ends it at once.
    public func kill() {
        end(SIGKILL)
    }

    /// Stops it without ending it: connections stay, and nothing is answered.
    public func freeze() {
        if let id = processID { Glibc.kill(id, SIGSTOP) }
    }

    /// Lets it go on.
    public func thaw() {
        if let id = processID { Glibc.kill(id, SIGCONT) }
    }

    /// Sends one command in its inline form and gives back the first bytes of the reply; `nil` where there is none.
    @discardableResult public func command(_ text: String) -> String? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        guard connectTo(descriptor, path: socketPath) == 0 else { return nil }
        let line = Array("\(text)\r\n".utf8)
        // Safe because both calls stay within the arrays that they are given.
        guard unsafe send(descriptor, line, line.count, Int32(MSG_NOSIGNAL)) == line.count else { return nil }
        var reply = [UInt8](repeating: 0, count: 65536)
        let count = unsafe recv(descriptor, &reply, reply.count, 0)
        return count > 0 ? String(decoding: reply.prefix(count), as: UTF8.self) : nil
    }

    private func end(_ signal: Int32) {
        guard let id = process.withLock({ $0.take() }) else { return }
        Glibc.kill(id, SIGCONT)
        Glibc.kill(id, signal)
        var status: Int32 = 0
        // Safe because the call writes to this one variable.
        unsafe waitpid(id, &status, 0)
    }

    /// With no signal blocked, whatever the test's own thread blocks.
    private func spawn(_ arguments: [String]) throws -> pid_t {
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        // Safe because attributes, set and strings are this function's own and outlive the call.
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var strings = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe strings.forEach { unsafe free($0) } }
        var id: pid_t = 0
        let status = unsafe posix_spawnp(&id, program, nil, &attributes, &strings, environ)
        guard status == 0 else { throw Failure(what: "\(program) cannot be started: \(status)") }
        return id
    }
}
