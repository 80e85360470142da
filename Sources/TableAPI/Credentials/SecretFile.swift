import Locks

/// A file with one secret in it, which is read again when it has changed: whoever rotates secrets replaces the file and
/// need not restart anything.
///
/// Whether it has changed is looked at once a second at most. While it cannot be read, the last text stands.
public final class SecretFile: Sendable {
    /// What tells one state of a file from the next, such as its inode, its size and the time of its last change.
    public struct Version: Sendable, Equatable {
        private let marks: [Int]

        /// Takes the marks; files with the same ones are the same.
        public init(_ marks: [Int]) {
            self.marks = marks
        }
    }

    /// How the file is reached. The calls must not block for long: they are made on event loops.
    public struct Access: Sendable {
        /// The version of the file as it is now; `nil` where there is none.
        public var version: @Sendable () -> Version?
        /// The secret in it; `nil` where it cannot be read.
        public var text: @Sendable () -> String?
        /// A clock that never jumps.
        public var uptime: @Sendable () -> Duration

        /// Makes a way to a file.
        public init(
            version: @escaping @Sendable () -> Version?, text: @escaping @Sendable () -> String?,
            uptime: @escaping @Sendable () -> Duration
        ) {
            self.version = version
            self.text = text
            self.uptime = uptime
        }
    }

    private struct State {
        var text: String
        var version: Version?
        var nextLook: Duration
    }

    /// The name of the setting that names the file, for messages; `nil` where there is none.
    let setting: String?
    private let access: Access
    private let state: Lock<State>

    /// A file whose secret has just been read.
    ///
    /// - Parameter setting: the name of the setting that names it, which messages about it then tell.
    public init(_ text: String, setting: String? = nil, access: Access) {
        self.setting = setting
        self.access = access
        // Without a version, the first look reads the file once more: it may have changed since it was read.
        state = Lock(State(text: text, version: nil, nextLook: access.uptime() + .seconds(1)))
    }

    /// The secret, read anew if the file has changed.
    var text: String {
        let now = access.uptime()
        let (text, version, isDue) = state.withLock { state in
            let isDue = now >= state.nextLook
            if isDue { state.nextLook = now + .seconds(1) }
            return (state.text, state.version, isDue)
        }
        guard isDue, let present = access.version(), present != version else { return text }
        return read(as: present) ?? text
    }

    /// Reads the file whether or not it seems to have changed.
    func readAgain() {
        guard let version = access.version() else { return }
        _ = read(as: version)
    }

    /// The version is older than the text, never newer: what changes in between is noticed at the next look.
    private func read(as version: Version) -> String? {
        guard let text = access.text() else { return nil }
        state.withLock { state in
            state.text = text
            state.version = version
        }
        return text
    }
}
