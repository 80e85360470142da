import Glibc

/// Where an export is written: standard output, or a file that comes into being when all of it is there.
///
/// A file is written under another name in the same folder and takes its place at the end, so that nobody ever finds a part
/// of it. What is no ordinary file, such as a named pipe, is written as it is.
final class ExportOutput {
    /// What a file is called while it is written, and afterwards.
    private struct Names {
        var partial: String
        var final: String
    }

    /// Whether what was written stays there even if it is not all.
    let isStream: Bool
    private let descriptor: Int32
    private let names: Names?
    /// Whether a write may wait for a reader.
    private let mayWait: Bool
    private var isOpen = true

    /// Writes to standard output.
    init() {
        descriptor = STDOUT_FILENO
        names = nil
        isStream = true
        mayWait = !isOrdinary(status(of: descriptor))
    }

    /// Begins a file. A named pipe has to have a reader; it is waited for until the task is cancelled.
    ///
    /// - Throws: `OutputError` where it could not be written in the end.
    init(path: String) async throws(OutputError) {
        let (path, present) = try destination(of: path)
        if let present, !isOrdinary(present) {
            guard present.st_mode & S_IFMT != S_IFDIR else { throw .failed("is a folder") }
            descriptor = try await openedForReader(path)
            names = nil
            isStream = true
            mayWait = true
            return
        }
        let folder = folder(of: path)
        if let present {
            guard access(path, W_OK) == 0 else { throw .failed(systemReason()) }
            guard mayReplace(present, in: folder) else { throw .failed(systemReason(EPERM)) }
        }
        let mark = String(UInt64.random(in: 1 << 60...UInt64.max), radix: 16)
        // So much of its name as leaves room for the rest, in bytes, which is what the system counts.
        let start = String(decoding: path.utf8.dropFirst(folder.utf8.count).prefix(100), as: UTF8.self)
        let partial = "\(folder).\(start).\(mark).part"
        // Whatever else the mask of the process and the folder say, as with any new file.
        descriptor = try opened(partial, O_WRONLY | O_CREAT | O_EXCL)
        if let present { _ = fchmod(descriptor, present.st_mode & 0o777) }
        names = Names(partial: partial, final: path)
        isStream = false
        mayWait = false
    }

    deinit {
        discard()
    }

    /// Writes all bytes. Where they go to a slow reader it waits for that one, and for no longer than a second once the task
    /// is cancelled.
    ///
    /// - Throws: `OutputError`.
    func write(_ bytes: ArraySlice<UInt8>) async throws(OutputError) {
        var rest = bytes
        while !rest.isEmpty {
            if mayWait { try await awaitRoom() }
            // So much is taken without waiting where anything is (POSIX, "write").
            let piece = mayWait ? rest.prefix(Int(PIPE_BUF)) : rest
            // Safe because the call stays within the bytes that it is given.
            let count = piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                throw .readerGone
            } else if errno != EINTR, errno != EAGAIN {
                throw .failed(systemReason())
            }
        }
    }

    private func awaitRoom() async throws(OutputError) {
        var patience = 20
        while true {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let count = poll(&request, 1, 50)
            if count > 0 || count < 0 && errno != EINTR { return }
            if Task.isCancelled { patience -= 1 }
            if patience == 0 { throw .stopped }
            // Whoever notices a signal may need this thread.
            await Task.yield()
        }
    }

    /// Puts a file in its place, safe from a loss of power.
    ///
    /// - Throws: `OutputError`.
    func finish() throws(OutputError) {
        guard let names else { return }
        guard fsync(descriptor) == 0 else { throw .failed(systemReason()) }
        isOpen = false
        guard close(descriptor) == 0, rename(names.partial, names.final) == 0 else {
            let reason = systemReason()
            unlink(names.partial)
            throw .failed(reason)
        }
        let folder = folder(of: names.final)
        let opened = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if opened >= 0 {
            fsync(opened)
            close(opened)
        }
    }

    /// Gives up a file that was not finished; nothing of it stays.
    func discard() {
        guard isOpen, let names else { return }
        isOpen = false
        close(descriptor)
        unlink(names.partial)
    }
}

/// Why something cannot be written.
enum OutputError: Error, Equatable {
    /// Whoever read it is gone.
    case readerGone
    /// The export was stopped while it waited for the reader.
    case stopped
    /// The system refuses; the reason.
    case failed(String)
}

private func opened(_ path: String, _ flags: Int32) throws(OutputError) -> Int32 {
    let descriptor = open(path, flags | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .failed(systemReason()) }
    return descriptor
}

/// Without waiting in the system, where no signal would be noticed (POSIX, "open": ENXIO).
private func openedForReader(_ path: String) async throws(OutputError) -> Int32 {
    while true {
        let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        if descriptor >= 0 { return descriptor }
        guard errno == ENXIO else { throw .failed(systemReason()) }
        do { try await Task.sleep(for: .milliseconds(50)) } catch { throw .stopped }
    }
}

private func status(of descriptor: Int32) -> stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
}

private func status(at path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
}

private func isOrdinary(_ status: stat?) -> Bool {
    status.map { $0.st_mode & S_IFMT == S_IFREG } ?? false
}

/// The file that a path leads to, behind all symbolic links, even one to what is not there yet, and what it is now.
///
/// - Throws: `OutputError` where the system does not follow the path.
private func destination(of path: String) throws(OutputError) -> (path: String, present: stat?) {
    var path = path
    // No more links than the system follows (Linux, path_resolution).
    for _ in 0...40 {
        if let present = status(at: path) {
            guard isOrdinary(present), let real = realpath(path, nil) else { return (path, present) }
            defer { free(real) }
            return (String(cString: real), present)
        }
        guard errno == ENOENT else { throw .failed(systemReason()) }
        guard let target = target(ofLink: path) else { return (path, nil) }
        path = target.hasPrefix("/") ? target : folder(of: path) + target
    }
    throw .failed(systemReason(ELOOP))
}

/// What a symbolic link says; `nil` where there is none.
private func target(ofLink path: String) -> String? {
    // Safe because the call is told of so much room, and as many bytes are read as it says that it has written.
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { room in
        guard let start = room.baseAddress else { return nil }
        let count = readlink(path, start, room.count)
        guard count > 0, count < room.count else { return nil }
        return String(decoding: room[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Whether another file may take the place of that one: in a folder such as /tmp only its owner's (Linux, rename: EPERM).
private func mayReplace(_ file: stat, in folder: String) -> Bool {
    guard let folder = status(at: folder.isEmpty ? "." : folder), folder.st_mode & S_ISVTX != 0 else { return true }
    return [0, file.st_uid, folder.st_uid].contains(geteuid())
}
