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
        var path = path
        let present = status(at: path)
        if let present, !isOrdinary(present) {
            guard present.st_mode & S_IFMT != S_IFDIR else { throw .failed("is a folder") }
            descriptor = try await openedForReader(path)
            names = nil
            isStream = true
            mayWait = true
            return
        }
        if present != nil {
            guard access(path, W_OK) == 0 else { throw .failed(systemReason()) }
            // Behind a symbolic link it is the file that is replaced, not the link.
            if let real = realpath(path, nil) {
                path = String(cString: real)
                free(real)
            }
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let mark = String(UInt64.random(in: 1 << 60...UInt64.max), radix: 16)
        let partial = "\(folder).\(path.dropFirst(folder.count).prefix(100)).\(mark).part"
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
        let folder = names.final.lastIndex(of: "/").map { String(names.final[...$0]) } ?? "."
        let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
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

private func systemReason() -> String {
    String(cString: strerror(errno))
}
